// Registers the tag: the package's only side effect.
// The element comes first, and with it Lit: compression then finds the session's code beside that of the view, which is like it.
import { CheckoutErrorEvent, PayInvoiceElement } from './element.ts';
import { CheckoutError } from './core.ts';
import { registerLocale } from './locales.ts';

if (customElements.get('pay-invoice') === undefined) customElements.define('pay-invoice', PayInvoiceElement);
else if ('document' in globalThis) reportSecondCopy();

/** The tag stays that of the first copy. The event is dispatched once the page is loaded, so that its scripts can listen before. */
function reportSecondCopy(): void {
  const report = (): void => {
    const error = new CheckoutError('second_copy', 'another copy of pay-invoice has defined the tag');
    document.dispatchEvent(new CheckoutErrorEvent(error));
  };
  if (document.readyState === 'complete') report();
  else addEventListener('load', report, { once: true });
}

declare global {
  interface HTMLElementTagNameMap {
    'pay-invoice': PayInvoiceElement;
  }
}

export { PayInvoiceElement, registerLocale };
