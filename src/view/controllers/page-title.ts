import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** The outcome at the beginning of the page's title, while nobody sees the page. */
export class PageTitle implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #look = (): void => this.#host.requestUpdate();
  #mark = '';

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#look);
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#look);
    this.show('');
  }

  /** Only the own mark is ever taken away, so that the page and other widgets may change the title too. */
  show(outcome: string): void {
    const mark = outcome && document.hidden ? `${outcome} ·` : '';
    if (mark === this.#mark) return;
    document.title = `${mark} ${document.title.replace(this.#mark, '').trim()}`.trim();
    this.#mark = mark;
  }
}
