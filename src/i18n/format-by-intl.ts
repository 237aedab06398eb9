// Amounts and times in every language and currency, by `Intl` where there is no notation of our own.
import { fractionOf } from '../base/decimal.ts';
import { createMoney, findNotation, isNumeric, minutesLeft, ownMoney, symbols, type Money } from './format-numbers.ts';

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

/** Whether `Intl` has to write an amount, because its language or its currency has no notation of our own. */
const needsIntl = (locale: string, amount: string, currency: string | null): amount is `${number}` =>
  isNumeric(amount) && !(findNotation(locale) && (currency === null || symbols.has(currency)));

/** An amount as `Intl` writes it. Throws for a currency or a language that it does not support. */
function intlMoney(locale: string, amount: `${number}`, currency: string | null, brief: boolean): Money {
  const style = currency === null ? {} : ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const);
  const defaultFormat = numberFormat(locale, style);
  const fractionLength = fractionOf(amount).length;
  const fitsDefault = fractionLength <= (defaultFormat.resolvedOptions().minimumFractionDigits ?? 0);
  const exactStyle = { ...style, minimumFractionDigits: fractionLength, maximumFractionDigits: fractionLength };
  const parts = (fitsDefault ? defaultFormat : numberFormat(locale, exactStyle)).formatToParts(amount);
  const texts = parts.map(({ value }) => value);
  const decimalIndex = parts.findIndex(({ type }) => type === 'decimal');
  if (decimalIndex < 0) return createMoney(texts.join(''), '', '');
  const omitsFraction = brief && !/[1-9]/.test(fractionOf(amount));
  const fraction = texts.splice(decimalIndex, 2).join('');
  return createMoney(
    texts.slice(0, decimalIndex).join(''),
    omitsFraction ? '' : fraction,
    texts.slice(decimalIndex).join(''),
  );
}

/**
 * Formats an exact decimal string with its currency (ISO 4217), without rounding and without floats. The result has as many
 * fraction digits as the currency, or as `amount` if that has more; `brief` omits a fraction of zeros. Without a currency
 * there is no symbol. An amount or a currency that `Intl` does not support is returned unformatted.
 */
export function formatMoney(locale: string, amount: string, currency: string | null, brief = false): Money {
  try {
    if (needsIntl(locale, amount, currency)) return intlMoney(locale, amount, currency, brief);
  } catch {
    // The next one shows it unformatted.
  }
  return ownMoney(locale, amount, currency, brief);
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type Unit = 'day' | 'hour' | 'minute' | 'second';

export const formatUnit = (locale: string, count: number, unit: Unit, unitDisplay: 'short' | 'long'): string =>
  numberFormat(locale, { style: 'unit', unit, unitDisplay }).format(count);

/** The package's own languages. Their numbers have Latin digits in every region, so they need no `Intl`. */
const latinDigits = /^(ru|en|kk)\b/;

/**
 * The remaining time as displayed, in the language's digits: "14:59"; above an hour, "1 h 5 min"; above a day, "2 d 3 h". It
 * is rounded up, and never below 0:00.
 */
export function formatTimeLeft(locale: string, remainingMs: number): string {
  const writePair = (largeUnit: Unit, largeMs: number, smallUnit: Unit, smallMs: number): string => {
    const count = Math.ceil(remainingMs / smallMs);
    const inLarge = largeMs / smallMs;
    return `${formatUnit(locale, Math.floor(count / inLarge), largeUnit, 'short')} ${formatUnit(locale, count % inLarge, smallUnit, 'short')}`;
  };
  if (remainingMs > day) return writePair('day', day, 'hour', hour);
  if (remainingMs > hour) return writePair('hour', hour, 'minute', minute);
  const text = minutesLeft(remainingMs);
  return latinDigits.test(locale) ? text : text.replace(/\d/g, (digit) => numberFormat(locale, {}).format(+digit));
}
