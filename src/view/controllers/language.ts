import type { ReactiveController, ReactiveControllerHost } from 'lit';
import {
  createOptionsTranslator,
  loadMessages,
  pickLanguage,
  type Messages,
  type OptionsTranslator,
} from '../../i18n.ts';
import { onServer } from '../on-server.ts';

type LanguageHost = ReactiveControllerHost & Element & { readonly messages: Partial<Messages> | undefined };

/** The `lang` of the element or of its nearest ancestor, through shadow roots. */
function languageAt(element: Element): string {
  const holder = element.closest('[lang]');
  if (holder !== null) return holder.getAttribute('lang') ?? '';
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? languageAt(root.host) : '';
}

/** The texts in the language of the place where the host stands, else of the browser. Updates when the page's changes. */
export class LanguageController implements ReactiveController {
  /** Undefined until the first catalogue is loaded. */
  texts: OptionsTranslator | undefined;
  /** Resolves when the catalogue of the current language is loaded. */
  loaded: Promise<void> = Promise.resolve();
  readonly #host: LanguageHost;
  #language: string | undefined;
  #overrides: Partial<Messages> | undefined;
  #observer: MutationObserver | undefined;

  constructor(host: LanguageHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#observer = new MutationObserver(() => this.#host.requestUpdate());
    this.#observer.observe(document, { subtree: true, attributeFilter: ['lang'] });
  }

  hostUpdate(): void {
    const host = this.#host;
    this.#select(onServer ? [host.getAttribute('lang') ?? ''] : [languageAt(host), ...navigator.languages]);
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
  }

  /** Selects the language now. Resolves when its catalogue is loaded. */
  load(): Promise<void> {
    this.hostUpdate();
    return this.loaded;
  }

  /** Selects the first supported language (BCP 47) and loads its catalogue. */
  #select(languages: readonly string[]): void {
    const language = pickLanguage(languages);
    const { messages: overrides } = this.#host;
    if (language === this.#language && overrides === this.#overrides) return;
    this.#language = language;
    this.#overrides = overrides;
    const messages = loadMessages(language);
    if (messages instanceof Promise) this.loaded = this.#load(language, messages);
    else this.texts = createOptionsTranslator(language, messages, overrides);
  }

  async #load(language: string, messages: Promise<Messages>): Promise<void> {
    // When a catalogue cannot be fetched, the bundled one is used.
    const texts = await messages.then(
      (loaded) => createOptionsTranslator(language, loaded, this.#overrides),
      async () => createOptionsTranslator('ru', await loadMessages('ru'), this.#overrides),
    );
    if (language !== this.#language) return;
    this.texts = texts;
    this.#host.requestUpdate();
  }
}
