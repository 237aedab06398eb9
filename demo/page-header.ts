import { byId } from './dom-helpers.ts';
import { currentLanguage, fillTexts, text } from './texts.ts';

/** The page's colour theme: what was chosen on any page of the demo, else the device's. */
export function currentTheme(): 'light' | 'dark' {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/**
 * Connects the header's buttons, which change the language and the theme of all pages of the demo. `onLanguage` redraws
 * what the page's own script writes.
 */
export function connectHeader(onLanguage: () => void): void {
  byId('language').addEventListener('click', () => {
    localStorage.setItem('language', currentLanguage() === 'ru' ? 'en' : 'ru');
    drawLanguage();
    drawTheme();
    onLanguage();
  });
  byId('theme').addEventListener('click', () => {
    localStorage.setItem('theme', currentTheme() === 'dark' ? 'light' : 'dark');
    drawTheme();
  });
  drawLanguage();
  drawTheme();
}

/** Each button is named for what it changes to. */
function drawLanguage(): void {
  fillTexts();
  byId('language').textContent = text('otherLanguage');
}

function drawTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme();
  byId('theme').textContent = text(currentTheme() === 'dark' ? 'light' : 'dark');
}
