import type { PayInvoiceElement } from '../src/element.ts';
import type { GalleryState } from './gallery-states.ts';

/** Does what a payer does to come to the state, as soon as the widget is ready. */
export function playState(widget: PayInvoiceElement, state: GalleryState): void {
  widget.addEventListener('pay-invoice-ready', () => play(widget, state), { once: true });
}

function play(widget: PayInvoiceElement, { type, click, clipboard, later, breaks }: GalleryState): void {
  if (type !== undefined) typeAmount(widget, type);
  if (click === 'leave') last(widget, '.screen button', HTMLButtonElement)?.click();
  if (click === 'phone' || click === 'check') last(widget, '[part=actions] button', HTMLButtonElement)?.click();
  if (click === 'continue') last(widget, '[part=continue]', HTMLButtonElement)?.click();
  if (clipboard !== undefined) playClipboard(clipboard);
  if (click === 'copy') widget.shadowRoot?.querySelector<HTMLButtonElement>('[part=copy]')?.click();
  if (click === 'app') void followNowhere(widget);
  if (later === true) skipTwoMinutes();
  if (breaks === true) void widget.refresh();
}

function last<T extends HTMLElement>(widget: HTMLElement, selector: string, kind: new () => T): T | undefined {
  const found = [...(widget.shadowRoot?.querySelectorAll(selector) ?? [])];
  return found.filter((one): one is T => one instanceof kind).at(-1);
}

function typeAmount(widget: HTMLElement, text: string): void {
  const field = last(widget, 'input[inputmode]', HTMLInputElement);
  if (field === undefined) return;
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
}

/** Follows the link to the bank's app as in an in-app browser, which ignores it. */
async function followNowhere(widget: HTMLElement): Promise<void> {
  // What comes after it would count as a payer who has been away.
  if (document.readyState !== 'complete') await new Promise((go) => addEventListener('pageshow', go, { once: true }));
  widget.addEventListener('click', (event) => event.preventDefault());
  last(widget, '[part=qr-link]', HTMLAnchorElement)?.click();
}

/** A clipboard that does as it is told. */
function playClipboard(what: 'takes' | 'refuses'): void {
  navigator.clipboard.writeText = () => (what === 'takes' ? Promise.resolve() : Promise.reject(new Error(what)));
}

/** Lets two minutes pass for the widget, as far as the page's clock tells it. */
function skipTwoMinutes(): void {
  const now = performance.now.bind(performance);
  performance.now = () => now() + 125_000;
}
