import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';

/** The outcome for the page's title; an empty string while there is none. */
export function outcomeTitle({ status }: CheckoutState, texts: Translator | undefined): string {
  return texts && (status === 'paid' || status === 'failed' || status === 'expired') ? texts.m(`${status}.title`) : '';
}

/** Puts the outcome in front of the page's title while the page is hidden. */
export class PageTitleController implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #outcome: () => string;
  readonly #update = (): void => this.#host.requestUpdate();
  #prefix = '';

  /** @param outcome - the text to show, or an empty string */
  constructor(host: ReactiveControllerHost, outcome: () => string) {
    this.#host = host;
    this.#outcome = outcome;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#update);
  }

  hostUpdated(): void {
    this.#show(this.#outcome());
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#update);
    this.#show('');
  }

  /** Replaces only its own prefix: the page and other widgets may change the title too. */
  #show(outcome: string): void {
    const prefix = outcome && document.hidden ? `${outcome} ·` : '';
    if (prefix === this.#prefix) return;
    document.title = `${prefix} ${document.title.replace(this.#prefix, '').trim()}`.trim();
    this.#prefix = prefix;
  }
}
