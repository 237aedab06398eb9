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
  return format.format(date);
}
