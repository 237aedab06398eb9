import { plainAmount } from './format-money.ts';
import { formatMoment, formatSpokenTime, formatTimeLeft, type MomentDate } from './format-times.ts';
import { ruPayment } from '../locales/ru/payment.ts';
import type { MessageOverrides, Messages } from './messages-type.ts';
import { createOptionsTranslator, type OptionsTranslator } from './options-translator.ts';

/** What every screen needs: all texts, and formatters of numbers and times too. */
export interface Translator extends OptionsTranslator {
  readonly m: Messages;
  readonly plainAmount: (amount: string) => string;
  /** Milliseconds as "14:59". */
  readonly timeLeft: (remainingMs: number) => string;
  /** Milliseconds as "3 minutes". */
  readonly spokenTime: (remainingMs: number) => string;
  /** An RFC 3339 time as "14:45 GMT+3", after as much of its date as is asked for; undefined where it is not valid. */
  readonly moment: (time: string, dated: MomentDate, timeZone: string | undefined) => string | undefined;
}

/** Completes a translator by the texts of an invoice: those in Russian where it does not have them already. */
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

/** Binds a language and its whole catalogue; `overrides` are the merchant's own texts. */
export const createTranslator = (language: string, messages: Messages, overrides?: MessageOverrides): Translator =>
  completeTranslator(createOptionsTranslator(language, messages, overrides));
