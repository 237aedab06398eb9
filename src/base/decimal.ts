// Exact decimal numbers as strings. They are computed with BigInt and never become floats.

/** A decimal number: an optional `-`, at most 40 digits on each side of the point, no exponent. */
export const decimalPattern = /^-?[0-9]{1,40}(?:\.[0-9]{1,40})?$/;

/** The digits after the point; `''` where there is no point. */
export const fractionOf = (text: string): string => text.split('.')[1] ?? '';

/** One text for all notations of a number: `300`, `300.0` and `0300.00` are `300`. */
export const canonicalDecimal = (text: string): string =>
  text
    .replace(/^(-?)0+(?=[0-9])/, '$1')
    .replace(/\.(?:([0-9]*[1-9])0*|0*)$/, (_, digits?: string) => (digits ? `.${digits}` : ''));

/** Compares two decimals by value: -1, 0 or 1, or `undefined` when either is not a decimal. `"1.50"` equals `"1.5"`. */
export function tryCompareDecimals(left: string, right: string): -1 | 0 | 1 | undefined {
  if (!decimalPattern.test(left) || !decimalPattern.test(right)) return undefined;
  const scale = Math.max(fractionOf(left).length, fractionOf(right).length);
  const scaled = (text: string): bigint => BigInt(text.replace('.', '') + '0'.repeat(scale - fractionOf(text).length));
  const difference = scaled(left) - scaled(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Whether a text matches `decimalPattern`. */
export function isDecimal(text: string): boolean {
  return decimalPattern.test(text);
}

function requireDecimal(text: string): string {
  if (!isDecimal(text)) throw new RangeError(`not a decimal number: ${JSON.stringify(text.slice(0, 50))}`);
  return text;
}

/**
 * Compares two decimals by value: -1, 0 or 1. `"1.50"` equals `"1.5"`.
 * @throws RangeError when either is not a decimal.
 */
export function compareDecimals(left: string, right: string): -1 | 0 | 1 {
  return tryCompareDecimals(requireDecimal(left), requireDecimal(right)) ?? 0;
}

/** An inclusive range of amounts (invoice-service.md §2.3, §2.4). An absent bound is no limit. */
export interface AmountRange {
  readonly min_amount?: string | undefined;
  readonly max_amount?: string | undefined;
}

/**
 * Whether an amount lies within a range. The bounds belong to the range.
 * @throws RangeError when the amount or a bound is not a decimal.
 */
export function isWithin(amount: string, range: AmountRange): boolean {
  const { min_amount: min, max_amount: max } = range;
  if (min !== undefined && compareDecimals(amount, min) < 0) return false;
  return max === undefined || compareDecimals(amount, max) <= 0;
}

/** A decimal's digits without the point, and the number of digits after the point. */
function digitsAndScaleOf(text: string): { readonly digits: bigint; readonly scale: number } {
  return { digits: BigInt(requireDecimal(text).replace('.', '')), scale: fractionOf(text).length };
}

/**
 * Converts a decimal to minor units, as an integer string: `"1500.00"` with 2 fraction digits is `"150000"`. Nothing is
 * rounded: returns `undefined` for a fraction of a minor unit.
 * @throws RangeError when the amount is not a decimal.
 */
export function toMinorUnits(amount: string, fractionDigits: number): string | undefined {
  const { digits, scale } = digitsAndScaleOf(amount);
  if (scale <= fractionDigits) return String(digits * 10n ** BigInt(fractionDigits - scale));
  const divisor = 10n ** BigInt(scale - fractionDigits);
  return digits % divisor === 0n ? String(digits / divisor) : undefined;
}

/**
 * The exact sum of `price × quantity` rows as a decimal with at least two fraction digits.
 * @throws RangeError when a price is not a decimal or a quantity is not an integer.
 */
export function sumOf(rows: readonly { readonly price: string; readonly quantity: number }[]): string {
  const scaledRows = rows.map(({ price, quantity }) => ({ ...digitsAndScaleOf(price), quantity: BigInt(quantity) }));
  const scale = Math.max(2, ...scaledRows.map((row) => row.scale));
  const total = scaledRows.reduce((sum, row) => sum + row.digits * row.quantity * 10n ** BigInt(scale - row.scale), 0n);
  const digits = String(total < 0n ? -total : total).padStart(scale + 1, '0');
  return `${total < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
