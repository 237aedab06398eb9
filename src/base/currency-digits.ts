import { fractionOf } from './decimal.ts';

// A list, and not `Intl`: engines differ (HUF has two digits in one and none in another), and the page and its server must agree.
const withoutFraction = /^(?:BIF|CLP|DJF|GNF|ISK|JPY|KMF|KRW|PYG|RWF|UGX|VND|VUV|XAF|XOF|XPF)$/;
const withThreeDigits = /^(?:BHD|IQD|JOD|KWD|LYD|OMR|TND)$/;

/** How many digits an amount of a currency may have after the point, by ISO 4217, without its codes of funds. Two where it is none. */
export const fractionDigitsOf = (currency: string): number =>
  withoutFraction.test(currency) ? 0 : withThreeDigits.test(currency) ? 3 : 2;

/** Whether a decimal has more than this many digits after the point. Zeros at its end do not count. */
export const hasMoreDigits = (amount: string, digits: number): boolean =>
  /[1-9]/.test(fractionOf(amount).slice(digits));
