import type { PayInvoiceElement } from '../src/element.ts';
import { create } from './dom-helpers.ts';
import { transportOf, type GalleryState } from './gallery-states.ts';

/** A widget that reaches a state of the gallery once it is in the page. */
export interface PlayedWidget {
  readonly widget: PayInvoiceElement;
  /** Resolves once the payer's actions are done. */
  readonly played: Promise<void>;
}

/** Creates a widget over the state's backend, and performs the payer's actions that lead to the state. */
export function playState(state: GalleryState, properties: Partial<PayInvoiceElement> = {}): PlayedWidget {
  setInApp(state.inApp === true);
  const widget = create('pay-invoice', {
    checkout: 'chk_gallery',
    phoneUrl: state.phoneUrl ?? '',
    returnAfter: state.returnAfter ?? 0,
    transport: transportOf(state),
    ...properties,
  });
  const lines = state.order?.split('\n').map((line) => create('p', { slot: 'order' }, line)) ?? [];
  widget.append(...lines);
  return { widget, played: performActions(widget, state) };
}

async function performActions(widget: PayInvoiceElement, state: GalleryState): Promise<void> {
  const { typedAmount, click, clipboard, twoMinutesLater, laterReadsFail } = state;
  if (typedAmount === undefined && click === undefined && twoMinutesLater !== true && laterReadsFail !== true) return;
  await new Promise((resolve) => widget.addEventListener('pay-invoice-ready', resolve, { once: true }));
  // What these clicks need is in the second file, which may come after the first screen is ready.
  if (click === 'leave' || click === 'phone' || click === 'copy' || click === 'app')
    await appearanceOf(widget, '.tail button');
  if (click === 'check' || click === 'again') await appearanceOf(widget, '[part=actions] button');
  if (typedAmount !== undefined) {
    await appearanceOf(widget, '#amount-note:not(:empty)');
    typeAmount(widget, typedAmount);
  }
  if (click === 'leave') find(widget, '.tail button')[0]?.click();
  if (click === 'phone') find(widget, '.links button')[0]?.click();
  if (click === 'check') find(widget, '[part=actions] button')[0]?.click();
  if (click === 'again') find(widget, '[part=actions] button')[1]?.click();
  if (click === 'continue') find(widget, '[part=continue]')[0]?.click();
  if (click === 'copy') copyFirst(widget, clipboard);
  if (click === 'save') await saveQr(widget);
  if (click === 'app') await clickIgnoredLink(widget);
  if (twoMinutesLater === true) skipTwoMinutes();
  // One read that fails is no reason to worry the payer.
  for (let read = 0; laterReadsFail === true && read < 2; read += 1) await widget.refresh();
}

const find = (widget: HTMLElement, selector: string): readonly HTMLElement[] => [
  ...(widget.shadowRoot?.querySelectorAll<HTMLElement>(selector) ?? []),
];

function typeAmount(widget: HTMLElement, text: string): void {
  const [field] = find(widget, 'input[inputmode]');
  if (!(field instanceof HTMLInputElement)) return;
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Copies the first value, with a clipboard that accepts or refuses it. */
function copyFirst(widget: HTMLElement, clipboard: GalleryState['clipboard']): void {
  navigator.clipboard.writeText = () =>
    clipboard === 'accepts' ? Promise.resolve() : Promise.reject(new Error('refused'));
  // The widget then tries a copy event of the page, which is refused too.
  Object.defineProperty(document, 'execCommand', { value: () => false, configurable: true });
  find(widget, '[part~=copy]')[0]?.click();
  Reflect.deleteProperty(navigator.clipboard, 'writeText');
  setTimeout(() => Reflect.deleteProperty(document, 'execCommand'));
}

/** Clicks the link to the bank's app. The click has no effect, as in an in-app browser, which ignores such links. */
async function clickIgnoredLink(widget: HTMLElement): Promise<void> {
  // A `pageshow` after the click would look like the return of a payer who had left the page.
  if (document.readyState !== 'complete')
    await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }));
  widget.addEventListener('click', (event) => event.preventDefault());
  find(widget, '[part=qr-link]')[0]?.click();
}

/** Saves the QR in an in-app browser, where it becomes an image to press and hold. On a phone the QR is unfolded first. */
async function saveQr(widget: HTMLElement): Promise<void> {
  await appearanceOf(widget, '.tail');
  const [details] = find(widget, '.fold');
  if (!(details instanceof HTMLDetailsElement)) return; // A desktop offers no picture.
  details.open = true;
  await appearanceOf(widget, '[part=qr]');
  (await appearanceOf(widget, '.qr button')).click();
  await appearanceOf(widget, '.qr button + p');
}

/** Resolves with the first element that matches the selector, once the widget has one. */
export function appearanceOf(widget: HTMLElement, selector: string): Promise<HTMLElement> {
  return new Promise((resolve) => {
    const observer = new MutationObserver(check);
    observer.observe(widget.shadowRoot ?? widget, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    check();

    function check(): void {
      const [element] = find(widget, selector);
      if (element === undefined) return;
      observer.disconnect();
      resolve(element);
    }
  });
}

/** Makes the page detect Telegram's in-app browser, or an ordinary browser. */
function setInApp(isInApp: boolean): void {
  if (isInApp) Object.assign(globalThis, { TelegramWebviewProxy: {} });
  else Reflect.deleteProperty(globalThis, 'TelegramWebviewProxy');
}

/** Moves the page's monotonic clock forward by a little more than two minutes, until the page is reloaded. */
function skipTwoMinutes(): void {
  const now = performance.now.bind(performance);
  performance.now = () => now() + 125_000;
}
