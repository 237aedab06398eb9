import { formatMoney, formatTimeLeft, formatUnit, numberFormat } from './format-by-intl.ts';
import { findNotation } from './format-numbers.ts';
import ruSecondFile from '../locales/ru/second-file.json';
import type { MessageOverrides, Messages } from './messages-type.ts';
import { createFirstFileTranslator, findText, type FirstFileTranslator } from './first-file-translator.ts';

/** An exact amount in the form that bank apps accept: no spaces, no fraction of zeros, the language's decimal separator. */
export function plainAmount(locale: string, amount: string): string {
  const decimal = findNotation(locale)?.decimal ?? numberFormat(locale, {}).format(0.5).charAt(1);
  return amount.replace(/\.0+$/, '').replace('.', decimal);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * What precedes or follows a time: nothing (`time`), the day ("22 November"), the day, the year and the time zone, or the
 * day and the time zone (`zone`), for a reader who may be elsewhere or who reads it later.
 */
export type MomentStyle = 'time' | 'day' | 'year' | 'zone';

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/**
 * A point in time as "14:45" or "22 November at 14:45 GMT+3". The zone is written where `timeZone` is given, too.
 * `time` is RFC 3339; the result is undefined if it is not valid.
 */
export function formatMoment(locale: string, time: string, style: MomentStyle, timeZone?: string): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return undefined;
  // Without `Intl`, whose first use takes tens of milliseconds on a phone.
  if (style === 'time' && timeZone === undefined && /^(ru|kk)\b/.test(locale))
    return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
  const key = `${locale} ${style} ${timeZone ?? ''}`;
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(locale, {
      ...(style !== 'time' && { day: 'numeric', month: 'long' }),
      ...(style === 'year' && { year: 'numeric' }),
      hour: 'numeric',
      minute: '2-digit',
      ...((style === 'zone' || style === 'year' || timeZone !== undefined) && { timeZoneName: 'short' }),
      ...(timeZone !== undefined && { timeZone }),
    });
  formats.set(key, format);
  // Where a browser has no names of months for the language (Chromium for Kazakh), it writes "2026 M11 20". No-break spaces
  // keep a number on one line with the word before it, a day with its month, and an hour with AM or PM. A year may begin a line.
  return format
    .format(date)
    .replace(/ г\. в/, ',')
    .replace(/(\d{1,6}) M(\d+) (\d+)/, '$3.$2.$1')
    .replace(/M(\d+) (\d+)/, '$2.$1')
    .replace(/^(\d+) /, '$1\u00a0')
    .replace(/ (?=\d\d?\b|[AP]M)/g, '\u00a0');
}

/** The remaining time in words, for screen readers: "3 minutes", "30 seconds". */
export function formatSpokenTime(locale: string, remainingMs: number): string {
  const seconds = Math.ceil(remainingMs / 1000);
  return seconds >= 60
    ? formatUnit(locale, Math.round(seconds / 60), 'minute', 'long')
    : formatUnit(locale, seconds, 'second', 'long');
}

/** All texts, and formatters of amounts and times in their language. */
export interface Translator extends FirstFileTranslator {
  readonly plainAmount: (amount: string) => string;
  /** Milliseconds as "3 minutes". */
  readonly spokenTime: (remainingMs: number) => string;
  /** An RFC 3339 time as `style` says; undefined where the time is not valid. */
  readonly moment: (time: string, style: MomentStyle, timeZone?: string) => string | undefined;
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
    money: (amount, currency) => formatMoney(language, amount, currency),
    brief: (amount, currency) => formatMoney(language, amount, currency, true).text,
    timeLeft: (remainingMs) => formatTimeLeft(language, remainingMs).padStart(5, '\u2007'),
    plainAmount: (amount) => plainAmount(language, amount),
    spokenTime: (remainingMs) => formatSpokenTime(language, remainingMs),
    moment: (time, style, timeZone) => formatMoment(language, time, style, timeZone),
  };
}

/** Creates the translator of a language from its complete catalogue; `overrides` are the merchant's own texts. */
export const createTranslator = (language: string, messages: Messages, overrides?: MessageOverrides): Translator =>
  completeTranslator(createFirstFileTranslator(language, messages, overrides));
