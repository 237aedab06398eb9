import type { Messages } from './messages.ts';
import { ru } from './ru.ts';

/** A language tag in its usual form where it is one and the language is spoken here; "ru_RU" is understood too. */
function spoken(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-')).find((name) => /^(?:ru|en)\b/.test(name));
  } catch {
    return undefined; // Not a language tag: the next one is asked.
  }
}

/** The first of the wanted languages (BCP 47) that is spoken here; English when none is. */
export function pickLanguage(wanted: readonly string[]): string {
  return wanted.map((tag) => tag && spoken(tag)).find(Boolean) ?? 'en';
}

let english: Messages | undefined;

/** The texts of a language that `pickLanguage` gave: Russian is bundled, English is fetched once. */
export function loadMessages(language: string): Messages | Promise<Messages> {
  if (language.startsWith('ru')) return ru;
  return english ?? import('./en.ts').then(({ en }) => (english = en));
}
