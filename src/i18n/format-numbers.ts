import { fractionOf } from '../base/decimal.ts';

/** A formatted amount, as a whole and split before the decimal separator. */
export interface Money {
  readonly text: string;
  /** The whole units, with a currency symbol that comes first. */
  readonly major: string;
  /** The decimal separator and the fraction, with a currency symbol that comes last. */
  readonly minor: string;
}

/** How a language writes amounts. */
interface Notation {
  /** The language tags for which `Intl` uses this notation. Other regions may group digits differently. */
  readonly tags: RegExp;
  readonly group: string;
  readonly decimal: string;
  /** What separates the number from the currency symbol after it; undefined where the symbol comes first. */
  readonly beforeSign?: string;
}

// Before the first paint, these notations replace `Intl`, whose first use takes longer than the rest of the first render. A
// test compares them with `Intl`, which the second file has for all others: format-by-intl.ts.
const notations: readonly Notation[] = [
  { tags: /^(ru(-(RU|KZ|BY))?|kk(-KZ)?)$/, group: '\u00a0', decimal: ',', beforeSign: '\u00a0' },
  { tags: /^en(-US|-GB)?$/, group: ',', decimal: '.' },
];

/** The symbols of the currencies that have two fraction digits, and the same symbol in all languages of `notations`. */
export const symbols = new Map([
  ['RUB', '₽'],
  ['USD', '$'],
  ['EUR', '€'],
  ['GBP', '£'],
  ['KZT', '₸'],
  ['UAH', '₴'],
  ['CNY', '¥'],
  ['TRY', '₺'],
  ['AMD', '֏'],
  ['AZN', '₼'],
]);
const fractionDigits = 2;

export const findNotation = (locale: string): Notation | undefined => notations.find(({ tags }) => tags.test(locale));

export const isNumeric = (text: string): text is `${number}` => /^-?\d+(?:\.\d{1,20})?$/.test(text);

export const createMoney = (major: string, minor: string, suffix: string): Money =>
  minor
    ? { text: major + minor + suffix, major, minor: minor + suffix }
    : { text: major + suffix, major: major + suffix, minor: '' };

/** An amount in a known notation; `symbol` is empty where there is no currency. */
function writeMoney({ group, decimal, beforeSign }: Notation, amount: string, symbol: string, brief: boolean): Money {
  const whole = amount.replace(/\..*/, '').replace(/^(-?)0+(?=\d)/, '$1');
  const groupedWhole = whole.replace(/\B(?=(\d{3}){1,13}$)/g, group);
  const fraction = fractionOf(amount).padEnd(symbol ? fractionDigits : 0, '0');
  const minor = brief && !/[1-9]/.test(fraction) ? '' : fraction && decimal + fraction;
  return beforeSign === undefined
    ? createMoney(groupedWhole.replace(/\d/, `${symbol.replace('$', '$$$$')}$&`), minor, '')
    : createMoney(groupedWhole, minor, symbol && beforeSign + symbol);
}

/** `formatMoney` without `Intl`: an amount in an unknown notation is returned unformatted. */
export function ownMoney(locale: string, amount: string, currency: string | null, brief = false): Money {
  const notation = findNotation(locale);
  const symbol = currency === null ? '' : symbols.get(currency);
  return notation && symbol !== undefined && isNumeric(amount)
    ? writeMoney(notation, amount, symbol, brief)
    : createMoney(currency === null ? amount : `${amount} ${currency}`, '', '');
}

const second = 1000;
const minute = 60 * second;
export const hour = 60 * minute;
const day = 24 * hour;

/** The step of a displayed countdown in milliseconds: a second, above an hour a minute, above a day an hour. */
export function countdownStepMs(remainingMs: number): number {
  return remainingMs > day ? hour : remainingMs > hour ? minute : second;
}

/** The remaining time as "14:59", rounded up to a step of the countdown, and never below 0:00. */
export function minutesLeft(remainingMs: number): string {
  const secondsLeft = Math.max(0, Math.ceil(remainingMs / second));
  return `${Math.floor(secondsLeft / 60)}:${String(secondsLeft % 60).padStart(2, '0')}`;
}
