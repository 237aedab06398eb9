import { formatUnit } from './format-countdown.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** How much of the date precedes a time: nothing, the day ("22 November"), or the day and the year. */
export type MomentDate = 'none' | 'day' | 'year';

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/**
 * A time in the device's zone, written as `Intl` writes it in Russian. It does not use `Intl`, whose first use takes tens of
 * milliseconds on a phone and would delay the QR code.
 */
function russianTime(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const minutes = Math.abs(offset) % 60;
  const zone = `GMT${offset < 0 ? '-' : '+'}${Math.floor(Math.abs(offset) / 60)}${minutes ? `:${minutes}` : ''}`;
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())} ${offset ? zone : 'UTC'}`;
}

/**
 * A point in time as "14:45 GMT+3" or "22 November at 14:45 GMT+3". The zone is always given, because the reader may be in
 * another zone. `time` is RFC 3339; the result is undefined if it is not valid. `timeZone` is by default the device's.
 */
export function formatMoment(
  locale: string,
  time: string,
  datePart: MomentDate,
  timeZone: string | undefined,
): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return undefined;
  if (datePart === 'none' && timeZone === undefined && /^ru\b/.test(locale)) return russianTime(date);
  const key = `${locale} ${datePart} ${timeZone ?? ''}`;
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(locale, {
      ...(datePart !== 'none' && { day: 'numeric', month: 'long' }),
      ...(datePart === 'year' && { year: 'numeric' }),
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
      ...(timeZone !== undefined && { timeZone }),
    });
  formats.set(key, format);
  // Where a browser has no names of months for the language (Chromium for Kazakh), it writes "2026 M11 20". No-break spaces
  // keep a time on one line with the word before it, and "г." on one line with its year.
  return format
    .format(date)
    .replace(/ (?=г\.|\d+:)/g, '\u00a0')
    .replace(/(\d+) M(\d+) (\d+)/, '$3.$2.$1')
    .replace(/M(\d+) (\d+)/, '$2.$1');
}

/** The remaining time in words, for screen readers: "3 minutes", "30 seconds". */
export function formatSpokenTime(locale: string, remainingMs: number): string {
  const seconds = Math.ceil(remainingMs / 1000);
  return seconds >= 60
    ? formatUnit(locale, Math.round(seconds / 60), 'minute', 'long')
    : formatUnit(locale, seconds, 'second', 'long');
}
