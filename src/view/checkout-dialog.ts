import { adoptStyles, css, unsafeCSS } from 'lit';
import {
  createFirstFileTranslator,
  dialogTexts,
  loadMessages,
  pickFormattingLanguage,
  pickLanguage,
  type LoadedMessages,
  type MessageOverrides,
} from '../i18n.ts';
import { CheckoutOptionsError, checkNames } from '../base/options-error.ts';
import type { Checkout, CheckoutStatus } from '../checkout-api.ts';
import { PayInvoiceElement } from './pay-invoice-element.ts';
import { languageAt } from './controllers/language.ts';
import type { PayInvoiceOptions } from './pay-invoice-options.ts';

/** The element's options, and a signal to close the dialog. */
export interface CheckoutDialogOptions extends PayInvoiceOptions {
  /** Closes the dialog when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The checkout when its dialog closed; undefined when it was not loaded yet. */
export interface CheckoutDialogOutcome {
  readonly status: CheckoutStatus | undefined;
  readonly checkout: Checkout | undefined;
}

/**
 * Shows a checkout in a native `<dialog>` and resolves when it closes: by its button, by Escape, by `signal`, or because the page
 * has removed or hidden it. While it is open, the page does not scroll. Rejects with a `CheckoutOptionsError` where an option is unknown or
 * `signal` is not an AbortSignal. However it ends, the page scrolls again and has nothing of the dialog.
 * Closing keeps the invoice: when the same checkout is opened again, it shows that invoice. The focus returns to where it was.
 * The tag is in the page's body, where the page's styles reach it, and where the page can append children for its slots.
 * @example
 * ```ts
 * import { openCheckout } from 'pay-invoice/dialog';
 *
 * const { status } = await openCheckout({ checkout: 'chk_of_the_order', theme: 'dark' });
 * if (status === 'paid') location.assign('/thank-you'); // the shop's server delivers, not this page
 * ```
 */
export async function openCheckout(options: CheckoutDialogOptions): Promise<CheckoutDialogOutcome> {
  checkNames('options', options, ['signal', ...elementOptions]);
  const { signal } = options;
  if (signal && !isSignal(signal))
    throw new CheckoutOptionsError({ path: 'signal', message: 'signal: must be an AbortSignal' });
  if (signal?.aborted) return { status: undefined, checkout: undefined };

  const widget = Object.assign(document.createElement('pay-invoice'), propertiesOf(options));
  const host = Object.assign(document.createElement('div'), { className: 'pay-invoice-dialog' });
  // A sheet of each dialog: what the page and other dialogs say of the page's `overflow` stays as it is.
  const pageStyles = new CSSStyleSheet();
  const ended = new AbortController();
  try {
    const dialog = createDialog(options, host, widget);
    const closed = whenClosed(dialog, widget, ended.signal);
    signal?.addEventListener('abort', () => dialog.close(), { signal: ended.signal });
    dialog.showModal();
    pageStyles.replaceSync(pageRules);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, pageStyles];
    await closed;
  } finally {
    ended.abort();
    host.remove(); // and with it a dialog that is modal
    pageStyles.replaceSync(''); // first: a page that has saved the list may bring the sheet back
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== pageStyles);
  }
  const { state } = widget;
  const checkout = 'checkout' in state ? state.checkout : undefined;
  return { status: checkout?.status, checkout };
}

/** The names of the element's options. */
const elementOptions = ['lang', ...Object.keys(PayInvoiceElement.properties)];

/** Whether it is a signal, also one of another frame. */
const isSignal = (signal: AbortSignal): boolean => Object.prototype.toString.call(signal) === '[object AbortSignal]';

/** The options of the element that are set. Options that are not set keep the element's defaults. */
function propertiesOf(options: PayInvoiceOptions): Partial<PayInvoiceOptions> {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => elementOptions.includes(name) && value !== undefined),
  );
}

/** Puts the dialog with the tag on the page, and not open yet. */
function createDialog(options: PayInvoiceOptions, host: HTMLElement, widget: PayInvoiceElement): HTMLDialogElement {
  const root = host.attachShadow({ mode: 'open' });
  adoptStyles(root, [dialogStyles]);
  const dialog = document.createElement('dialog');
  dialog.part.add('dialog');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = '✕';
  button.part.add('close');
  button.addEventListener('click', () => dialog.close());
  if (options.theme !== undefined && options.theme !== 'auto') dialog.style.colorScheme = options.theme;
  dialog.append(button, document.createElement('slot'));
  root.append(dialog);
  host.append(widget);
  document.body.append(host);
  setTexts(dialog, button, [languageAt(widget), ...navigator.languages], options.messages);
  return dialog;
}

