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
