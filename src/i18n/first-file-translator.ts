import { formatTimeLeft } from './format-countdown.ts';
import { formatMoney, type Money } from './format-money.ts';
import { overrideMessages, type MessageOverrides, type LoadedMessages } from './messages-type.ts';

/** Inclusive limits as decimal strings. */
interface Limits {
  readonly min_amount?: string | undefined;
  readonly max_amount?: string | undefined;
}

/** The texts of the first file, and formatters of amounts and of the time left in their language. */
export interface FirstFileTranslator {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  /** The texts ("messages"). */
  readonly m: LoadedMessages;
  readonly money: (amount: string, currency: string | null) => Money;
  /** An amount inside a sentence, without a fraction of zeros. */
  readonly brief: (amount: string, currency: string | null) => string;
  /** "from … to …", or `undefined` without a limit. */
  /** Milliseconds as "14:59". */
  readonly timeLeft: (remainingMs: number) => string;
  readonly limits: (limits: Limits | null, currency: string | null) => string | undefined;
}

/** The languages that are written from right to left, and any language in Arabic script. */
const rightToLeft = /^(ar|ckb|dv|fa|he|ks|ps|sd|u[gr]|yi)\b|-Arab/;

/** Creates the translator of a language from its catalogue; `overrides` are the merchant's own texts. */
export function createFirstFileTranslator(
  language: string,
  messages: LoadedMessages,
  overrides?: MessageOverrides,
): FirstFileTranslator {
  const m = overrideMessages(messages, overrides);
  const brief = (amount: string, currency: string | null): string => formatMoney(language, amount, currency, true).text;
  return {
    language,
    direction: rightToLeft.test(language) ? 'rtl' : 'ltr',
    m,
    money: (amount, currency) => formatMoney(language, amount, currency),
    brief,
    timeLeft: (remainingMs) => formatTimeLeft(language, remainingMs),
    limits(limits, currency) {
      const [min, max] = [limits?.min_amount, limits?.max_amount].map((bound) => bound && brief(bound, currency));
      return min || max ? m.limits(min, max) : undefined;
    },
  };
}
