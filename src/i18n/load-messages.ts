import { importChunk } from '../base/import-chunk.ts';
import { ruOptions } from '../locales/ru/payment-options.ts';
import { overrideMessages, type LoadedMessages, type MessageOverrides } from './messages-type.ts';

/** A catalogue, or a function that loads it. */
type CatalogueSource = LoadedMessages | (() => Promise<LoadedMessages>);

/** The catalogues by language tag. Russian is bundled: its options here, the rest in the payment part. Others are loaded once. */
const sources = new Map<string, CatalogueSource>([
  ['ru', ruOptions],
  ['en', () => importChunk(() => import('../locales/en.ts')).then(({ en }) => en)],
  ['kk', () => importChunk(() => import('../locales/kk.ts')).then(({ kk }) => kk)],
]);

/** Called when a catalogue was registered. */
export const localeListeners = new Set<() => void>();

/** The canonical form of a language tag. Accepts "ru_RU" too. */
function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0];
  } catch {
    return undefined; // Not a language tag: the next one is tried.
  }
}

/** The tag of the catalogue for a language: its own tag, or a more general one; '' when there is no catalogue. */
function lookUp(tag = ''): string {
  return !tag || sources.has(tag) ? tag : lookUp(tag.replace(/-?[^-]*$/, ''));
}

/** The first of the wanted languages (BCP 47) that has a catalogue; English when none has. */
export function pickLanguage(wanted: readonly string[]): string {
  return wanted.map(canonicalTag).find((tag) => lookUp(tag)) ?? 'en';
}

/** The language of numbers, times and direction: the first wanted one if its tag is valid, even without a catalogue. */
export function pickFormattingLanguage(wanted: readonly string[]): string {
  return canonicalTag(wanted[0] ?? '') ?? pickLanguage(wanted);
}

/** The catalogue of a language that `pickLanguage` returned. */
export function loadMessages(language: string): LoadedMessages | Promise<LoadedMessages> {
  const tag = lookUp(language) || 'en';
  const source = sources.get(tag) ?? ruOptions;
  if (typeof source !== 'function') return source;
  return source().then((messages) => {
    if (sources.get(tag) === source) sources.set(tag, messages);
    return messages;
  });
}

/**
 * Adds a language, or changes the texts of one. Texts that are left out are those of the more general language (`ru` for
 * `ru-KZ`), else English.
 *
 * @param tag - BCP 47; elements with this `lang`, or a more specific one, have these texts
 * @param messages - the texts, or a function that loads them when they are first needed
 */
export function registerLocale(tag: string, messages: MessageOverrides | (() => Promise<MessageOverrides>)): void {
  const name = canonicalTag(tag) ?? tag;
  const base = sources.get(lookUp(name) || 'en');
  sources.set(name, async () => {
    const texts = typeof messages === 'function' ? await messages() : messages;
    const rest = typeof base === 'function' ? await base().catch(() => ruOptions) : base;
    return overrideMessages(rest ?? ruOptions, texts);
  });
  for (const update of localeListeners) update();
}
