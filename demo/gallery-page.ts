// The gallery: every state of the widget, each with a link. State, theme, language and width are in the URL's fragment.
import { byId, create } from './dom-helpers.ts';
import { inEnglish } from './english-names.ts';
import { playState } from './play-gallery-state.ts';
import { states } from './gallery-states.ts';
import { groupTitle, stateTitle } from './gallery-titles.ts';
import { currentTheme } from './page-header.ts';
import { currentLanguage, fillTexts, languageNames, text, type Language } from './page-texts.ts';

const choiceValues = { theme: ['light', 'dark'], lang: ['ru', 'en', 'kk'], width: ['100%', '320px', '480px', '768px'] };

/** The settings in the URL's fragment. Settings that are not there have their defaults. */
function settings(): URLSearchParams {
  const settingsInUrl = new URLSearchParams(location.hash.slice(1));
  const defaults = { state: 'options', theme: currentTheme(), lang: currentLanguage(), width: '100%' };
  for (const [name, value] of Object.entries(defaults)) if (!settingsInUrl.has(name)) settingsInUrl.set(name, value);
  return settingsInUrl;
}

/** The page's address with one setting changed. */
function addressWith(name: string, value: string): string {
  const changedSettings = settings();
  changedSettings.set(name, value);
  return `#${changedSettings.toString()}`;
}

function linkTo(name: string, value: string, title: string): HTMLAnchorElement {
  const link = create('a', { href: addressWith(name, value) }, title);
  if (settings().get(name) === value) link.setAttribute('aria-current', 'true');
  return link;
}

/** The text of a link that sets a theme, a language or a width. */
function titleOf(name: string, value: string, language: Language): string {
  if (name === 'theme') return text(value === 'dark' ? 'dark' : 'light', {}, language);
  if (name === 'lang') return languageNames[value] ?? value;
  return value;
}

function showState(): void {
  const chosenSettings = settings();
  const name = chosenSettings.get('state') ?? '';
  const state = states[name];
  if (state === undefined) return;
  const language = chosenSettings.get('lang') === 'ru' ? 'ru' : 'en';
  fillTexts(language);
  document.title = `pay-invoice: ${stateTitle(name, language)}`;
  document.documentElement.lang = chosenSettings.get('lang') ?? '';
  document.documentElement.dataset['theme'] = chosenSettings.get('theme') ?? '';
  document.body.classList.toggle('bare', chosenSettings.has('bare'));
  byId('frame').style.inlineSize = chosenSettings.get('width') ?? '';

  // The pictures of the documents are in English as a whole.
  const isEnglish = chosenSettings.get('names') === 'en';
  byId('frame').replaceChildren(playState(isEnglish ? inEnglish(state) : state).widget);

  const groups: { readonly title: string; readonly names: string[] }[] = [];
  for (const key of Object.keys(states)) {
    const title = groupTitle(key, language);
    if (title !== undefined) groups.push({ title, names: [] });
    groups.at(-1)?.names.push(key);
  }
  byId('states').replaceChildren(
    ...groups.flatMap(({ title, names }) => [
      create('h2', {}, title),
      ...names.map((key) => linkTo('state', key, stateTitle(key, language))),
    ]),
  );
  byId('state').replaceChildren(
    ...groups.map(({ title, names }) =>
      create(
        'optgroup',
        { label: title },
        ...names.map((key) => create('option', { value: key, selected: key === name }, stateTitle(key, language))),
      ),
    ),
  );
  byId('choices').replaceChildren(
    ...Object.entries(choiceValues).map(([key, values]) =>
      create('p', {}, ...values.map((value) => linkTo(key, value, titleOf(key, value, language)))),
    ),
  );
}

byId('state').addEventListener('change', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLSelectElement) location.hash = addressWith('state', currentTarget.value);
});
addEventListener('hashchange', showState);
showState();
