import { plainAmount } from './format-money.ts';
import { formatMoment, formatSpokenTime, type MomentStyle } from './format-times.ts';
import ruSecondFile from '../locales/ru/second-file.json';
import type { MessageOverrides, Messages } from './messages-type.ts';
import { createFirstFileTranslator, findText, type FirstFileTranslator } from './first-file-translator.ts';

/** All texts, and formatters of amounts and times in their language. */
export interface Translator extends FirstFileTranslator {
  readonly plainAmount: (amount: string) => string;
  /** Milliseconds as "3 minutes". */
  readonly spokenTime: (remainingMs: number) => string;
  /** An RFC 3339 time as `style` says; undefined where the time is not valid. */
  readonly moment: (time: string, style: MomentStyle, timeZone: string | undefined) => string | undefined;
}

/** Completes a translator with the texts of the payment screens. Texts that its catalogue lacks are Russian. */
export function completeTranslator(translator: FirstFileTranslator): Translator {
  const { language } = translator;
  const catalogues = [...translator.catalogues, ruSecondFile];
  return {
    ...translator,
    catalogues,
    m(key, values = {}) {
      const count = Object.values(values).find((value) => typeof value === 'number') ?? 0;
      return findText(
        catalogues,
        key,
        values,
        (message) => message[new Intl.PluralRules(language).select(count)] ?? message.other,
      );
    },
    plainAmount: (amount) => plainAmount(language, amount),
    spokenTime: (remainingMs) => formatSpokenTime(language, remainingMs),
    moment: (time, style, timeZone) => formatMoment(language, time, style, timeZone),
  };
}

/** Creates the translator of a language from its complete catalogue; `overrides` are the merchant's own texts. */
export const createTranslator = (language: string, messages: Messages, overrides?: MessageOverrides): Translator =>
  completeTranslator(createFirstFileTranslator(language, messages, overrides));
