// Every state of the widget, with a link to each: state, theme, language and width are in the URL's fragment.
import '../src/pay-invoice.ts';
import { byId, create } from './dom-helpers.ts';
import { playState } from './gallery-player.ts';
import { states } from './gallery-states.ts';
import { currentLanguage } from './texts.ts';

const choices = { theme: ['light', 'dark'], lang: ['ru', 'en'], width: ['100%', '320px', '480px', '768px'] };

/** The settings in the URL's fragment, completed with the defaults. */
function settings(): URLSearchParams {
  const chosen = new URLSearchParams(location.hash.slice(1));
  const defaults = { state: 'options', theme: 'light', lang: currentLanguage(), width: '100%' };
  for (const [name, value] of Object.entries(defaults)) if (!chosen.has(name)) chosen.set(name, value);
  return chosen;
}

function linkTo(name: string, value: string, text: string): HTMLAnchorElement {
  const target = settings();
  target.set(name, value);
  const link = create('a', { href: `#${target.toString()}` }, text);
  if (settings().get(name) === value) link.setAttribute('aria-current', 'true');
  return link;
}

function show(): void {
  const chosen = settings();
  const state = states[chosen.get('state') ?? ''];
  if (state === undefined) return;
  document.documentElement.lang = chosen.get('lang') ?? '';
  document.documentElement.dataset['theme'] = chosen.get('theme') ?? '';
  document.body.classList.toggle('bare', chosen.has('bare'));
  byId('frame').style.inlineSize = chosen.get('width') ?? '';

  byId('frame').replaceChildren(playState(state).widget);

  byId('states').replaceChildren(...Object.entries(states).map(([key, { title }]) => linkTo('state', key, title)));
  byId('choices').replaceChildren(
    ...Object.entries(choices).map(([key, values]) =>
      create('p', {}, ...values.map((value) => linkTo(key, value, value))),
    ),
  );
}

addEventListener('hashchange', show);
show();
