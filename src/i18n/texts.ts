import type { Messages } from './messages.ts';
import { plainAmount, writeMoney, type Money } from './money.ts';
import { sayTimeLeft, writeTimeLeft } from './time-left.ts';

/** Inclusive limits as decimal strings. */
interface Limits {
  readonly min_amount?: string | undefined;
  readonly max_amount?: string | undefined;
}

/** Everything that a screen needs to write: the catalogue, and numbers and times in its language. */
export interface Texts {
  readonly language: string;
  readonly m: Messages;
  readonly money: (amount: string, currency: string | null) => Money;
  /** An amount inside a sentence: no empty fraction. */
  readonly brief: (amount: string, currency: string | null) => string;
  readonly plainAmount: (amount: string) => string;
  /** "from … to …", or `undefined` without a limit. */
  readonly limits: (limits: Limits | null, currency: string | null) => string | undefined;
  /** Milliseconds as "14:59". */
  readonly timeLeft: (left: number) => string;
  /** Milliseconds as "3 minutes". */
  readonly spokenTime: (left: number) => string;
}

/** Binds a language and its catalogue, with the merchant's own wording over it. */
export function createTexts(language: string, messages: Messages, own: Partial<Messages> = {}): Texts {
  const m = { ...messages, ...own };
  const brief = (amount: string, currency: string | null): string => writeMoney(language, amount, currency, true).text;
  return {
    language,
    m,
    money: (amount, currency) => writeMoney(language, amount, currency),
    brief,
    plainAmount: (amount) => plainAmount(language, amount),
    limits(limits, currency) {
      const [min, max] = [limits?.min_amount, limits?.max_amount].map((bound) => bound && brief(bound, currency));
      return min || max ? m.limits(min, max) : undefined;
    },
    timeLeft: (left) => writeTimeLeft(language, left),
    spokenTime: (left) => sayTimeLeft(language, left),
  };
}
