import { numberFormat } from './number-format-cache.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

type Unit = 'day' | 'hour' | 'minute' | 'second';

export const formatUnit = (locale: string, count: number, unit: Unit, unitDisplay: 'short' | 'long'): string =>
  numberFormat(locale, { style: 'unit', unit, unitDisplay }).format(count);

/** The step of a displayed countdown in milliseconds: a second, above an hour a minute, above a day an hour. */
export function countdownStepMs(remainingMs: number): number {
  return remainingMs > day ? hour : remainingMs > hour ? minute : second;
}

/** The package's own languages. Their numbers have Latin digits in every region, so they need no `Intl`. */
const latinDigits = /^(ru|en|kk)\b/;

/**
 * The remaining time as displayed, in the language's digits: "14:59"; above an hour, "1 h 5 min"; above a day, "2 d 3 h". It
 * is rounded up, and never below 0:00.
 */
export function formatTimeLeft(locale: string, remainingMs: number): string {
  const stepMs = countdownStepMs(remainingMs);
  const roundedMs = Math.max(0, Math.ceil(remainingMs / stepMs) * stepMs);
  const formatPair = (largeUnit: Unit, largeMs: number, smallUnit: Unit, smallMs: number): string =>
    `${formatUnit(locale, Math.floor(roundedMs / largeMs), largeUnit, 'short')} ${formatUnit(locale, (roundedMs % largeMs) / smallMs, smallUnit, 'short')}`;
  if (stepMs === hour) return formatPair('day', day, 'hour', hour);
  if (stepMs === minute) return formatPair('hour', hour, 'minute', minute);
  const seconds = (roundedMs / second) % 60;
  const text = `${Math.floor(roundedMs / minute)}:${String(seconds).padStart(2, '0')}`;
  return latinDigits.test(locale) ? text : text.replace(/\d/g, (digit) => numberFormat(locale, {}).format(+digit));
}
