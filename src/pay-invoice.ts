// Registers the tag: the package's only side effect.
// The element comes first, and with it Lit: compression then finds the session's code beside that of the view, which is like it.
import { PayInvoiceElement } from './element.ts';
import { registerLocale } from './locales.ts';
import { loadPaymentScreens } from './view/controllers/payment-screens-loader.ts';

if (customElements.get('pay-invoice') === undefined) customElements.define('pay-invoice', PayInvoiceElement);
else if ('document' in globalThis)
  void loadPaymentScreens()
    .then(({ reportSecondCopy }) => reportSecondCopy())
    .catch(() => undefined); // Without its files there is nobody to report it.

declare global {
  interface HTMLElementTagNameMap {
    'pay-invoice': PayInvoiceElement;
  }
}

export { PayInvoiceElement, registerLocale };
