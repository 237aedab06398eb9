import { numberFormat } from './number-formats.ts';

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

/** A time left as displayed: "14:59", "1 h 5 min" from an hour, "2 d 3 h" from a day. Rounded up, never below 0:00. */
export function formatTimeLeft(locale: string, remainingMs: number): string {
  const step = stepOf(remainingMs);
  const whole = Math.max(0, Math.ceil(remainingMs / step) * step);
  const pair = (big: Unit, bigMs: number, small: Unit, smallMs: number): string =>
    `${unit(locale, Math.floor(whole / bigMs), big, 'short')} ${unit(locale, (whole % bigMs) / smallMs, small, 'short')}`;
  if (step === hour) return pair('day', day, 'hour', hour);
  if (step === minute) return pair('hour', hour, 'minute', minute);
  const seconds = (whole / second) % 60;
  return `${Math.floor(whole / minute)}:${String(seconds).padStart(2, '0')}`;
}

/** A time left in words, for screen readers: "3 minutes", "30 seconds". `remainingMs` is in milliseconds. */
export function formatSpokenTime(locale: string, remainingMs: number): string {
  const seconds = Math.ceil(remainingMs / second);
  return seconds >= 60
    ? unit(locale, Math.round(seconds / 60), 'minute', 'long')
    : unit(locale, seconds, 'second', 'long');
}
