import type { CheckoutEvent } from '../core.ts';
import { CheckoutErrorEvent, CheckoutOutcomeEvent } from './pay-invoice.events.ts';
import { InvoiceEvent, StatusEvent } from './payment-part.events.ts';

/** The element's event for an event of the session. */
export function toDomEvent(event: CheckoutEvent): Event {
  switch (event.type) {
    case 'created':
      return new InvoiceEvent('created', event.invoice);
    case 'status':
      return new StatusEvent(event);
    case 'error':
      return new CheckoutErrorEvent(event.error);
    case 'ready':
    case 'paid':
    case 'failed':
    case 'expired':
      return new CheckoutOutcomeEvent(event.type, event.checkout);
  }
}
