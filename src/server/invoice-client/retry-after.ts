const seconds = /^[0-9]{1,12}$/;
const imfFixdate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The milliseconds since 1970 of an HTTP-date (IMF-fixdate, RFC 9110 §5.6.7), or undefined when it is none. */
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
 * The wait that a `Retry-After` header asks for in milliseconds, from 0 to `maxMs`; undefined when there is none that
 * can be read. An HTTP-date counts from the answer's own `Date`, so that two clocks that differ do no harm.
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
