import { z } from 'zod';

const grammar = /^-?[0-9]{1,40}(?:\.[0-9]{1,40})?$/;

/**
 * An exact decimal number as a string, such as `"1500.00"` (invoice-service.md §2: amounts). It is carried byte
 * for byte and compared by value; it never becomes a float. No sign but `-`, no exponent, no bare dot.
 */
export const decimal = z
  .string()
  .regex(grammar, 'must be a decimal number in a string, such as "100.00"')
  .meta({ id: 'Decimal', description: 'An exact decimal number as a string.', examples: ['1500.00'] });

/** Tells whether a text is a decimal number of the accepted form. */
export function isDecimal(text: string): boolean {
  return grammar.test(text);
}

/** The digits of a decimal without its point, and how many of them are the fraction. */
interface Scaled {
  readonly digits: bigint;
  readonly scale: number;
}

function scaled(text: string): Scaled {
  if (!isDecimal(text)) throw new RangeError(`not a decimal number: ${JSON.stringify(text.slice(0, 50))}`);
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/**
 * The order of two decimals by value: -1, 0 or 1. `"1.50"` equals `"1.5"`.
 * @throws RangeError when either is not a decimal.
 */
export function compareDecimals(left: string, right: string): -1 | 0 | 1 {
  const a = scaled(left);
  const b = scaled(right);
  const scale = Math.max(a.scale, b.scale);
  const difference = a.digits * 10n ** BigInt(scale - a.scale) - b.digits * 10n ** BigInt(scale - b.scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** An inclusive range of amounts (invoice-service.md §2.3, §2.4); a bound that is absent does not limit. */
export interface AmountRange {
  readonly min_amount?: string | undefined;
  readonly max_amount?: string | undefined;
}

/** Tells whether an amount lies within a range, both ends included. */
export function isWithin(amount: string, range: AmountRange): boolean {
  const { min_amount: min, max_amount: max } = range;
  if (min !== undefined && compareDecimals(amount, min) < 0) return false;
  return max === undefined || compareDecimals(amount, max) <= 0;
}

/**
 * A decimal in minor units as an integer string (`"1500.00"` with 2 digits is `"150000"`), or `undefined` when it
 * has a finer fraction than that: nothing is rounded.
 */
export function toMinorUnits(amount: string, fractionDigits: number): string | undefined {
  const { digits, scale } = scaled(amount);
  if (scale <= fractionDigits) return String(digits * 10n ** BigInt(fractionDigits - scale));
  const divisor = 10n ** BigInt(scale - fractionDigits);
  return digits % divisor === 0n ? String(digits / divisor) : undefined;
}

/** The exact sum of `price × quantity` rows as a decimal with at least two fraction digits. */
export function sumOf(rows: readonly { readonly price: string; readonly quantity: number }[]): string {
  const parts = rows.map(({ price, quantity }) => ({ ...scaled(price), quantity: BigInt(quantity) }));
  const scale = Math.max(2, ...parts.map((part) => part.scale));
  const total = parts.reduce((sum, p) => sum + p.digits * p.quantity * 10n ** BigInt(scale - p.scale), 0n);
  const digits = String(total < 0n ? -total : total).padStart(scale + 1, '0');
  return `${total < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
