import type { Messages } from './messages-type.ts';
import { plainAmount, formatMoney, type Money } from './format-money.ts';
import { formatSpokenTime, formatTimeLeft } from './format-time-left.ts';

/** Inclusive limits as decimal strings. */
interface Limits {
  readonly min_amount?: string | undefined;
  readonly max_amount?: string | undefined;
}

/** What a screen needs to show texts: the catalogue, and formatters of numbers and times in its language. */
export interface Translator {
  readonly language: string;
  readonly m: Messages;
  readonly money: (amount: string, currency: string | null) => Money;
  /** An amount inside a sentence: no empty fraction. */
  readonly brief: (amount: string, currency: string | null) => string;
  readonly plainAmount: (amount: string) => string;
  /** "from … to …", or `undefined` without a limit. */
  readonly limits: (limits: Limits | null, currency: string | null) => string | undefined;
  /** Milliseconds as "14:59". */
  readonly timeLeft: (remainingMs: number) => string;
  /** Milliseconds as "3 minutes". */
  readonly spokenTime: (remainingMs: number) => string;
}

/** Binds a language and its catalogue; `overrides` are the merchant's own texts. */
export function createTranslator(language: string, messages: Messages, overrides: Partial<Messages> = {}): Translator {
  const m = { ...messages, ...overrides };
  const brief = (amount: string, currency: string | null): string => formatMoney(language, amount, currency, true).text;
  return {
    language,
    m,
    money: (amount, currency) => formatMoney(language, amount, currency),
    brief,
    plainAmount: (amount) => plainAmount(language, amount),
    limits(limits, currency) {
      const [min, max] = [limits?.min_amount, limits?.max_amount].map((bound) => bound && brief(bound, currency));
      return min || max ? m.limits(min, max) : undefined;
    },
    timeLeft: (remainingMs) => formatTimeLeft(language, remainingMs),
    spokenTime: (remainingMs) => formatSpokenTime(language, remainingMs),
  };
}
