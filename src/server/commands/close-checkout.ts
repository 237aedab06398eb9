import { closeCheckout } from '../domain/closing.ts';
import { checkoutLogId } from '../ports/log.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import type { ServerContext } from '../server-context.ts';
import { updateCheckout } from './update-checkout.ts';

/**
 * Closes a checkout for the merchant: it gets no new invoice. What was issued stays payable and is still polled. Resolves with
 * the checkout after it, the same one when it was closed or paid before, or with undefined when there is none.
 */
export async function closeByMerchant(
  { store, time, log }: Pick<ServerContext, 'store' | 'time' | 'log'>,
  checkoutId: string,
): Promise<CheckoutRecord | undefined> {
  const decided = await updateCheckout(store, checkoutId, (loaded) => {
    const record = closeCheckout(loaded, time.now());
    return { result: { checkout: record ?? loaded, isNew: record !== undefined }, record };
  });
  if (decided?.isNew === true) log('info', 'checkout_closed', { checkout: checkoutLogId(checkoutId) });
  return decided?.checkout;
}
