import { fractionOf, tryCompareDecimals } from '../base/decimal.ts';
import type { AmountLimits } from '../checkout-api.ts';

/** Why a typed amount is not valid. */
export type AmountFault = 'malformed' | 'too_small' | 'too_large';

/** The result of reading a typed amount: the exact amount, or why it is not valid. */
export interface TypedAmount {
  readonly amount: string | undefined;
  readonly fault: AmountFault | undefined;
}

/** Why an amount is outside the limits; undefined if it is not. The limits are inclusive; an absent limit allows everything. */
export function faultOf(amount: string, limits: AmountLimits | null): AmountFault | undefined {
  const { min_amount: min, max_amount: max } = limits ?? {};
  if (min && tryCompareDecimals(amount, min) === -1) return 'too_small';
  return max && tryCompareDecimals(amount, max) === 1 ? 'too_large' : undefined;
}

/**
 * Reads what a payer typed: a positive decimal within the limits, with a point or a comma, and with spaces anywhere.
 * It may have two fraction digits, or as many as the limits have. "1,500.00" is ambiguous and is malformed.
 */
export function readAmount(typed: string, limits: AmountLimits | null): TypedAmount {
  const match = /^0*(\d{1,18})(?:[.,](\d*))?$/.exec(typed.replace(/\s/g, ''));
  const [, whole, fraction = ''] = match ?? [];
  const maxDigits = Math.max(
    2,
    ...[limits?.min_amount, limits?.max_amount].map((limit) => fractionOf(limit ?? '').length),
  );
  if (!whole || fraction.length > maxDigits) return { amount: undefined, fault: 'malformed' };
  const amount = fraction ? `${whole}.${fraction}` : whole;
  const fault = tryCompareDecimals(amount, '0') === 1 ? faultOf(amount, limits) : 'too_small';
  return { amount: fault ? undefined : amount, fault };
}
