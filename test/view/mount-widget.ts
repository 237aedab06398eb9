// Mounts widgets in states of the gallery, and reads their screens. The test imports the widget: from its source by
// widget-from-source.ts, or as it is built.
import { html } from 'lit';
import { assert, fixture, fixtureCleanup } from '@open-wc/testing';
import type { PayInvoiceElement } from '../../src/element.ts';
import { playState } from '../../demo/play-gallery-state.ts';
import { states, type GalleryState } from '../../demo/gallery-states.ts';
import type { CheckoutTransport } from '../../src/core.ts';

export function stateNamed(name: string): GalleryState {
  const state = states[name];
  if (state === undefined) throw new Error(`the gallery has no ${name}`);
  return state;
}

/** Polls until `read` returns something. Fails with the description after 45 seconds. */
export async function until<T>(description: string, read: () => T | null | undefined | false): Promise<T> {
  const end = performance.now() + 45_000;
  for (;;) {
    const result = read();
    if (result != null && result !== false) return result;
    if (performance.now() > end) throw new Error(`waited in vain for ${description}`);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

/** Sets whether the main pointer is a finger, as on a phone. Not every engine's driver can emulate a finger. */
export function setPhone(isPhone: boolean): void {
  fakePointer.isCoarse = isPhone;
  fakePointer.media.dispatchEvent(new Event('change'));
}

const fakePointer = { isCoarse: false, media: new EventTarget() };
Object.defineProperty(fakePointer.media, 'matches', { get: () => fakePointer.isCoarse });
const realMatchMedia = window.matchMedia.bind(window);
Object.defineProperty(window, 'matchMedia', {
  value: (query: string) => (query === '(pointer: coarse)' ? fakePointer.media : realMatchMedia(query)),
});

export const rootOf = (widget: Element): ShadowRoot => {
  if (widget.shadowRoot === null) throw new Error('no shadow root');
  return widget.shadowRoot;
};

/** Returns the first element of the shadow tree that matches the selector. Fails if it is missing or of another class. */
export function find<T extends Element>(widget: Element, selector: string, kind: new () => T): T {
  const element = rootOf(widget).querySelector(selector);
  if (!(element instanceof kind)) throw new Error(`no ${selector} in ${rootOf(widget).innerHTML.slice(0, 2000)}`);
  return element;
}

export const findAll = (widget: Element, selector: string): HTMLElement[] => [
  ...rootOf(widget).querySelectorAll<HTMLElement>(selector),
];

/** The text of an element, with plain spaces. */
export const textOf = (element: Element | null | undefined): string =>
  (element?.textContent ?? '').replace(/[\s\u00a0\u202f]+/g, ' ').trim();

export const findButton = (widget: Element, name: RegExp): HTMLButtonElement => {
  const button = findAll(widget, 'button').find((one) => name.test(one.title || textOf(one)));
  if (!(button instanceof HTMLButtonElement)) throw new Error(`no button ${String(name)}`);
  return button;
};

/** Mounts a widget with this transport on the page, and waits for its first render. */
export async function mount(
  transport: CheckoutTransport,
  lang = 'ru',
  theme: 'light' | 'dark' = 'light',
): Promise<PayInvoiceElement> {
  const widget = await fixture<PayInvoiceElement>(
    html`<pay-invoice lang=${lang} theme=${theme} .transport=${transport}></pay-invoice>`,
  );
  await until('the first render', () => rootOf(widget).querySelector('h2, h3'));
  return widget;
}

/** Mounts a widget in a state of the gallery, or in one that `change` makes of it. */
export async function mountState(
  name: string,
  lang = 'ru',
  theme: 'light' | 'dark' = 'light',
  change = (state: GalleryState): GalleryState => state,
): Promise<PayInvoiceElement> {
  const state = change(stateNamed(name));
  const { widget, played } = playState(state, { lang, theme });
  await fixture(html`${widget}`);
  await until('the first render', () => rootOf(widget).querySelector('h2, h3'));
  if (state.answer !== undefined) {
    await until('a response', () => {
      const { state: current } = widget;
      return current.status !== 'loading' || current.connection.failures > 0;
    });
  }
  await waitForRenders(widget);
  await played;
  if (state.click === 'copy') await until('the note', () => rootOf(widget).querySelector('dt > span'));
  if (state.click === 'app' && matchMedia('(pointer: coarse)').matches)
    await until('the help', () => rootOf(widget).querySelector('.note'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await waitForRenders(widget);
  return widget;
}

/** Runs a check in each state. Fails with the name and the findings of each state that has findings. */
export async function expectNoFindings(
  names: readonly string[],
  check: (name: string) => Promise<readonly string[]>,
): Promise<void> {
  const failures: Record<string, readonly string[]> = {};
  for (const name of names) {
    const findings = await check(name).catch((error: unknown) => [String(error)]);
    if (findings.length > 0) failures[name] = findings;
    fixtureCleanup();
  }
  assert.deepEqual(failures, {});
}

export function typeAmount(widget: Element, text: string): void {
  const field = find(widget, 'input[inputmode]', HTMLInputElement);
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
}

/** Waits until no render is pending. */
async function waitForRenders(widget: PayInvoiceElement): Promise<void> {
  while (!(await widget.updateComplete));
}

/** Resolves with the next event of this type. */
export const nextEvent = <K extends keyof HTMLElementEventMap>(
  target: HTMLElement,
  name: K,
): Promise<HTMLElementEventMap[K]> => new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
