import type { PaymentOption } from '../checkout-api.ts';
import type { FirstFileHandlers } from './screens/screen-props.ts';

/**
 * Goes on from what the payer has done in the server's markup (`checked="checked"` is the server's own choice).
 *
 * @param options - the methods that can be chosen
 */
export function takeOverMarkup(
  markup: Element,
  options: readonly PaymentOption[],
  on: Pick<FirstFileHandlers, 'setAmount' | 'select'>,
): void {
  for (const { name, value } of markup.querySelectorAll<HTMLInputElement>(
    '[name=amount], :checked:not([checked=checked])',
  )) {
    if (name === 'amount' && value) on.setAmount(value);
    const option = options.find(({ id }) => id === value);
    if (option) on.select(option);
  }
}
