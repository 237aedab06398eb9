import type { CheckoutError, CheckoutEvent } from '../core.ts';
import type { Checkout, CheckoutInvoice, CheckoutStatus, PaymentOption } from '../protocol.ts';

/** The base of all events of the element: they bubble, also out of shadow roots. */
class PayInvoiceEvent extends Event {
  constructor(name: string, cancelable = false) {
    super(`pay-invoice-${name}`, { bubbles: true, composed: true, cancelable });
  }
}

/** Options or an invoice were rendered for the first time; the payment is paid, failed or expired. */
export class CheckoutOutcomeEvent extends PayInvoiceEvent {
  readonly checkout: Checkout;
  constructor(name: 'ready' | 'paid' | 'failed' | 'expired', checkout: Checkout) {
    super(name);
    this.checkout = checkout;
  }
}

/** The payer chose a method; `preventDefault()` keeps the one that was chosen before. */
export class MethodSelectEvent extends PayInvoiceEvent {
  readonly option: PaymentOption;
  constructor(option: PaymentOption) {
    super('method-select', true);
    this.option = option;
  }
}

/** Requisites arrived; the QR is painted. */
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
  /** Undefined for the first one. */
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

/** Something needs the merchant's attention. */
export class CheckoutErrorEvent extends PayInvoiceEvent {
  readonly error: CheckoutError;
  constructor(error: CheckoutError) {
    super('error');
    this.error = error;
  }
}

declare global {
  interface HTMLElementEventMap {
    'pay-invoice-ready': CheckoutOutcomeEvent;
    'pay-invoice-method-select': MethodSelectEvent;
    'pay-invoice-created': InvoiceEvent;
    'pay-invoice-qr-shown': InvoiceEvent;
    'pay-invoice-copied': CopiedEvent;
    'pay-invoice-status': StatusEvent;
    'pay-invoice-paid': CheckoutOutcomeEvent;
    'pay-invoice-failed': CheckoutOutcomeEvent;
    'pay-invoice-expired': CheckoutOutcomeEvent;
    'pay-invoice-error': CheckoutErrorEvent;
  }
}
