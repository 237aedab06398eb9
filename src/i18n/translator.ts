import { plainAmount } from './format-money.ts';
import { formatMoment, formatSpokenTime, formatTimeLeft, type MomentDate } from './format-times.ts';
import { ruPayment } from '../locales/ru/payment-part.ts';
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
  /** An RFC 3339 time as "14:45 GMT+3", preceded by the `dated` part of its date; undefined where it is not valid. */
  readonly moment: (time: string, dated: MomentDate, timeZone: string | undefined) => string | undefined;
}

/** Completes a translator with the texts of the payment screens, in Russian where its catalogue lacks them. */
export function completeTranslator(translator: OptionsTranslator): Translator {
  const { language } = translator;
  return {
    ...translator,
    m: { ...ruPayment, ...translator.m, refused: { ...ruPayment.refused, ...translator.m.refused } },
    plainAmount: (amount) => plainAmount(language, amount),
    timeLeft: (remainingMs) => formatTimeLeft(language, remainingMs),
    spokenTime: (remainingMs) => formatSpokenTime(language, remainingMs),
    moment: (time, dated, timeZone) => formatMoment(language, time, dated, timeZone),
  };
}

/** Creates the translator of a language from its complete catalogue; `overrides` are the merchant's own texts. */
export const createTranslator = (language: string, messages: Messages, overrides?: MessageOverrides): Translator =>
  completeTranslator(createOptionsTranslator(language, messages, overrides));
