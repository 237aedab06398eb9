/** An amount as written in a language: what stands before, at, and after the decimal sign. */
export interface Money {
  readonly text: string;
  /** Currency before the number, and the whole units. */
  readonly major: string;
  /** The fraction with its sign, and a currency after the number. */
  readonly minor: string;
}

const isNumeric = (text: string): text is `${number}` => /^-?\d+(?:\.\d{1,20})?$/.test(text);

/**
 * An exact decimal string with its currency; nothing is rounded and no float is made. As many fraction digits as the
 * currency has, or as the text has if more; `brief` leaves an empty fraction out. Without a currency no symbol; what `Intl` does not know stays as it came.
 */
export function writeMoney(locale: string, amount: string, currency: string | null, brief = false): Money {
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
    // A currency or a number that Intl refuses is still worth showing.
    const text = currency === null ? amount : `${amount} ${currency}`;
    return { text, major: text, minor: '' };
  }
}

/** An exact amount in the form that bank apps take: no spaces, no empty kopecks, the language's decimal sign. */
export function plainAmount(locale: string, amount: string): string {
  const sign = new Intl.NumberFormat(locale).format(0.5).charAt(1);
  return amount.replace(/\.0+$/, '').replace('.', sign);
}
