const seconds = /^[0-9]{1,12}$/;
const imfFixdate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The milliseconds since 1970 of an HTTP-date (IMF-fixdate, RFC 9110 §5.6.7), or undefined for another text. */
export function parseHttpDate(text: string): number | undefined {
  const match = imfFixdate.exec(text);
  if (match === null) return undefined;
  // Stryker disable next-line StringLiteral: Every match has a month. The default narrows the type.
  const [, day, month = '', year, hour, minute, second] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const at = Date.UTC(Number(year), months.indexOf(month), Number(day), Number(hour), Number(minute), Number(second));
  return new Date(Date.UTC(Number(year), months.indexOf(month), Number(day))).getUTCDate() === Number(day)
    ? at
    : undefined;
}

/**
 * The wait of a `Retry-After` header in milliseconds, from 0 to `maxMs`; undefined when the header is missing or
 * malformed. An HTTP-date is relative to the response's `Date`, so that a difference of the clocks does not matter.
 */
export function readRetryAfter(headers: Headers, now: number, maxMs: number): number | undefined {
  // Stryker disable next-line MethodExpression: The platform's Headers trim values; other implementations may not.
  const value = headers.get('retry-after')?.trim();
  // Stryker disable next-line ConditionalExpression: The text "undefined" is neither seconds nor a date, so the result is undefined as well.
  if (value === undefined) return undefined;
  if (seconds.test(value)) return Math.min(maxMs, Number(value) * 1000);
  const at = parseHttpDate(value);
  if (at === undefined) return undefined;
  // Stryker disable next-line StringLiteral: Every text that is not a date has the same result.
  return Math.min(maxMs, Math.max(0, at - (parseHttpDate(headers.get('date') ?? '') ?? now)));
}
