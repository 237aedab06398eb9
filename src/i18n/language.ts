import type { Messages } from './messages.ts';
import { ru } from './ru.ts';

/** Loads a catalogue; what is bundled is there at once. A language that is not listed is not spoken. */
const catalogues: Readonly<Record<string, () => Messages | Promise<Messages>>> = {
  ru: () => ru,
  en: () => import('./en.ts').then(({ en }) => en),
};

const primary = (tag: string): string => tag.toLowerCase().split('-', 1).join('');

/** The first of the wanted languages (BCP 47) that is spoken, as it was written; English when none is. */
export function pickLanguage(wanted: readonly string[]): string {
  return wanted.find((tag) => primary(tag) in catalogues) ?? 'en';
}

/** The texts of a language that `pickLanguage` gave. */
export function loadMessages(language: string): Messages | Promise<Messages> {
  return catalogues[primary(language)]?.() ?? ru;
}
