import { z } from 'zod';
import { decimalPattern } from '../base/decimal.ts';

/**
 * An exact decimal number as a string, such as `"1500.00"` (invoice-service.md §2: amounts). The text is kept unchanged and
 * compared by value; it never becomes a float. The only sign is `-`. Exponents are invalid.
 */
export const decimal = z
  .string()
  .regex(decimalPattern, 'must be a decimal number in a string, such as "100.00"')
  .meta({ id: 'Decimal', description: 'An exact decimal number as a string.', examples: ['1500.00'] });

const durationGrammar = /^(-?)([0-9]{1,12})(?:\.([0-9]{1,9}))?s$/;
const maxSeconds = 315_576_000_000;

/**
 * The milliseconds of a protobuf Duration in its JSON form (`"4s"`, `"0.250s"`), or `undefined` when the text is not valid. A
 * valid text has no space, no other unit, at most nine fraction digits, and is within ±315,576,000,000 s. The result may have a
 * fraction.
 */
export function parseDuration(text: string): number | undefined {
  const match = durationGrammar.exec(text);
  if (match === null) return undefined;
  const [, sign, seconds, fraction = ''] = match;
  const ms = Number(seconds) * 1000 + Number(fraction.padEnd(9, '0')) / 1e6;
  if (ms > maxSeconds * 1000) return undefined;
  return sign === '-' && ms > 0 ? -ms : ms;
}

/** Milliseconds as a protobuf Duration, with 0, 3, 6 or 9 fraction digits as protobuf writes them. */
export function formatDuration(ms: number): string {
  const size = Math.abs(ms);
  const whole = Math.trunc(size); // Apart from the fraction: a float cannot hold a long duration in nanoseconds.
  const nanos = BigInt(whole) * 1_000_000n + BigInt(Math.round((size - whole) * 1e6));
  const fraction = String(nanos % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/(?:000){1,3}$/, '');
  return `${ms < 0 && nanos > 0n ? '-' : ''}${String(nanos / 1_000_000_000n)}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** A protobuf Duration as a string (invoice-service.md §4.1, `qr.timeout`). */
export const duration = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, 'must be a duration such as "4s"')
  .meta({ id: 'Duration', description: 'A protobuf Duration in its JSON form.', examples: ['4s'] });

const minutesOfDay = 1440;
const timestampGrammar = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/i;

/**
 * The milliseconds since 1970 of an RFC 3339 timestamp, or `undefined` when the text is not valid. A zone is required. Days
 * that the month does not have, hour 24 and offsets over 23:59 are invalid. A leap second is valid only at 23:59:60 UTC, and
 * counts as the second after it.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = timestampGrammar.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1) return undefined; // The month has no such day.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  const minutes = Number(hour) * 60 + Number(minute) - offset;
  if (Number(second) === 60 && (minutes + 2 * minutesOfDay) % minutesOfDay !== minutesOfDay - 1) return undefined;
  return date.getTime() + (minutes * 60 + Number(second)) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/**
 * The milliseconds since 1970 of a timestamp of the invoice service, which may also write its offset as `+0300` or `+03`
 * (ISO 8601; invoice-service.md §2). `undefined` for any other text, such as a time without a zone.
 */
export function parseServiceTimestamp(text: string): number | undefined {
  return parseTimestamp(
    text.replace(/^(.{11,40}[+-]\d\d)(\d\d)?$/, (_, start: string, minutes = '00') => `${start}:${minutes}`),
  );
}

/** Milliseconds since 1970 as an RFC 3339 timestamp in UTC. */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** An RFC 3339 timestamp as a string (invoice-service.md §2). */
export const timestamp = z
  .string()
  .refine((text) => parseTimestamp(text) !== undefined, 'must be an RFC 3339 timestamp')
  .meta({ id: 'Timestamp', description: 'An RFC 3339 timestamp.', examples: ['2026-11-20T10:00:00.000Z'] });

/**
 * Removes a deadline that is before the request for the invoice, such as the zero of a date type, or a local time that is
 * marked as UTC. An invoice without a deadline has no countdown and does not expire by time.
 * @param now - the time by the clock that its deadline is compared with
 * @param ageMs - how long ago the invoice was requested; negative when a clock was set back since
 */
export function withoutImpossibleDeadline<T extends { readonly expires_at?: string | undefined }>(
  invoice: T,
  now: number,
  ageMs: number,
): T {
  const deadline = invoice.expires_at === undefined ? undefined : parseServiceTimestamp(invoice.expires_at);
  return deadline === undefined || deadline > now - Math.max(0, ageMs)
    ? invoice
    : { ...invoice, expires_at: undefined };
}
