import { importChunk, inTime } from '../base/import-with-retry.ts';
import ruFirstFile from '../locales/ru/first-file.json';
import type { LoadedMessages, MessageOverrides } from './messages-type.ts';

/** The texts that need no other file, in Russian. */
export { ruFirstFile as bundledMessages };

/** A catalogue, or a function that loads it. */
type CatalogueSource = LoadedMessages | (() => Promise<LoadedMessages>);

/**
 * The catalogues by language tag. Russian is bundled: the texts of the options with this file, the others with the payment
 * part. Every other catalogue is loaded once, when it is needed.
 */
const sources = new Map<string, CatalogueSource>([
  ['ru', ruFirstFile],
  ['en', () => inTime(importChunk(() => import('../locales/en.ts'), 'en')).then(({ en }) => en)],
  ['kk', () => inTime(importChunk(() => import('../locales/kk.ts'), 'kk')).then(({ kk }) => kk)],
]);

/** Functions to call after a catalogue was registered. */
export const localeListeners = new Set<() => void>();

/** The canonical form of a language tag; undefined for what is none. Accepts "ru_RU" too. */
export function canonicalTag(tag: string | null): string | undefined {
  try {
    return tag ? Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] : undefined;
  } catch {
    return undefined; // Not a language tag: the next one is tried.
  }
}

/** The tag of the catalogue for a language: the language's tag, or a more general tag; '' when there is no catalogue. */
function findTag(tag = ''): string {
  return !tag || sources.has(tag) ? tag : findTag(tag.replace(/(?:^|-)[^-]*$/, ''));
}

/** The first of these languages (BCP 47) that has a catalogue; English when none has. */
export function pickLanguage(languages: readonly string[]): string {
  return languages.map(canonicalTag).find((tag) => findTag(tag)) ?? 'en';
}

/**
 * The language of numbers, times and direction: that of the texts. A page with texts of its own has written them in the first
 * language, which then needs no catalogue.
 */
export function pickFormattingLanguage(languages: readonly string[], ownTexts: unknown): string {
  return (ownTexts ? canonicalTag(languages[0] ?? '') : undefined) ?? pickLanguage(languages);
}

/** The catalogue of a language that `pickLanguage` returned. */
export function loadMessages(language: string): LoadedMessages | Promise<LoadedMessages> {
  const tag = findTag(language) || 'en';
  const source = sources.get(tag) ?? ruFirstFile;
  if (typeof source !== 'function') return source;
  return source().then((messages) => {
    if (sources.get(tag) === source) sources.set(tag, messages);
    return messages;
  });
}

/**
 * Adds a language, or changes the texts of a language. Missing texts are taken from the more general language (`ru` for
 * `ru-KZ`), else from English.
 *
 * @param tag - BCP 47; elements with this language, or a more specific language, have these texts
 * @param messages - the texts, or a function that loads them when they are first needed
 * @example
 * ```ts
 * import { registerLocale } from 'pay-invoice/locales';
 *
 * registerLocale('de', { 'options.continue': 'Weiter', 'paid.title': 'Bezahlt' });
 * ```
 */
export function registerLocale(tag: string, messages: MessageOverrides | (() => Promise<MessageOverrides>)): void {
  const canonicalName = canonicalTag(tag) ?? tag;
  const baseSource = sources.get(findTag(canonicalName) || 'en');
  sources.set(canonicalName, async () => {
    const [texts, baseMessages] = await Promise.all([
      typeof messages === 'function' ? inTime(messages()) : messages,
      typeof baseSource === 'function' ? baseSource().catch(() => ruFirstFile) : baseSource,
    ]);
    return { ...ruFirstFile, ...baseMessages, ...texts };
  });
  for (const listener of localeListeners) listener();
}
