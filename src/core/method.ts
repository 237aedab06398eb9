import type { PaymentOption } from '../protocol.ts';
import { faultOf } from './amount.ts';

/** Whether a payment method can be used for an amount; with the amount not known yet, only whether it is available. */
export function isUsable(option: PaymentOption, amount: string | undefined): boolean {
  return option.available && !(amount && faultOf(amount, option.limits));
}

/** The method to mark before the payer has chosen: the preferred one (by id or type), else the first that can be used. */
export function preselect(
  options: readonly PaymentOption[],
  amount: string | undefined,
  preferred: string | undefined,
): PaymentOption | undefined {
  const usable = options.filter((option) => isUsable(option, amount));
  const wanted = preferred?.toLowerCase();
  return usable.find(({ id, type }) => id.toLowerCase() === wanted || type.toLowerCase() === wanted) ?? usable[0];
}
