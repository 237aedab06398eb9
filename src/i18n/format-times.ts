import { numberFormat } from './number-formats.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** How much of the date stands before a time: nothing, "22 November", or the year too. */
export type MomentDate = 'none' | 'day' | 'year';

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/**
 * A time of the device's zone as `Intl` writes it in Russian, without `Intl`: its first use takes tens of milliseconds on a
 * phone, and the QR code is painted after this text is written.
 */
function russianTime(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const minutes = Math.abs(offset) % 60;
  const zone = `GMT${offset < 0 ? '-' : '+'}${Math.floor(Math.abs(offset) / 60)}${minutes ? `:${minutes}` : ''}`;
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())} ${offset ? zone : 'UTC'}`;
}

/**
 * A point in time as "14:45 GMT+3" or "22 November at 14:45 GMT+3": always with the zone, so that it is true wherever it
 * is read. `time` is RFC 3339; undefined for one that is not valid. `timeZone` is the device's by default.
 */
export function formatMoment(
  locale: string,
  time: string,
  dated: MomentDate,
  timeZone: string | undefined,
): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return undefined;
  if (dated === 'none' && timeZone === undefined && /^ru\b/.test(locale)) return russianTime(date);
  const key = `${locale} ${dated} ${timeZone ?? ''}`;
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(locale, {
      ...(dated !== 'none' && { day: 'numeric', month: 'long' }),
      ...(dated === 'year' && { year: 'numeric' }),
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
      ...(timeZone !== undefined && { timeZone }),
    });
  formats.set(key, format);
  // Where a browser has no names of months for the language (Chromium for Kazakh), it writes "2026 M11 20". A Russian year
  // and its "г." stay on one line.
  return format
    .format(date)
    .replace(' г.', '\u00a0г.')
    .replace(/(\d+) M(\d+) (\d+)/, '$3.$2.$1')
    .replace(/M(\d+) (\d+)/, '$2.$1');
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

type Unit = 'day' | 'hour' | 'minute' | 'second';

const unit = (locale: string, count: number, name: Unit, unitDisplay: 'short' | 'long'): string =>
  numberFormat(locale, { style: 'unit', unit: name, unitDisplay }).format(count);

/** How often the displayed time changes, in milliseconds: it counts whole seconds, minutes or hours. */
export function stepOf(remainingMs: number): number {
  return remainingMs > day ? hour : remainingMs > hour ? minute : second;
}

/** Languages with a catalogue inside, whose numbers have Latin digits in every region: they need no `Intl`. */
const latinDigits = /^(ru|en|kk)\b/;

/**
 * A time left as displayed: "14:59", "1 h 5 min" from an hour, "2 d 3 h" from a day, in the language's digits. Rounded up,
 * never below 0:00.
 */
export function formatTimeLeft(locale: string, remainingMs: number): string {
  const step = stepOf(remainingMs);
  const whole = Math.max(0, Math.ceil(remainingMs / step) * step);
  const pair = (big: Unit, bigMs: number, small: Unit, smallMs: number): string =>
    `${unit(locale, Math.floor(whole / bigMs), big, 'short')} ${unit(locale, (whole % bigMs) / smallMs, small, 'short')}`;
  if (step === hour) return pair('day', day, 'hour', hour);
  if (step === minute) return pair('hour', hour, 'minute', minute);
  const seconds = (whole / second) % 60;
  const text = `${Math.floor(whole / minute)}:${String(seconds).padStart(2, '0')}`;
  return latinDigits.test(locale) ? text : text.replace(/\d/g, (digit) => numberFormat(locale, {}).format(+digit));
}

/** A time left in words, for screen readers: "3 minutes", "30 seconds". `remainingMs` is in milliseconds. */
export function formatSpokenTime(locale: string, remainingMs: number): string {
  const seconds = Math.ceil(remainingMs / second);
  return seconds >= 60
    ? unit(locale, Math.round(seconds / 60), 'minute', 'long')
    : unit(locale, seconds, 'second', 'long');
}
