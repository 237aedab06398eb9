import { numberFormat } from './number-formats.ts';

/** A formatted amount, whole and split at the decimal sign. */
export interface Money {
  readonly text: string;
  /** Currency before the number, and the whole units. */
  readonly major: string;
  /** The fraction with its sign, and a currency after the number. */
  readonly minor: string;
}

/** How a language writes amounts. */
interface Notation {
  /** The tags of the language for which this is exactly what `Intl` writes; other regions may group differently. */
  readonly tags: RegExp;
  readonly group: string;
  readonly decimal: string;
  /** What stands between the number and the currency's sign after it; undefined where the sign comes first. */
  readonly beforeSign?: string;
}

// Before the first paint nothing uses `Intl`: it takes longer than everything else there. A test holds these against it.
const notations: readonly Notation[] = [
  { tags: /^(ru(-(RU|KZ|BY))?|kk(-KZ)?)$/, group: '\u00a0', decimal: ',', beforeSign: '\u00a0' },
  { tags: /^en(-US|-GB)?$/, group: ',', decimal: '.' },
];

/** Currencies with two fraction digits and the same sign in all these languages. */
const signs = new Map([
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

const fractionOf = (amount: string): string => amount.split('.')[1] ?? '';

const moneyOf = (major: string, minor: string, end: string): Money =>
  minor
    ? { text: major + minor + end, major, minor: minor + end }
    : { text: major + end, major: major + end, minor: '' };

/** An amount in a known notation; `sign` is empty where there is no currency. */
function writeMoney({ group, decimal, beforeSign }: Notation, amount: string, sign: string, brief: boolean): Money {
  const whole = amount.replace(/\..*/, '').replace(/^(-?)0+(?=\d)/, '$1');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  const fraction = fractionOf(amount).padEnd(sign ? usualDigits : 0, '0');
  const minor = brief && !/[1-9]/.test(fraction) ? '' : fraction && decimal + fraction;
  return beforeSign === undefined
    ? moneyOf(grouped.replace(/\d/, `${sign.replace('$', '$$$$')}$&`), minor, '')
    : moneyOf(grouped, minor, sign && beforeSign + sign);
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
 * Formats an exact decimal string with its currency, without rounding and without floats. It has as many fraction digits
 * as the currency, or as the text if that has more; `brief` omits an empty fraction. Without a currency there is no
 * symbol. What `Intl` does not support is returned unformatted.
 */
export function formatMoney(locale: string, amount: string, currency: string | null, brief = false): Money {
  const notation = notationOf(locale);
  const sign = currency === null ? '' : signs.get(currency);
  try {
    if (!isNumeric(amount)) throw new RangeError(amount);
    return notation && sign !== undefined
      ? writeMoney(notation, amount, sign, brief)
      : intlMoney(locale, amount, currency, brief);
  } catch {
    // A currency or a number that Intl rejects is shown unformatted.
    return moneyOf(currency === null ? amount : `${amount} ${currency}`, '', '');
  }
}

/** An exact amount in the form that bank apps take: no spaces, no empty kopecks, the language's decimal sign. */
export function plainAmount(locale: string, amount: string): string {
  const decimal = notationOf(locale)?.decimal ?? numberFormat(locale, {}).format(0.5).charAt(1);
  return amount.replace(/\.0+$/, '').replace('.', decimal);
}
