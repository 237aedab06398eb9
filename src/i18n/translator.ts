import { plainAmount } from './format-money.ts';
import { formatMoment, formatSpokenTime, formatTimeLeft, type MomentDate } from './format-times.ts';
import { ruPayment } from '../locales/ru/payment-chunk.ts';
import type { MessageOverrides, Messages } from './messages-type.ts';
import { createOptionsTranslator, type OptionsTranslator } from './payment-options-translator.ts';

/** All texts, and formatters of amounts and times in their language. */
export interface Translator extends OptionsTranslator {
  readonly m: Messages;
  readonly plainAmount: (amount: string) => string;
  /** Milliseconds as "14:59". */
  readonly timeLeft: (remainingMs: number) => string;
  /** Milliseconds as "3 minutes". */
  readonly spokenTime: (remainingMs: number) => string;
  /** An RFC 3339 time as "14:45 GMT+3", preceded by `datePart` of its date; undefined where the time is not valid. */
  readonly moment: (time: string, datePart: MomentDate, timeZone: string | undefined) => string | undefined;
}

/** Completes a translator with the texts of the payment screens. Texts that its catalogue lacks are Russian. */
export function completeTranslator(translator: OptionsTranslator): Translator {
  const { language } = translator;
  return {
    ...translator,
    m: { ...ruPayment, ...translator.m, refused: { ...ruPayment.refused, ...translator.m.refused } },
    plainAmount: (amount) => plainAmount(language, amount),
    timeLeft: (remainingMs) => formatTimeLeft(language, remainingMs),
    spokenTime: (remainingMs) => formatSpokenTime(language, remainingMs),
    moment: (time, datePart, timeZone) => formatMoment(language, time, datePart, timeZone),
  };
}

/** Creates the translator of a language from its complete catalogue; `overrides` are the merchant's own texts. */
export const createTranslator = (language: string, messages: Messages, overrides?: MessageOverrides): Translator =>
  completeTranslator(createOptionsTranslator(language, messages, overrides));
