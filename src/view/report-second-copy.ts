import { CheckoutError } from '../core.ts';
import { CheckoutErrorEvent } from './pay-invoice.events.ts';

/** The tag stays that of the first copy. The event is dispatched once the page is loaded, so that its scripts can listen before. */
export function reportSecondCopy(): void {
  const report = (): void => {
    const error = new CheckoutError('second_copy', 'another copy of pay-invoice has defined the tag');
    document.dispatchEvent(new CheckoutErrorEvent(error));
  };
  if (document.readyState === 'complete') report();
  else addEventListener('load', report, { once: true });
}
