// Registers the tag: the package's only side effect.
import { PayInvoiceElement } from './element.ts';
import { registerLocale } from './locales.ts';

if (customElements.get('pay-invoice') === undefined) customElements.define('pay-invoice', PayInvoiceElement);

declare global {
  interface HTMLElementTagNameMap {
    'pay-invoice': PayInvoiceElement;
  }
}

export { PayInvoiceElement, registerLocale };
