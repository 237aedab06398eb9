import { fractionOf } from '../base/decimal.ts';
import { numberFormat } from './number-format-cache.ts';

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
  /** The language tags for which `Intl` writes exactly this. Other regions may group digits differently. */
  readonly tags: RegExp;
  readonly group: string;
  readonly decimal: string;
  /** What separates the number from the currency symbol after it; undefined where the symbol comes first. */
  readonly beforeSign?: string;
}

// Nothing uses `Intl` before the first paint, because it takes longer than everything else there. A test compares these
// notations with `Intl`.
const notations: readonly Notation[] = [
  { tags: /^(ru(-(RU|KZ|BY))?|kk(-KZ)?)$/, group: '\u00a0', decimal: ',', beforeSign: '\u00a0' },
  { tags: /^en(-US|-GB)?$/, group: ',', decimal: '.' },
];

/** The symbols of currencies that have two fraction digits, and the same symbol in all these languages. */
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
const usualDigits = 2;

const notationOf = (locale: string): Notation | undefined => notations.find(({ tags }) => tags.test(locale));

const isNumeric = (text: string): text is `${number}` => /^-?\d+(?:\.\d{1,20})?$/.test(text);

const moneyOf = (major: string, minor: string, end: string): Money =>
  minor
    ? { text: major + minor + end, major, minor: minor + end }
    : { text: major + end, major: major + end, minor: '' };

/** An amount in a known notation; `symbol` is empty where there is no currency. */
function writeMoney({ group, decimal, beforeSign }: Notation, amount: string, symbol: string, brief: boolean): Money {
  const whole = amount.replace(/\..*/, '').replace(/^(-?)0+(?=\d)/, '$1');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  const fraction = fractionOf(amount).padEnd(symbol ? usualDigits : 0, '0');
  const minor = brief && !/[1-9]/.test(fraction) ? '' : fraction && decimal + fraction;
  return beforeSign === undefined
    ? moneyOf(grouped.replace(/\d/, `${symbol.replace('$', '$$$$')}$&`), minor, '')
    : moneyOf(grouped, minor, symbol && beforeSign + symbol);
}

/** An amount as `Intl` writes it. Throws for a currency or a language that it does not support. */
function intlMoney(locale: string, amount: `${number}`, currency: string | null, brief: boolean): Money {
  const style = currency === null ? {} : ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const);
  const usual = numberFormat(locale, style);
  const digits = fractionOf(amount).length;
  const isUsual = digits <= (usual.resolvedOptions().minimumFractionDigits ?? 0);
  const more = { ...style, minimumFractionDigits: digits, maximumFractionDigits: digits };
  const parts = (isUsual ? usual : numberFormat(locale, more)).formatToParts(amount);
  const at = parts.findIndex(({ type }) => type === 'decimal');
  const join = (from: number, to?: number): string =>
    parts
      .slice(from, to)
      .map(({ value }) => value)
      .join('');
  if (at < 0) return moneyOf(join(0), '', '');
  const isEmpty = brief && !/[1-9]/.test(fractionOf(amount));
  return moneyOf(join(0, at), isEmpty ? '' : join(at, at + 2), join(at + 2));
}

/**
 * Formats an exact decimal string with its currency (ISO 4217), without rounding and without floats. The result has as many
 * fraction digits as the currency, or as `amount` if that has more; `brief` omits a fraction of zeros. Without a currency
 * there is no symbol. An amount or a currency that `Intl` does not support is returned unformatted.
 */
export function formatMoney(locale: string, amount: string, currency: string | null, brief = false): Money {
  const notation = notationOf(locale);
  const symbol = currency === null ? '' : symbols.get(currency);
  try {
    if (!isNumeric(amount)) throw new RangeError(amount);
    return notation && symbol !== undefined
      ? writeMoney(notation, amount, symbol, brief)
      : intlMoney(locale, amount, currency, brief);
  } catch {
    return moneyOf(currency === null ? amount : `${amount} ${currency}`, '', '');
  }
}

/** An exact amount in the form that bank apps accept: no spaces, no fraction of zeros, the language's decimal separator. */
export function plainAmount(locale: string, amount: string): string {
  const decimal = notationOf(locale)?.decimal ?? numberFormat(locale, {}).format(0.5).charAt(1);
  return amount.replace(/\.0+$/, '').replace('.', decimal);
}
