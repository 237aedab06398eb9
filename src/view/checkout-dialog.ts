import { adoptStyles, css } from 'lit';
import {
  createFirstFileTranslator,
  loadMessages,
  pickFormattingLanguage,
  pickLanguage,
  type LoadedMessages,
} from '../i18n.ts';
import type { Checkout, CheckoutStatus } from '../checkout-api.ts';
import { PayInvoiceElement } from './pay-invoice-element.ts';
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
 * has removed it. While it is open, the page does not scroll. Rejects with a TypeError when `signal` is not an AbortSignal.
 * Closing keeps the invoice: when the same checkout is opened again, it shows that invoice. The focus returns to where it was.
 * The tag is in the page's body, where the page's styles reach it, and where the page can append children for its slots.
 */
export async function openCheckout(options: CheckoutDialogOptions): Promise<CheckoutDialogOutcome> {
  const languages = [options.lang ?? document.documentElement.lang, ...navigator.languages];
  if (options.signal?.aborted === true) return { status: undefined, checkout: undefined };

  const dialog = document.createElement('dialog');
  const closeDialog = (): void => dialog.close();
  // Before the dialog is on the page: what is no signal throws here.
  options.signal?.addEventListener('abort', closeDialog);
  const host = Object.assign(document.createElement('div'), { className: 'pay-invoice-dialog' });
  const root = host.attachShadow({ mode: 'open' });
  adoptStyles(root, [dialogStyles]);
  dialog.part.add('dialog');
  dialog.lang = pickFormattingLanguage(languages, options.messages);
  const button = document.createElement('button');
  button.type = 'button';
  button.part.add('close');
  const setTexts = (messages: LoadedMessages): void => {
    const { m } = createFirstFileTranslator(dialog.lang, messages, options.messages);
    dialog.setAttribute('aria-label', m('widget.name'));
    button.textContent = m('dialog.close');
  };
  button.addEventListener('click', () => dialog.close());
  const widget = Object.assign(document.createElement('pay-invoice'), propertiesOf(options));
  if (options.theme !== undefined && options.theme !== 'auto') dialog.style.colorScheme = options.theme;
  dialog.append(button, document.createElement('slot'));
  const messages = loadMessages(pickLanguage(languages));
  if (messages instanceof Promise) {
    // The dialog does not wait for a language's file: until then its button shows a cross.
    button.textContent = '✕';
    const fallBack = (): ReturnType<typeof loadMessages> => {
      dialog.lang = 'ru';
      return loadMessages('ru');
    };
    void messages.catch(fallBack).then(setTexts);
  } else setTexts(messages);
  root.append(dialog);
  host.append(widget);
  document.body.append(host);

  const dialogClosed = new Promise<void>((resolve) => {
    dialog.addEventListener('close', () => resolve(), { once: true });
    // A dialog that the page removes does not report that it closes.
    widget.addController({ hostDisconnected: resolve });
  });
  dialog.showModal();
  // A sheet of each dialog: what the page and other dialogs say of the page's `overflow` stays as it is.
  const pageStyles = new CSSStyleSheet();
  pageStyles.replaceSync('html { overflow: hidden !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, pageStyles];
  await dialogClosed;

  options.signal?.removeEventListener('abort', closeDialog);
  pageStyles.replaceSync(''); // first: a page that has saved the list may bring the sheet back
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== pageStyles);
  const { state } = widget;
  host.remove();
  const checkout = 'checkout' in state ? state.checkout : undefined;
  return { status: checkout?.status, checkout };
}

/** The options of the element that are set. Options that are not set keep the element's defaults. */
function propertiesOf(options: PayInvoiceOptions): Partial<PayInvoiceOptions> {
  const names = ['lang', ...Object.keys(PayInvoiceElement.properties)];
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

/** The native dialog around a checkout, and the button that closes it. */
const dialogStyles = css`
  dialog {
    box-sizing: border-box;
    font-size: medium;
    width: min(32em, 100vw);
    max-width: 100vw;
    max-height: 100vh;
    max-height: 100dvh;
    margin: auto;
    padding: 0.75em;
    border: 0;
    background: none;
    overscroll-behavior: contain;
    scroll-padding-block-start: 4em; /* the button stays above what is scrolled */
  }

  dialog::backdrop {
    background: rgb(10 14 24 / 55%);
  }

  button {
    position: sticky;
    z-index: 1;
    inset-block-start: 0;
    display: block;
    min-width: 2.75em;
    min-height: 2.75em;
    margin-block: 0 0.5em;
    margin-inline: auto 0;
    padding: 0 1em;
    border: 0;
    border-radius: 1.375em;
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
`;
