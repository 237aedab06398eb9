import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { createTexts, loadMessages, pickLanguage, type Messages, type Texts } from '../../i18n.ts';
import { onServer } from '../on-server.ts';

/** The language that holds where an element stands: its own, or the nearest ancestor's, through shadow roots. */
function languageAt(element: Element): string {
  const holder = element.closest('[lang]');
  if (holder !== null) return holder.getAttribute('lang') ?? '';
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? languageAt(root.host) : '';
}

/** The texts in the language of the place: the page's there, else the browser's. It follows when the page changes. */
export class Language implements ReactiveController {
  /** Undefined until the first catalogue is there. */
  texts: Texts | undefined;
  /** Resolves when the catalogue that is wanted is there. */
  loaded: Promise<void> = Promise.resolve();
  readonly #host: ReactiveControllerHost & Element;
  #wanted: string | undefined;
  #own: Partial<Messages> | undefined;
  #observer: MutationObserver | undefined;

  constructor(host: ReactiveControllerHost & Element) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#observer = new MutationObserver(() => this.#host.requestUpdate());
    this.#observer.observe(document, { subtree: true, attributeFilter: ['lang'] });
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
  }

  /** Looks where the host stands and loads what is missing. `own` are the merchant's wordings. */
  follow(own: Partial<Messages> | undefined): void {
    const wanted = onServer
      ? [this.#host.getAttribute('lang') ?? '']
      : [languageAt(this.#host), ...navigator.languages];
    const language = pickLanguage(wanted);
    if (language === this.#wanted && own === this.#own) return;
    this.#wanted = language;
    this.#own = own;
    const messages = loadMessages(language);
    if (messages instanceof Promise) this.loaded = this.#load(language, messages);
    else this.texts = createTexts(language, messages, own);
  }

  async #load(language: string, messages: Promise<Messages>): Promise<void> {
    // A catalogue that cannot be fetched is no reason to show nothing: the bundled one stands in.
    const texts = await messages.then(
      (loaded) => createTexts(language, loaded, this.#own),
      async () => createTexts('ru', await loadMessages('ru'), this.#own),
    );
    if (language !== this.#wanted) return;
    this.texts = texts;
    this.#host.requestUpdate();
  }
}
