import type { CheckoutRecord, MerchantAction } from '../ports/checkout-store.ts';

/** How many actions of a checkout are kept. */
const maxActions = 100;

/** The checkout with one more action of the merchant. */
export function withAction(
  record: CheckoutRecord,
  at: number,
  action: MerchantAction['action'],
  target: string | null = null,
): CheckoutRecord {
  return { ...record, actions: [...record.actions, { at, action, target }].slice(-maxActions) };
}
