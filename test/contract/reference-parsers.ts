// Second implementations of the parsers in src/contract, with which tests compare them. They read character by character,
// without regular expressions and Date, so that they do not share a mistake. Each returns undefined for an invalid text.

/** Reads a text from its start to its end. */
class Scanner {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Reads the next character when it is one of these. */
  take(characters: string): string | undefined {
    const next = this.#text.charAt(this.#at);
    if (next === '' || !characters.includes(next)) return undefined;
    this.#at += 1;
    return next;
  }

  /** Reads the next digits, and returns them when their number is in the range. */
  digits(least: number, most: number): string | undefined {
    let found = '';
    for (let next = this.take('0123456789'); next !== undefined; next = this.take('0123456789')) found += next;
    return found.length < least || found.length > most ? undefined : found;
  }
}

/** The digits after a point; empty when there is no point. */
function fractionOf(scanner: Scanner, most: number): string | undefined {
  return scanner.take('.') === undefined ? '' : scanner.digits(1, most);
}

export function readDecimal(text: string): string | undefined {
  const scanner = new Scanner(text);
  scanner.take('-');
  const whole = scanner.digits(1, 40);
  const fraction = fractionOf(scanner, 40);
  return whole === undefined || fraction === undefined || !scanner.isAtEnd ? undefined : text;
}

/** A duration in nanoseconds. */
export function readDuration(text: string): bigint | undefined {
  const scanner = new Scanner(text);
  const sign = scanner.take('-') === undefined ? 1n : -1n;
  const seconds = scanner.digits(1, 12);
  const fraction = fractionOf(scanner, 9);
  if (seconds === undefined || fraction === undefined || scanner.take('s') === undefined || !scanner.isAtEnd)
    return undefined;
  const nanos = BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
  return nanos > 315_576_000_000n * 1_000_000_000n ? undefined : sign * nanos;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Days from the first of January 1970 to a day, counted year by year and month by month. */
function dayNumber(year: number, month: number, day: number): number {
  const before = year - 1;
  const leaps = year === 0 ? -1 : Math.trunc(before / 4) - Math.trunc(before / 100) + Math.trunc(before / 400);
  let days = year * 365 + leaps;
  for (let earlier = 1; earlier < month; earlier += 1) days += daysOf(year, earlier);
  return days + day - 1 - (1970 * 365 + 477);
}

/** The number in a text, when it is in the range. */
function within(text: string | undefined, least: number, most: number): number | undefined {
  return text === undefined || Number(text) < least || Number(text) > most ? undefined : Number(text);
}

/** A timestamp in milliseconds since 1970; fractions of a millisecond are cut off. */
export function readTimestamp(text: string): number | undefined {
  const scanner = new Scanner(text);
  const two = (least: number, most: number): number | undefined => within(scanner.digits(2, 2), least, most);
  const after = (character: string, read: () => number | undefined): number | undefined =>
    scanner.take(character) === undefined ? undefined : read();

  const year = within(scanner.digits(4, 4), 0, 9999);
  const month = after('-', () => two(1, 12));
  const day = after('-', () => two(1, daysOf(year ?? 0, month ?? 1)));
  const hour = after('Tt', () => two(0, 23));
  const minute = after(':', () => two(0, 59));
  const second = after(':', () => two(0, 60));
  const fraction = fractionOf(scanner, 9);
  const zone = scanner.take('Zz+-');
  const isUtc = zone === 'Z' || zone === 'z';
  const offsetHour = isUtc ? 0 : two(0, 23);
  const offsetMinute = isUtc ? 0 : after(':', () => two(0, 59));
  if (year === undefined || month === undefined || day === undefined || hour === undefined) return undefined;
  if (minute === undefined || second === undefined || fraction === undefined || zone === undefined) return undefined;
  if (offsetHour === undefined || offsetMinute === undefined || !scanner.isAtEnd) return undefined;

  const offset = (zone === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const minutes = dayNumber(year, month, day) * 1440 + hour * 60 + minute - offset;
  if (second === 60 && ((minutes % 1440) + 1440) % 1440 !== 1439) return undefined;
  return (minutes * 60 + second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}
