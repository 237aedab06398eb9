import { z } from 'zod';

const minutesOfDay = 1440;
const grammar = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/i;

/**
 * The milliseconds since 1970 of an RFC 3339 timestamp, or `undefined` when the text is not one. A zone is needed;
 * days that the month does not have, hour 24 and offsets over 23:59 are refused. A leap second, which is 23:59:60 in UTC
 * alone, counts as the second after it.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = grammar.exec(text);
  if (match === null) return undefined;
  // Stryker disable next-line StringLiteral: Number('') is 0 as well.
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1) return undefined; // a day too many runs into another month
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  // Stryker disable next-line ArithmeticOperator: Dividing by 1 or -1 equals multiplying by it.
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  const minutes = Number(hour) * 60 + Number(minute) - offset;
  if (Number(second) === 60 && (minutes + 2 * minutesOfDay) % minutesOfDay !== minutesOfDay - 1) return undefined;
  return date.getTime() + (minutes * 60 + Number(second)) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
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
