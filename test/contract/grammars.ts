// The grammars of the contract's scalars, read letter by letter: no regular expression and no Date, so that a mistake in
// src/contract is not made here once more. Each returns undefined for a text that is none.

/** Reads a text from its start to its end. */
class Letters {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get isOver(): boolean {
    return this.#at === this.#text.length;
  }

  /** The next letter, when it is one of these. */
  take(letters: string): string | undefined {
    const next = this.#text.charAt(this.#at);
    if (next === '' || !letters.includes(next)) return undefined;
    this.#at += 1;
    return next;
  }

  /** The digits that come, when there are so many. */
  digits(least: number, most: number): string | undefined {
    let found = '';
    for (let next = this.take('0123456789'); next !== undefined; next = this.take('0123456789')) found += next;
    return found.length < least || found.length > most ? undefined : found;
  }
}

/** The digits after a point; empty when there is no point. */
function fractionOf(letters: Letters, most: number): string | undefined {
  return letters.take('.') === undefined ? '' : letters.digits(1, most);
}

export function readDecimal(text: string): string | undefined {
  const letters = new Letters(text);
  letters.take('-');
  const whole = letters.digits(1, 40);
  const fraction = fractionOf(letters, 40);
  return whole === undefined || fraction === undefined || !letters.isOver ? undefined : text;
}

/** In nanoseconds. */
export function readDuration(text: string): bigint | undefined {
  const letters = new Letters(text);
  const sign = letters.take('-') === undefined ? 1n : -1n;
  const seconds = letters.digits(1, 12);
  const fraction = fractionOf(letters, 9);
  if (seconds === undefined || fraction === undefined || letters.take('s') === undefined || !letters.isOver)
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

function within(text: string | undefined, least: number, most: number): number | undefined {
  return text === undefined || Number(text) < least || Number(text) > most ? undefined : Number(text);
}

/** In milliseconds since 1970; what is finer is cut off. */
export function readTimestamp(text: string): number | undefined {
  const letters = new Letters(text);
  const two = (least: number, most: number): number | undefined => within(letters.digits(2, 2), least, most);
  const after = (letter: string, read: () => number | undefined): number | undefined =>
    letters.take(letter) === undefined ? undefined : read();

  const year = within(letters.digits(4, 4), 0, 9999);
  const month = after('-', () => two(1, 12));
  const day = after('-', () => two(1, daysOf(year ?? 0, month ?? 1)));
  const hour = after('Tt', () => two(0, 23));
  const minute = after(':', () => two(0, 59));
  const second = after(':', () => two(0, 60));
  const fraction = fractionOf(letters, 9);
  const zone = letters.take('Zz+-');
  const isUtc = zone === 'Z' || zone === 'z';
  const offsetHour = isUtc ? 0 : two(0, 23);
  const offsetMinute = isUtc ? 0 : after(':', () => two(0, 59));
  if (year === undefined || month === undefined || day === undefined || hour === undefined) return undefined;
  if (minute === undefined || second === undefined || fraction === undefined || zone === undefined) return undefined;
  if (offsetHour === undefined || offsetMinute === undefined || !letters.isOver) return undefined;

  const offset = (zone === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const minutes = dayNumber(year, month, day) * 1440 + hour * 60 + minute - offset;
  if (second === 60 && ((minutes % 1440) + 1440) % 1440 !== 1439) return undefined;
  return (minutes * 60 + second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}
