import type { CheckoutError, CheckoutEvent } from '../core.ts';
import type { Checkout, CheckoutInvoice, CheckoutStatus, PaymentOption } from '../checkout-api.ts';

/** The base of all events of the element: they bubble, also out of shadow roots. MooTools replaces `Event`, but not `CustomEvent`. */
class PayInvoiceEvent extends CustomEvent<null> {
  constructor(name: string, cancelable = false) {
    super(`pay-invoice-${name}`, { bubbles: true, composed: true, cancelable });
  }
}

/** `ready`: options or an invoice were rendered for the first time. Otherwise the name is the outcome of the payment. */
export class CheckoutOutcomeEvent extends PayInvoiceEvent {
  readonly checkout: Checkout;
  constructor(name: 'ready' | 'paid' | 'failed' | 'expired', checkout: Checkout) {
    super(name);
    this.checkout = checkout;
  }
}

/** The payer chose a method. `preventDefault()` keeps the previous choice. */
export class MethodSelectEvent extends PayInvoiceEvent {
  readonly option: PaymentOption;
  constructor(option: PaymentOption) {
    super('method-select', true);
    this.option = option;
  }
}

/** Something needs the merchant's attention. */
export class CheckoutErrorEvent extends PayInvoiceEvent {
  readonly error: CheckoutError;
  constructor(error: CheckoutError) {
    super('error');
    this.error = error;
  }
}

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

/** The events by their names. They bubble, so that the document and the window receive them too. */
interface PayInvoiceEvents {
  'pay-invoice-ready': CheckoutOutcomeEvent;
  'pay-invoice-method-select': MethodSelectEvent;
  'pay-invoice-created': InvoiceEvent;
  'pay-invoice-qr-shown': InvoiceEvent;
  'pay-invoice-copied': CopiedEvent;
  'pay-invoice-status': StatusEvent;
  'pay-invoice-paid': CheckoutOutcomeEvent;
  'pay-invoice-failed': CheckoutOutcomeEvent;
  'pay-invoice-expired': CheckoutOutcomeEvent;
  'pay-invoice-action': ActionEvent;
  'pay-invoice-error': CheckoutErrorEvent;
}

/* eslint-disable @typescript-eslint/no-empty-object-type -- an interface can be merged with the DOM's, a type cannot */
declare global {
  interface HTMLElementEventMap extends PayInvoiceEvents {}
  interface DocumentEventMap extends PayInvoiceEvents {}
  interface WindowEventMap extends PayInvoiceEvents {}
}
