// Second implementations of the parsers in src/service-api, for comparison in tests. They read character by character, without
// regular expressions and Date, so that they have no mistake in common with the parsers. Each returns undefined for an invalid
// text.

/** Reads a text from its start to its end. */
class Scanner {
  #position = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#text.length;
  }

  /** Reads the next character if it is one of `characters`. */
  take(characters: string): string | undefined {
    const next = this.#text.charAt(this.#position);
    if (next === '' || !characters.includes(next)) return undefined;
    this.#position += 1;
    return next;
  }

  /** Reads all digits that follow, and returns them if there are `min` to `max` digits. */
  digits(min: number, max: number): string | undefined {
    let digits = '';
    for (let next = this.take('0123456789'); next !== undefined; next = this.take('0123456789')) digits += next;
    return digits.length < min || digits.length > max ? undefined : digits;
  }
}

/** The digits after a point; empty when there is no point. */
function readFraction(scanner: Scanner, maxDigits: number): string | undefined {
  return scanner.take('.') === undefined ? '' : scanner.digits(1, maxDigits);
}

export function readDecimal(text: string): string | undefined {
  const scanner = new Scanner(text);
  scanner.take('-');
  const whole = scanner.digits(1, 40);
  const fraction = readFraction(scanner, 40);
  return whole === undefined || fraction === undefined || !scanner.isAtEnd ? undefined : text;
}

/** A duration in nanoseconds. */
export function readDuration(text: string): bigint | undefined {
  const scanner = new Scanner(text);
  const sign = scanner.take('-') === undefined ? 1n : -1n;
  const seconds = scanner.digits(1, 12);
  const fraction = readFraction(scanner, 9);
  if (seconds === undefined || fraction === undefined || scanner.take('s') === undefined || !scanner.isAtEnd)
    return undefined;
  const nanos = BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
  return nanos > 315_576_000_000n * 1_000_000_000n ? undefined : sign * nanos;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Days from the first of January 1970 to a day, counted year by year and month by month. */
function dayNumber(year: number, month: number, day: number): number {
  const lastYear = year - 1;
  const leapDays = year === 0 ? -1 : Math.trunc(lastYear / 4) - Math.trunc(lastYear / 100) + Math.trunc(lastYear / 400);
  let days = year * 365 + leapDays;
  for (let earlierMonth = 1; earlierMonth < month; earlierMonth += 1) days += daysInMonth(year, earlierMonth);
  return days + day - 1 - (1970 * 365 + 477);
}

/** The number in a text if it is in the range, or undefined. */
function numberInRange(text: string | undefined, min: number, max: number): number | undefined {
  return text === undefined || Number(text) < min || Number(text) > max ? undefined : Number(text);
}

/** A timestamp in milliseconds since 1970; fractions of a millisecond are cut off. */
export function readTimestamp(text: string): number | undefined {
  const scanner = new Scanner(text);
  const twoDigits = (min: number, max: number): number | undefined => numberInRange(scanner.digits(2, 2), min, max);
  const readAfter = (character: string, read: () => number | undefined): number | undefined =>
    scanner.take(character) === undefined ? undefined : read();

  const year = numberInRange(scanner.digits(4, 4), 0, 9999);
  const month = readAfter('-', () => twoDigits(1, 12));
  const day = readAfter('-', () => twoDigits(1, daysInMonth(year ?? 0, month ?? 1)));
  const hour = readAfter('Tt', () => twoDigits(0, 23));
  const minute = readAfter(':', () => twoDigits(0, 59));
  const second = readAfter(':', () => twoDigits(0, 60));
  const fraction = readFraction(scanner, 9);
  const zone = scanner.take('Zz+-');
  const isUtc = zone === 'Z' || zone === 'z';
  const offsetHour = isUtc ? 0 : twoDigits(0, 23);
  const offsetMinute = isUtc ? 0 : readAfter(':', () => twoDigits(0, 59));
  if (year === undefined || month === undefined || day === undefined || hour === undefined) return undefined;
  if (minute === undefined || second === undefined || fraction === undefined || zone === undefined) return undefined;
  if (offsetHour === undefined || offsetMinute === undefined || !scanner.isAtEnd) return undefined;

  const offset = (zone === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const minutes = dayNumber(year, month, day) * 1440 + hour * 60 + minute - offset;
  if (second === 60 && ((minutes % 1440) + 1440) % 1440 !== 1439) return undefined;
  return (minutes * 60 + second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}
