/** A formatted amount, whole and split at the decimal sign. */
export interface Money {
  readonly text: string;
  /** Currency before the number, and the whole units. */
  readonly major: string;
  /** The fraction with its sign, and a currency after the number. */
  readonly minor: string;
}

const isNumeric = (text: string): text is `${number}` => /^-?\d+(?:\.\d{1,20})?$/.test(text);

/**
 * Formats an exact decimal string with its currency, without rounding and without floats. It has as many fraction digits
 * as the currency, or as the text if that has more; `brief` omits an empty fraction. Without a currency there is no
 * symbol. What `Intl` does not support is returned unformatted.
 */
export function formatMoney(locale: string, amount: string, currency: string | null, brief = false): Money {
  try {
    if (!isNumeric(amount)) throw new RangeError(amount);
    const style = currency === null ? {} : ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const);
    const usual = new Intl.NumberFormat(locale, style).resolvedOptions().minimumFractionDigits ?? 0;
    const digits = Math.max(usual, amount.split('.')[1]?.length ?? 0);
    const format = new Intl.NumberFormat(locale, {
      ...style,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      trailingZeroDisplay: brief ? 'stripIfInteger' : 'auto',
    });
    const parts = format.formatToParts(amount);
    const at = parts.findIndex(({ type }) => type === 'decimal');
    const join = (from: number, to?: number): string =>
      parts
        .slice(from, to)
        .map(({ value }) => value)
        .join('');
    return at < 0
      ? { text: join(0), major: join(0), minor: '' }
      : { text: join(0), major: join(0, at), minor: join(at) };
  } catch {
    // A currency or a number that Intl rejects is shown unformatted.
    const text = currency === null ? amount : `${amount} ${currency}`;
    return { text, major: text, minor: '' };
  }
}

/** An exact amount in the form that bank apps take: no spaces, no empty kopecks, the language's decimal sign. */
export function plainAmount(locale: string, amount: string): string {
  const sign = new Intl.NumberFormat(locale).format(0.5).charAt(1);
  return amount.replace(/\.0+$/, '').replace('.', sign);
}
