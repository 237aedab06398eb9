import { compareDecimals, isWithin, type AmountRange } from '../../service-api.ts';
import { fractionDigitsOf, hasMoreDigits } from '../../base/currency-digits.ts';
import type { CheckoutParams } from '../ports/checkout-store.ts';

// Which amounts and methods an order allows its payer.

/** Whether a decimal has more digits after the point than the currency; zeros at the end do not count. */
export function hasTooManyDigits(amount: string, currency: string | null): boolean {
  return currency !== null && hasMoreDigits(amount, fractionDigitsOf(currency));
}

/** The amount limits of the order, with the member names of the checkout API. */
export function amountRange({ amountLimits }: Pick<CheckoutParams, 'amountLimits'>): AmountRange {
  return { min_amount: amountLimits?.minAmount, max_amount: amountLimits?.maxAmount };
}

/** Whether the order allows an amount that a payer typed. */
export function isAmountAllowed(amount: string, params: CheckoutParams): boolean {
  return compareDecimals(amount, '0') > 0 && isWithin(amount, amountRange(params));
}

/** The members of a payment method by which an order may name it. */
interface Method {
  readonly id: string;
  readonly type: string;
}

/** The place of a method in the list of ids and types of an order; -1: the order may not be paid with it. */
function placeOf({ id, type }: Method, methods: readonly string[]): number {
  return methods.findIndex((name) => name === id || name.toLowerCase() === type.toLowerCase());
}

/** Whether an order may be paid with a method. */
export function isMethodAllowed(method: Method, methods: readonly string[] | null): boolean {
  return methods === null || placeOf(method, methods) !== -1;
}

/** The methods that an order may be paid with, in the order in which it names them. */
export function withMethods<T extends Method>(options: readonly T[], methods: readonly string[] | null): readonly T[] {
  if (methods === null) return options;
  return options
    .filter((option) => isMethodAllowed(option, methods))
    .toSorted((left, right) => placeOf(left, methods) - placeOf(right, methods));
}
