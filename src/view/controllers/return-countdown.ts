import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Clock } from '../../core.ts';

export interface ReturnCountdownOptions {
  readonly clock: Clock;
  /** The URL to open at the end; undefined while there is nothing to count down. */
  readonly url: () => string | undefined;
  /** How long to count, in seconds. */
  readonly seconds: () => number;
  readonly isVisible: () => boolean;
  readonly go: (url: string) => void;
}

/** Whether the payer came to this page by the browser's Back or Forward button. */
export const cameBack = (): boolean =>
  performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'back_forward');

/** Opens the shop's success URL once a checkout is paid, after a visible countdown that the payer can stop. */
export class ReturnCountdown implements ReactiveController {
  /** Undefined while no countdown runs. */
  secondsLeft: number | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #options: ReturnCountdownOptions;
  #url: string | undefined;
  #cancel: (() => void) | undefined;

  constructor(host: ReactiveControllerHost, options: ReturnCountdownOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostUpdate(): void {
    const url = this.#options.url();
    if (url === this.#url) return;
    this.#url = url;
    this.#end();
    if (url !== undefined) this.#count(url, Math.ceil(this.#options.seconds()));
  }

  /** Continues the countdown of an element that was moved in the document. */
  hostConnected(): void {
    if (this.#url !== undefined && this.secondsLeft !== undefined) this.#count(this.#url, this.secondsLeft);
  }

  hostDisconnected(): void {
    this.#cancel?.();
  }

  /** Stops the countdown, and the payer stays on the page. */
  stop(): void {
    this.#end();
    this.#host.requestUpdate();
  }

  #count(url: string, secondsLeft: number): void {
    this.secondsLeft = secondsLeft;
    this.#cancel = this.#options.clock.schedule(1000, () => {
      // The payer has to see the countdown to be able to stop it, so it pauses while the page is hidden.
      if (!this.#options.isVisible()) this.#count(url, secondsLeft);
      else if (secondsLeft > 1) this.#count(url, secondsLeft - 1);
      else {
        this.#end(); // A payer who comes back to the page is not sent away again.
        this.#options.go(url);
      }
      this.#host.requestUpdate();
    });
  }

  #end(): void {
    this.#cancel?.();
    this.secondsLeft = undefined;
  }
}
