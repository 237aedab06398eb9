// The events that only the payment chunk dispatches. They are in a separate file to keep the widget's first file small.
import type { CheckoutEvent } from '../core.ts';
import type { CheckoutInvoice, CheckoutStatus } from '../protocol.ts';
import { PayInvoiceEvent, CheckoutOutcomeEvent, CheckoutErrorEvent } from './pay-invoice.events.ts';

/** `created`: requisites arrived. `qr-shown`: the QR is painted; on a phone, after the payer has unfolded it. */
export class InvoiceEvent extends PayInvoiceEvent {
  readonly invoice: CheckoutInvoice;
  constructor(name: 'created' | 'qr-shown', invoice: CheckoutInvoice) {
    super(name);
    this.invoice = invoice;
  }
}

/** A value was copied; `field` is its name, such as `card_number`, `all` for all of them, `link` for the link. */
export class CopiedEvent extends PayInvoiceEvent {
  readonly field: string;
  constructor(field: string) {
    super('copied');
    this.field = field;
  }
}

/** The status changed. */
export class StatusEvent extends PayInvoiceEvent {
  readonly status: CheckoutStatus;
  /** Undefined for the first status. */
  readonly previous: CheckoutStatus | undefined;
  /** The invoice service's own status, for logs and support. */
  readonly serviceStatus: string | undefined;
  constructor({ status, previous, serviceStatus }: CheckoutEvent & { type: 'status' }) {
    super('status');
    this.status = status;
    this.previous = previous;
    this.serviceStatus = serviceStatus;
  }
}

/**
 * A step of the payer that a shop may count. `link_open`: clicked the link to the bank's app or the payment page. `qr_save`:
 * clicked to save the QR. `help_shown`: the bank's app did not open, and help was shown. `link_copy`: copied a link. `print`:
 * clicked to print the receipt. `check`: clicked "I have paid, check".
 */
export type PayerAction = 'link_open' | 'qr_save' | 'help_shown' | 'link_copy' | 'print' | 'check';

/** The payer took a step that a shop may count. */
export class ActionEvent extends PayInvoiceEvent {
  readonly action: PayerAction;
  constructor(action: PayerAction) {
    super('action');
    this.action = action;
  }
}

declare global {
  interface HTMLElementEventMap {
    'pay-invoice-ready': CheckoutOutcomeEvent;
    'pay-invoice-created': InvoiceEvent;
    'pay-invoice-qr-shown': InvoiceEvent;
    'pay-invoice-copied': CopiedEvent;
    'pay-invoice-status': StatusEvent;
    'pay-invoice-paid': CheckoutOutcomeEvent;
    'pay-invoice-failed': CheckoutOutcomeEvent;
    'pay-invoice-expired': CheckoutOutcomeEvent;
    'pay-invoice-action': ActionEvent;
  }
}

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
