import { importChunk } from '../base/import-chunk.ts';
import { ru } from '../locales/ru.ts';
import type { Messages } from './messages-type.ts';
import { plainAmount, formatMoney, type Money } from './format-money.ts';
import { formatSpokenTime, formatTimeLeft } from './format-time-left.ts';

/** The canonical form of a language tag whose language has a catalogue. Accepts "ru_RU" too. */
function supportedTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-')).find((name) => /^(?:ru|en)\b/.test(name));
  } catch {
    return undefined; // Not a language tag: the next one is tried.
  }
}

/** The first of the wanted languages (BCP 47) that has a catalogue; English when none has. */
export function pickLanguage(wanted: readonly string[]): string {
  return wanted.map((tag) => tag && supportedTag(tag)).find(Boolean) ?? 'en';
}

let english: Messages | undefined;

/** The catalogue of a language that `pickLanguage` returned: Russian is bundled, English is fetched once. */
export function loadMessages(language: string): Messages | Promise<Messages> {
  if (language.startsWith('ru')) return ru;
  return english ?? importChunk(() => import('../locales/en.ts')).then(({ en }) => (english = en));
}

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
