import { plainAmount } from './format-money.ts';
import { formatMoment, formatSpokenTime, type MomentDate } from './format-times.ts';
import { ruSecondFile } from '../locales/ru/second-file.ts';
import type { MessageOverrides, Messages } from './messages-type.ts';
import { createFirstFileTranslator, type FirstFileTranslator } from './first-file-translator.ts';

/** All texts, and formatters of amounts and times in their language. */
export interface Translator extends FirstFileTranslator {
  readonly m: Messages;
  readonly plainAmount: (amount: string) => string;
  /** Milliseconds as "3 minutes". */
  readonly spokenTime: (remainingMs: number) => string;
  /** An RFC 3339 time as "14:45 GMT+3", preceded by `datePart` of its date; undefined where the time is not valid. */
  readonly moment: (time: string, datePart: MomentDate, timeZone: string | undefined) => string | undefined;
}

/** Completes a translator with the texts of the payment screens. Texts that its catalogue lacks are Russian. */
export function completeTranslator(translator: FirstFileTranslator): Translator {
  const { language } = translator;
  return {
    ...translator,
    m: { ...ruSecondFile, ...translator.m, refused: { ...ruSecondFile.refused, ...translator.m.refused } },
    plainAmount: (amount) => plainAmount(language, amount),
    spokenTime: (remainingMs) => formatSpokenTime(language, remainingMs),
    moment: (time, datePart, timeZone) => formatMoment(language, time, datePart, timeZone),
  };
}

/** Creates the translator of a language from its complete catalogue; `overrides` are the merchant's own texts. */
export const createTranslator = (language: string, messages: Messages, overrides?: MessageOverrides): Translator =>
  completeTranslator(createFirstFileTranslator(language, messages, overrides));
