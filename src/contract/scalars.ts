import { z } from 'zod';

const grammar = /^(-?)([0-9]{1,12})(?:\.([0-9]{1,9}))?s$/;
const maxSeconds = 315_576_000_000;

/**
 * The milliseconds of a protobuf Duration in its JSON form (`"4s"`, `"0.250s"`), or `undefined` when the text is
 * not one: no space, no other unit, at most nine fraction digits, within ±315,576,000,000 s. Finer fractions than
 * a millisecond are kept as a fraction of the number.
 */
export function parseDuration(text: string): number | undefined {
  const match = grammar.exec(text);
  if (match === null) return undefined;
  const [, sign, seconds, fraction = ''] = match;
  const ms = Number(seconds) * 1000 + Number(fraction.padEnd(9, '0')) / 1e6;
  if (ms > maxSeconds * 1000) return undefined;
  return sign === '-' && ms > 0 ? -ms : ms;
}

/** Milliseconds as a protobuf Duration, with 0, 3, 6 or 9 fraction digits as protobuf writes them. */
export function formatDuration(ms: number): string {
  const size = Math.abs(ms);
  const whole = Math.trunc(size); // apart from its fraction: a long time in nanoseconds is beyond a float
  const nanos = BigInt(whole) * 1_000_000n + BigInt(Math.round((size - whole) * 1e6));
  const fraction = String(nanos % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/(?:000){1,3}$/, '');
  // Stryker disable next-line EqualityOperator: 0 ms has no nanoseconds and no sign.
  return `${ms < 0 && nanos > 0n ? '-' : ''}${String(nanos / 1_000_000_000n)}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** A protobuf Duration as a string (invoice-service.md §4.1, `qr.timeout`). */
export const duration = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, 'must be a duration such as "4s"')
  .meta({ id: 'Duration', description: 'A protobuf Duration in its JSON form.', examples: ['4s'] });
