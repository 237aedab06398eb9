// Every state of the widget by a link: state, theme, language and width are in the address's fragment.
import '../src/pay-invoice.ts';
import type { PayInvoiceElement } from '../src/element.ts';
import { byId, create } from './dom.ts';
import { states, transportOf, type GalleryState } from './gallery-states.ts';

const choices = { theme: ['light', 'dark'], lang: ['ru', 'en'], width: ['100%', '320px', '480px', '768px'] };

const settings = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

function linkTo(name: string, value: string, text: string): HTMLAnchorElement {
  const target = settings();
  target.set(name, value);
  const link = create('a', { href: `#${target.toString()}` }, text);
  if (settings().get(name) === value) link.setAttribute('aria-current', 'true');
  return link;
}

/** Lets two minutes pass for the widget, as far as the page's clock tells it. */
function skipTwoMinutes(): void {
  const now = performance.now.bind(performance);
  performance.now = () => now() + 125_000;
}

/** A clipboard that does as it is told. */
function playClipboard(what: 'takes' | 'refuses'): void {
  navigator.clipboard.writeText = () => (what === 'takes' ? Promise.resolve() : Promise.reject(new Error(what)));
}

/** Does what a payer does to come to the state. */
async function play(widget: PayInvoiceElement, { type, click, clipboard, breaks }: GalleryState): Promise<void> {
  const find = <T extends HTMLElement>(selector: string, kind: new () => T): T | undefined =>
    [...(widget.shadowRoot?.querySelectorAll(selector) ?? [])]
      .filter((found): found is T => found instanceof kind)
      .at(-1);
  if (type !== undefined) {
    const field = find('input[inputmode]', HTMLInputElement);
    if (field === undefined) return;
    field.value = type;
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  }
  if (click === 'leave') find('.screen button', HTMLButtonElement)?.click();
  if (click === 'phone') find('[part=actions] button', HTMLButtonElement)?.click();
  if (click === 'continue') find('[part=continue]', HTMLButtonElement)?.click();
  if (clipboard !== undefined) playClipboard(clipboard);
  if (click === 'copy') widget.shadowRoot?.querySelector<HTMLButtonElement>('[part=copy]')?.click();
  if (click === 'app') {
    // What comes after it would count as a payer who has been away.
    if (document.readyState !== 'complete') await new Promise((go) => addEventListener('pageshow', go, { once: true }));
    widget.addEventListener('click', (event) => event.preventDefault());
    find('[part=qr-link]', HTMLAnchorElement)?.click();
  }
  if (breaks === true) await widget.refresh();
}

function show(): void {
  const chosen = settings();
  const name = chosen.get('state') ?? 'options';
  const state = states[name];
  if (state === undefined) return;
  document.documentElement.lang = chosen.get('lang') ?? 'ru';
  document.documentElement.dataset['theme'] = chosen.get('theme') ?? 'light';
  document.body.classList.toggle('bare', chosen.has('bare'));
  byId('frame').style.inlineSize = chosen.get('width') ?? '100%';

  const widget = create('pay-invoice', {
    checkout: 'chk_gallery',
    phoneUrl: state.phoneUrl ?? '',
    transport: transportOf(state),
  });
  widget.addEventListener('pay-invoice-ready', () => void play(widget, state), { once: true });
  if (state.later === true) widget.addEventListener('pay-invoice-ready', skipTwoMinutes, { once: true });
  byId('frame').replaceChildren(widget);

  byId('states').replaceChildren(...Object.entries(states).map(([key, { title }]) => linkTo('state', key, title)));
  byId('choices').replaceChildren(
    ...Object.entries(choices).map(([key, values]) =>
      create('p', {}, ...values.map((value) => linkTo(key, value, value))),
    ),
  );
}

addEventListener('hashchange', show);
show();
