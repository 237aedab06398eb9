import { fractionOf } from '../base/decimal.ts';

const formats = new Map<string, Intl.NumberFormat>();

/**
 * The `Intl.NumberFormat` for a language and options, cached because constructing one is slow: the first one of a page loads
 * the language's data, which takes tens of milliseconds on a phone. Throws a RangeError for what `Intl` does not support.
 */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify([locale, options]);
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format;
}

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
// test compares them with `Intl`.
const notations: readonly Notation[] = [
  { tags: /^(ru(-(RU|KZ|BY))?|kk(-KZ)?)$/, group: '\u00a0', decimal: ',', beforeSign: '\u00a0' },
  { tags: /^en(-US|-GB)?$/, group: ',', decimal: '.' },
];

/** The symbols of the currencies that have two fraction digits, and the same symbol in all languages of `notations`. */
const symbols = new Map([
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

const isNumeric = (text: string): text is `${number}` => /^-?\d+(?:\.\d{1,20})?$/.test(text);

const createMoney = (major: string, minor: string, suffix: string): Money =>
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

/** An amount as `Intl` writes it. Throws for a currency or a language that it does not support. */
function intlMoney(locale: string, amount: `${number}`, currency: string | null, brief: boolean): Money {
  const style = currency === null ? {} : ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const);
  const defaultFormat = numberFormat(locale, style);
  const fractionLength = fractionOf(amount).length;
  const fitsDefault = fractionLength <= (defaultFormat.resolvedOptions().minimumFractionDigits ?? 0);
  const exactStyle = { ...style, minimumFractionDigits: fractionLength, maximumFractionDigits: fractionLength };
  const parts = (fitsDefault ? defaultFormat : numberFormat(locale, exactStyle)).formatToParts(amount);
  const decimalIndex = parts.findIndex(({ type }) => type === 'decimal');
  const joinParts = (from: number, to?: number): string =>
    parts
      .slice(from, to)
      .map(({ value }) => value)
      .join('');
  if (decimalIndex < 0) return createMoney(joinParts(0), '', '');
  const omitsFraction = brief && !/[1-9]/.test(fractionOf(amount));
  return createMoney(
    joinParts(0, decimalIndex),
    omitsFraction ? '' : joinParts(decimalIndex, decimalIndex + 2),
    joinParts(decimalIndex + 2),
  );
}

/**
 * Formats an exact decimal string with its currency (ISO 4217), without rounding and without floats. The result has as many
 * fraction digits as the currency, or as `amount` if that has more; `brief` omits a fraction of zeros. Without a currency
 * there is no symbol. An amount or a currency that `Intl` does not support is returned unformatted.
 */
export function formatMoney(locale: string, amount: string, currency: string | null, brief = false): Money {
  const notation = findNotation(locale);
  const symbol = currency === null ? '' : symbols.get(currency);
  try {
    if (!isNumeric(amount)) throw new RangeError(amount);
    return notation && symbol !== undefined
      ? writeMoney(notation, amount, symbol, brief)
      : intlMoney(locale, amount, currency, brief);
  } catch {
    return createMoney(currency === null ? amount : `${amount} ${currency}`, '', '');
  }
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

type Unit = 'day' | 'hour' | 'minute' | 'second';

export const formatUnit = (locale: string, count: number, unit: Unit, unitDisplay: 'short' | 'long'): string =>
  numberFormat(locale, { style: 'unit', unit, unitDisplay }).format(count);

/** The step of a displayed countdown in milliseconds: a second, above an hour a minute, above a day an hour. */
export function countdownStepMs(remainingMs: number): number {
  return remainingMs > day ? hour : remainingMs > hour ? minute : second;
}

/** The package's own languages. Their numbers have Latin digits in every region, so they need no `Intl`. */
const latinDigits = /^(ru|en|kk)\b/;

/**
 * The remaining time as displayed, in the language's digits: "14:59"; above an hour, "1 h 5 min"; above a day, "2 d 3 h". It
 * is rounded up, and never below 0:00.
 */
export function formatTimeLeft(locale: string, remainingMs: number): string {
  const stepMs = countdownStepMs(remainingMs);
  const roundedMs = Math.max(0, Math.ceil(remainingMs / stepMs) * stepMs);
  const formatPair = (largeUnit: Unit, largeMs: number, smallUnit: Unit, smallMs: number): string =>
    `${formatUnit(locale, Math.floor(roundedMs / largeMs), largeUnit, 'short')} ${formatUnit(locale, (roundedMs % largeMs) / smallMs, smallUnit, 'short')}`;
  if (stepMs === hour) return formatPair('day', day, 'hour', hour);
  if (stepMs === minute) return formatPair('hour', hour, 'minute', minute);
  const seconds = (roundedMs / second) % 60;
  const text = `${Math.floor(roundedMs / minute)}:${String(seconds).padStart(2, '0')}`;
  return latinDigits.test(locale) ? text : text.replace(/\d/g, (digit) => numberFormat(locale, {}).format(+digit));
}
