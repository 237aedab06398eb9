// The gallery: a wall with a tile for every state of the widget, which opens it in full size. State, theme, language and width are in
// the URL's fragment.
import { byId, create } from './dom-helpers.ts';
import { playState } from './play-gallery-state.ts';
import { states } from './gallery-states.ts';
import { groupTitle, stateTitle } from './gallery-titles.ts';
import { GalleryWall, type TileGroup } from './gallery-wall.ts';
import { currentTheme } from './page-header.ts';
import { currentLanguage, fillTexts, languageNames, text, type Language } from './page-texts.ts';

const choiceValues = { theme: ['light', 'dark'], lang: ['ru', 'en', 'kk'], width: ['100%', '320px', '480px', '768px'] };

/** The settings in the URL's fragment. Settings that are not there have their defaults; without a state, the wall is shown. */
function settings(): URLSearchParams {
  const settingsInUrl = new URLSearchParams(location.hash.slice(1));
  const defaults = { theme: currentTheme(), lang: currentLanguage(), width: '100%' };
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

/** The address of the wall, with the other settings of the page. */
function addressOfWall(): string {
  const otherSettings = settings();
  otherSettings.delete('state');
  return `#${otherSettings.toString()}`;
}

const groupsOf = (language: Language): readonly TileGroup[] => {
  const groups: { readonly title: string; readonly tiles: TileGroup['tiles'][number][] }[] = [];
  for (const name of Object.keys(states)) {
    const title = groupTitle(name, language);
    if (title !== undefined) groups.push({ title, tiles: [] });
    groups.at(-1)?.tiles.push({ name, title: stateTitle(name, language), address: addressWith('state', name) });
  }
  return groups;
};

const backLink = (): HTMLAnchorElement | null => byId('back').querySelector('a');

const wall = new GalleryWall(byId('wall'));
/** The address for which the wall was built: it is kept while a state is open. */
let builtWall: string | undefined;
/** The state that is shown, or was shown before the wall. */
let shownState: string | undefined;

function show(): void {
  const chosenSettings = settings();
  const name = chosenSettings.get('state');
  const hadTileFocus = byId('wall').contains(document.activeElement);
  const language = chosenSettings.get('lang') === 'ru' ? 'ru' : 'en';
  fillTexts(language);
  document.documentElement.lang = chosenSettings.get('lang') ?? '';
  document.documentElement.dataset['theme'] = chosenSettings.get('theme') ?? '';
  document.body.classList.toggle('wall', name === null);
  byId('choices').replaceChildren(
    ...Object.entries(choiceValues).map(([key, values]) =>
      create('p', {}, ...values.map((value) => linkTo(key, value, titleOf(key, value, language)))),
    ),
  );
  if (name === null) showWall(language);
  else showState(name, language);
  if (name !== null && hadTileFocus) backLink()?.focus();
}

function showWall(language: Language): void {
  document.title = `pay-invoice: ${text('gallery', {}, language)}`;
  byId('frame').replaceChildren();
  if (builtWall !== addressOfWall()) wall.show(groupsOf(language));
  builtWall = addressOfWall();
  if (shownState !== undefined) wall.focus(shownState);
}

function showState(name: string, language: Language): void {
  const state = states[name];
  if (state === undefined) return;
  const title = stateTitle(name, language);
  document.title = `pay-invoice: ${title}`;
  byId('title').textContent = title;
  byId('frame').style.inlineSize = settings().get('width') ?? '';
  byId('frame').replaceChildren(playState(state).widget);

  const groups = groupsOf(language);
  byId('states').replaceChildren(
    ...groups.flatMap((group) => [
      create('h2', {}, group.title),
      ...group.tiles.map((tile) => linkTo('state', tile.name, tile.title)),
    ]),
  );
  byId('state').replaceChildren(
    ...groups.map((group) =>
      create(
        'optgroup',
        { label: group.title },
        ...group.tiles.map((tile) => create('option', { value: tile.name, selected: tile.name === name }, tile.title)),
      ),
    ),
  );
  backLink()?.setAttribute('href', addressOfWall());
  shownState = name;
}

byId('state').addEventListener('change', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLSelectElement) location.hash = addressWith('state', currentTarget.value);
});
addEventListener('hashchange', show);
show();
