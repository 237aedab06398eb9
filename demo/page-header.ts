import { byId } from './dom-helpers.ts';
import { currentLanguage, fillTexts, text } from './page-texts.ts';

/** The page's colour theme: the theme that was chosen on any page of the demo, else the device's. */
export function currentTheme(): 'light' | 'dark' {
  const storedTheme = localStorage.getItem('theme');
  if (storedTheme === 'light' || storedTheme === 'dark') return storedTheme;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/**
 * Connects the header's buttons, which change the language and the theme of all pages of the demo. `onLanguage` is called
 * after a change of the language, to render the texts that the page's own script writes.
 */
export function connectHeader(onLanguage: () => void): void {
  byId('language').addEventListener('click', () => {
    localStorage.setItem('language', currentLanguage() === 'ru' ? 'en' : 'ru');
    renderLanguage();
    renderTheme();
    onLanguage();
  });
  byId('theme').addEventListener('click', () => {
    localStorage.setItem('theme', currentTheme() === 'dark' ? 'light' : 'dark');
    renderTheme();
  });
  renderLanguage();
  renderTheme();
}

/** The text of each button is the language or the theme that it changes to. */
function renderLanguage(): void {
  fillTexts();
  byId('language').textContent = text('otherLanguage');
}

function renderTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme();
  byId('theme').textContent = text(currentTheme() === 'dark' ? 'light' : 'dark');
}
