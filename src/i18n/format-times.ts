import { numberFormat } from './number-format-cache.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** How much of the date precedes a time: nothing, "22 November", or the year too. */
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
 * A point in time as "14:45 GMT+3" or "22 November at 14:45 GMT+3": always with the zone, because it may be read in another
 * one. `time` is RFC 3339; the result is undefined if it is not valid. `timeZone` is by default that of the device.
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
  // Where a browser has no names of months for the language (Chromium for Kazakh), it writes "2026 M11 20". A time and the
  // word before it stay on one line, and a Russian year and its "г.".
  return format
    .format(date)
    .replace(/ (?=г\.|\d+:)/g, '\u00a0')
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

/** The step of a displayed countdown in milliseconds: a second, above an hour a minute, above a day an hour. */
export function countdownStepMs(remainingMs: number): number {
  return remainingMs > day ? hour : remainingMs > hour ? minute : second;
}

/** The package's own languages. Their numbers have Latin digits in every region, so they need no `Intl`. */
const latinDigits = /^(ru|en|kk)\b/;

/**
 * The remaining time as displayed: "14:59", above an hour "1 h 5 min", above a day "2 d 3 h", in the language's digits.
 * Rounded up, and never below 0:00.
 */
export function formatTimeLeft(locale: string, remainingMs: number): string {
  const step = countdownStepMs(remainingMs);
  const whole = Math.max(0, Math.ceil(remainingMs / step) * step);
  const pair = (big: Unit, bigMs: number, small: Unit, smallMs: number): string =>
    `${unit(locale, Math.floor(whole / bigMs), big, 'short')} ${unit(locale, (whole % bigMs) / smallMs, small, 'short')}`;
  if (step === hour) return pair('day', day, 'hour', hour);
  if (step === minute) return pair('hour', hour, 'minute', minute);
  const seconds = (whole / second) % 60;
  const text = `${Math.floor(whole / minute)}:${String(seconds).padStart(2, '0')}`;
  return latinDigits.test(locale) ? text : text.replace(/\d/g, (digit) => numberFormat(locale, {}).format(+digit));
}

/** The remaining time in words, for screen readers: "3 minutes", "30 seconds". */
export function formatSpokenTime(locale: string, remainingMs: number): string {
  const seconds = Math.ceil(remainingMs / second);
  return seconds >= 60
    ? unit(locale, Math.round(seconds / 60), 'minute', 'long')
    : unit(locale, seconds, 'second', 'long');
}
