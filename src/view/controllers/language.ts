import type { ReactiveController, ReactiveControllerHost } from 'lit';
import {
  bundledMessages,
  canonicalTag,
  createFirstFileTranslator,
  loadMessages,
  localeListeners,
  pickFormattingLanguage,
  pickLanguage,
  type MessageOverrides,
  type LoadedMessages,
  type FirstFileTranslator,
} from '../../i18n.ts';
import type { Clock } from '../../core.ts';

type LanguageHost = ReactiveControllerHost & Element & { readonly messages: MessageOverrides | undefined };

/** The delay before a catalogue is loaded again after a failure, in ms. */
const reloadMs = 5000;

/** The `lang` of the element or of its nearest ancestor, through shadow roots. One that is empty or no language tag counts as none. */
export function languageAt(element: Element): string {
  const { parentElement: parent } = element;
  const root = element.getRootNode();
  return (
    canonicalTag(element.getAttribute('lang')) ??
    (parent ? languageAt(parent) : root instanceof ShadowRoot ? languageAt(root.host) : '')
  );
}

/** The texts in the language of the host's place in the page at the last update, else of the browser. */
export class LanguageController implements ReactiveController {
  /** Undefined until the first catalogue is loaded. */
  texts: FirstFileTranslator | undefined;
  /** Resolves when there are texts: those of the current language, or Russian texts until its catalogue is loaded. */
  loaded: Promise<void> = Promise.resolve();
  readonly #host: LanguageHost;
  readonly #clock: Clock;
  readonly #readMessages: () => MessageOverrides | undefined;
  readonly #onError: (cause: unknown) => void;
  #language: string | undefined;
  #pageMessages: MessageOverrides | undefined;
  #overrides: MessageOverrides | undefined;
  readonly #onRegister = (): void => {
    this.#language = undefined;
    this.#host.requestUpdate();
  };

  /**
   * @param readMessages - a copy of the page's texts; undefined where they cannot be read
   * @param onError - called each time when a catalogue has failed or has not come in time
   */
  constructor(
    host: LanguageHost,
    clock: Clock,
    readMessages: () => MessageOverrides | undefined,
    onError: (cause: unknown) => void,
  ) {
    this.#host = host;
    this.#clock = clock;
    this.#readMessages = readMessages;
    this.#onError = onError;
    host.addController(this);
  }

  /** Whether the texts are those of the page's language. */
  get isComplete(): boolean {
    return this.texts?.language === this.#language;
  }

  hostConnected(): void {
    localeListeners.add(this.#onRegister);
  }

  hostUpdate(): void {
    this.#select([languageAt(this.#host), ...navigator.languages]);
  }

  hostDisconnected(): void {
    localeListeners.delete(this.#onRegister);
  }

  /** Selects the first language (BCP 47) that has a catalogue, and loads it. */
  #select(languages: readonly string[]): void {
    const { messages: pageMessages } = this.#host;
    const language = pickFormattingLanguage(languages, pageMessages);
    if (language === this.#language && pageMessages === this.#pageMessages) return;
    this.#language = language;
    this.#pageMessages = pageMessages;
    const overrides = (this.#overrides = this.#readMessages());
    const messages = loadMessages(pickLanguage(languages));
    if (messages instanceof Promise) this.loaded = this.#load(language, messages);
    else this.texts = createFirstFileTranslator(language, messages, overrides);
  }

  async #load(language: string, messages: Promise<LoadedMessages>): Promise<void> {
    try {
      const catalogue = await messages;
      if (language === this.#language) this.texts = createFirstFileTranslator(language, catalogue, this.#overrides);
    } catch (cause) {
      this.#onError(cause);
      if (language !== this.#language) return;
      // The bundled Russian texts are better than none.
      this.texts = createFirstFileTranslator('ru', bundledMessages, this.#overrides);
      this.#clock.schedule(reloadMs, () => language === this.#language && this.#onRegister());
    }
    this.#host.requestUpdate();
  }
}