/** Names the dialog and its button in the first of these languages (BCP 47) that has texts. */
function setTexts(
  dialog: HTMLDialogElement,
  button: HTMLButtonElement,
  languages: readonly string[],
  overrides: MessageOverrides | undefined,
): void {
  const write = (messages: LoadedMessages): void => {
    const { m } = createFirstFileTranslator(dialog.lang, { ...dialogTexts, ...messages }, overrides);
    dialog.setAttribute('aria-label', m('widget.name'));
    button.setAttribute('aria-label', m('dialog.close'));
  };
  dialog.lang = pickFormattingLanguage(languages, overrides);
  const messages = loadMessages(pickLanguage(languages));
  if (!(messages instanceof Promise)) {
    write(messages);
    return;
  }
  // The dialog does not wait for a language's file.
  const fallBack = (): ReturnType<typeof loadMessages> => {
    dialog.lang = 'ru';
    return loadMessages('ru');
  };
  void messages.catch(fallBack).then(write);
}

/** Resolves when the dialog is closed, or the page has hidden it or taken it, its open state or the tag away, of which no event tells. */
function whenClosed(dialog: HTMLDialogElement, widget: PayInvoiceElement, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(), { once: true });
    widget.addController({ hostDisconnected: resolve });
    const observer = new MutationObserver((changes) => {
      const isTaken = changes.some(({ removedNodes }) => [...removedNodes].includes(dialog));
      if (isTaken || !dialog.open) resolve();
    });
    observer.observe(dialog, { attributeFilter: ['open'] });
    observer.observe(dialog.getRootNode(), { childList: true });
    // A modal dialog that is not displayed would still block the page. This observer reports at the start, too.
    const visibility = new IntersectionObserver(() => {
      if (!dialog.getClientRects()[0]) resolve();
    });
    visibility.observe(dialog);
    ended.addEventListener('abort', () => {
      observer.disconnect();
      visibility.disconnect();
    });
  });
}

/** Below this width the dialog is a sheet at the lower edge of the window, as wide as it is. */
const sheetWidth = '40em';

/** What the page gets while a dialog is open. The button is in the row of the amount's label and the time, which end before it. */
const pageRules = `html { overflow: hidden !important }
.pay-invoice-dialog > pay-invoice::part(header) { padding-inline-end: 4em }
@media (width < ${sheetWidth}) { .pay-invoice-dialog > pay-invoice::part(base) { border: 0; border-radius: 0 } }`;

/**
 * The native dialog around a checkout, and the button that closes it. Its upper edge has the same place on every screen of the
 * checkout, however long that is.
 */
const dialogStyles = css`
  dialog {
    box-sizing: border-box;
    font-size: medium;
    width: min(32em, 100vw);
    max-width: 100vw;
    max-height: 100vh;
    max-height: 100dvh;
    margin: 0 auto auto;
    padding: min(8vh, 4em) 0.75em 0.75em;
    border: 0;
    background: none;
    overscroll-behavior: contain;
    visibility: visible; /* where the page hides what is around it: nobody could close a dialog that is not seen */
    scroll-padding-block-start: 4em; /* the button stays above what is scrolled */
  }

  dialog::backdrop {
    background: rgb(10 14 24 / 55%);
  }

  button {
    --size: max(2.75em, 44px);
    position: sticky;
    z-index: 1;
    inset-block-start: 0.5em;
    display: block;
    width: var(--size);
    height: var(--size);
    margin-block: 0.5em calc(-0.5em - var(--size));
    margin-inline: auto 0.5em;
    padding: 0;
    border: 0;
    border-radius: 50%;
    font: inherit;
    color: #141824;
    color: light-dark(#141824, #f1f3f8);
    background: #fff;
    background: light-dark(#fff, #2a2f3a);
    cursor: pointer;
  }

  button:focus-visible {
    outline: 3px solid light-dark(#3451d1, #9db0ff);
    outline-offset: 2px;
  }

  @media (width < ${unsafeCSS(sheetWidth)}) {
    dialog {
      width: 100vw;
      height: calc(100vh - 2em);
      height: calc(100dvh - 2em);
      margin: auto 0 0;
      padding: 0;
      border-radius: 1em 1em 0 0;
      background: var(--pay-invoice-surface, #fff);
      background: var(--pay-invoice-surface, light-dark(#fff, #171a21));
    }
  }

  @media (width < ${unsafeCSS(sheetWidth)}) and (prefers-reduced-motion: no-preference) {
    dialog {
      animation: rise 200ms ease-out;
    }

    @keyframes rise {
      from {
        transform: translateY(100%);
      }
    }
  }
`;
