import { html } from 'lit';
import { fixture } from '@open-wc/testing';
import '../../src/pay-invoice.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { states, transportOf, type GalleryState } from '../../demo/gallery-states.ts';
import type { CheckoutTransport, Clock } from '../../src/core.ts';

export function stateNamed(name: string): GalleryState {
  const state = states[name];
  if (state === undefined) throw new Error(`the gallery has no ${name}`);
  return state;
}

/** Waits until something is so; what it waits for is told when it never is. */
export async function until<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
  const end = performance.now() + 20_000;
  for (;;) {
    const found = look();
    if (found != null && found !== false) return found;
    if (performance.now() > end) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

export const rootOf = (widget: Element): ShadowRoot => {
  if (widget.shadowRoot === null) throw new Error('no shadow root');
  return widget.shadowRoot;
};

/** One element of the shadow tree, as the kind that it is. */
export function find<T extends Element>(widget: Element, selector: string, kind: new () => T): T {
  const found = rootOf(widget).querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`no ${selector} in ${rootOf(widget).innerHTML.slice(0, 2000)}`);
  return found;
}

export const all = (widget: Element, selector: string): HTMLElement[] => [
  ...rootOf(widget).querySelectorAll<HTMLElement>(selector),
];

/** The visible text, with plain spaces. */
export const textOf = (element: Element | null | undefined): string =>
  (element?.textContent ?? '').replace(/[\s\u00a0\u202f]+/g, ' ').trim();

export const button = (widget: Element, name: RegExp): HTMLButtonElement => {
  const found = all(widget, 'button').find((one) => name.test(one.getAttribute('aria-label') ?? textOf(one)));
  if (!(found instanceof HTMLButtonElement)) throw new Error(`no button ${String(name)}`);
  return found;
};

/** A widget on the page, over a transport, once its first picture is there. */
export async function mount(
  transport: CheckoutTransport,
  lang = 'ru',
  theme: 'light' | 'dark' = 'light',
): Promise<PayInvoiceElement> {
  const widget = await fixture<PayInvoiceElement>(
    html`<pay-invoice lang=${lang} theme=${theme} .transport=${transport}></pay-invoice>`,
  );
  await until('a picture', () => rootOf(widget).querySelector('h2'));
  return widget;
}

/** The widget in a state of the gallery, as a payer comes to it. */
export async function mountState(
  name: string,
  lang = 'ru',
  theme: 'light' | 'dark' = 'light',
): Promise<PayInvoiceElement> {
  const state = stateNamed(name);
  const widget = await mount(transportOf(state), lang, theme);
  widget.phoneUrl = state.phoneUrl ?? '';
  if (state.answer !== undefined) {
    await until('an answer', () => {
      const now = widget.state;
      return now.status !== 'loading' || now.connection.failures > 0;
    });
  }
  await settled(widget);
  if (state.type !== undefined) type(widget, state.type);
  if (state.click === 'leave') button(widget, /Другой|Another/).click();
  // A phone has no such button.
  if (state.click === 'phone') all(widget, '[part=actions] button')[0]?.click();
  if (state.click === 'check') button(widget, /Уже оплачено|I have paid/).click();
  if (state.click === 'continue') find(widget, '[part=continue]', HTMLButtonElement).click();
  if (state.click === 'copy') await copyFirst(widget, state.clipboard === 'takes');
  if (state.click === 'app') await followNowhere(widget);
  if (state.breaks === true) await widget.refresh();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await settled(widget);
  return widget;
}

/** Copies the first value, with a clipboard that takes it or refuses it. */
async function copyFirst(widget: PayInvoiceElement, takes: boolean): Promise<void> {
  navigator.clipboard.writeText = () => (takes ? Promise.resolve() : Promise.reject(new Error('refused')));
  find(widget, '[part=copy]', HTMLButtonElement).click();
  await until('the word of it', () => rootOf(widget).querySelector('dt > span'));
  Reflect.deleteProperty(navigator.clipboard, 'writeText');
}

/** Follows the link to the bank's app, which does not open; on a phone help comes. */
async function followNowhere(widget: PayInvoiceElement): Promise<void> {
  widget.addEventListener('click', (event) => event.preventDefault());
  find(widget, '[part=qr-link]', HTMLAnchorElement).click();
  if (matchMedia('(pointer: coarse), (max-width: 30em)').matches)
    await until('help', () => rootOf(widget).querySelector('.note'));
}

export function type(widget: Element, text: string): void {
  const field = find(widget, 'input[inputmode]', HTMLInputElement);
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
}

/** Waits for the render that is due, and for one that it led to. */
async function settled(widget: PayInvoiceElement): Promise<void> {
  while (!(await widget.updateComplete));
}

/** The next event of a name. */
export const next = <K extends keyof HTMLElementEventMap>(
  target: HTMLElement,
  name: K,
): Promise<HTMLElementEventMap[K]> => new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));

/** A clock that a test turns. */
export class FakeClock implements Clock {
  time = 0;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.time;
  }

  wall(): number {
    return this.time;
  }

  get pending(): number {
    return this.#timers.length;
  }

  schedule(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  tick(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.time = due.at;
      due.callback();
    }
    this.time = end;
  }
}
