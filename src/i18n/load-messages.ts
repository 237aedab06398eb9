import { importChunk } from '../base/import-chunk.ts';
import { ruOptions } from '../locales/ru/options.ts';
import type { Messages, OptionsMessages } from './messages-type.ts';

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

/**
 * The catalogue of a language that `pickLanguage` returned: Russian is bundled, and its payment screens bring the rest of
 * it; English is fetched once, as a whole.
 */
export function loadMessages(language: string): OptionsMessages | Promise<Messages> {
  if (language.startsWith('ru')) return ruOptions;
  return english ?? importChunk(() => import('../locales/en.ts')).then(({ en }) => (english = en));
}
