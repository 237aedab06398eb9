import { hour, minutesLeft, ownMoney, type Money } from './format-numbers.ts';
import type { LoadedMessages, Message, MessageKey, MessageOverrides } from './messages-type.ts';

/** What replaces the names in braces of a text. */
export type MessageValues = Readonly<Record<string, string | number>>;

/** Catalogues of one language, of which the first that has a text is used. */
export type Catalogues = readonly (MessageOverrides | undefined)[];

/** The texts of the first file, and what it can write of amounts and of the time left: the second file completes them. */
export interface FirstFileTranslator {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly catalogues: Catalogues;
  /** The text of a key; '' for a text of the second file that is not loaded yet. */
  readonly m: (key: MessageKey, values?: MessageValues) => string;
  readonly money: (amount: string, currency: string | null) => Money;
  /** An amount inside a sentence, without a fraction of zeros. */
  readonly brief: (amount: string, currency: string | null) => string;
  /** Milliseconds as "14:59"; below ten minutes a space as wide as a digit comes first, so that nothing moves. '' above an hour in the first file. */
  readonly timeLeft: (remainingMs: number) => string;
}

/** The languages that are written from right to left, and any language in Arabic script. */
const rightToLeft = /^(ar|ckb|dv|fa|he|ks|ps|sd|u[gr]|yi)\b|-Arab/;

/** The text of a key, with `values` in place of the names in braces. A value of another type, from a page, is no text. */
export function findText(
  catalogues: Catalogues,
  key: MessageKey,
  values: MessageValues,
  pluralOf = (message: Exclude<Message, string>): string | undefined => message.other,
): string {
  for (const catalogue of catalogues) {
    const message = catalogue?.[key];
    const text = message && typeof message !== 'string' ? pluralOf(message) : message;
    if (typeof text === 'string') return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
  }
  return '';
}

/** Creates the translator of a language from its catalogue; `overrides` are the merchant's own texts. */
export function createFirstFileTranslator(
  language: string,
  messages: LoadedMessages,
  overrides?: MessageOverrides,
): FirstFileTranslator {
  const catalogues = [overrides, messages];
  return {
    language,
    direction: rightToLeft.test(language) ? 'rtl' : 'ltr',
    catalogues,
    m: (key, values = {}) => findText(catalogues, key, values),
    money: (amount, currency) => ownMoney(language, amount, currency),
    brief: (amount, currency) => ownMoney(language, amount, currency, true).text,
    timeLeft: (remainingMs) => (remainingMs > hour ? '' : minutesLeft(remainingMs).padStart(5, '\u2007')),
  };
}
