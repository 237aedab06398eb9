import type { CheckoutError } from '../core.ts';
import type { Checkout, PaymentOption } from '../protocol.ts';

/** The base of all events of the element: they bubble, also out of shadow roots. */
export class PayInvoiceEvent extends Event {
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

declare global {
  interface HTMLElementEventMap {
    'pay-invoice-method-select': MethodSelectEvent;
    'pay-invoice-error': CheckoutErrorEvent;
  }
}
