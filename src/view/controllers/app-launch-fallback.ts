import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { PageLifecycle, Clock } from '../../core.ts';

/** A bank's app that opens has taken the screen by then. */
const patienceMs = 2500;

/** Notices that a link was clicked and the page is still there: in-app browsers ignore links to banks' apps. */
export class RescueController implements ReactiveController {
  stuck = false;
  readonly #host: ReactiveControllerHost;
  readonly #clock: Clock;
  readonly #attention: PageLifecycle;
  #cancel: (() => void) | undefined;

  constructor(host: ReactiveControllerHost, clock: Clock, attention: PageLifecycle) {
    this.#host = host;
    this.#clock = clock;
    this.#attention = attention;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** A link was clicked. Whoever comes back to the page within the time has been elsewhere. */
  watch(): void {
    this.hostDisconnected();
    const stopTimer = this.#clock.schedule(patienceMs, () => {
      this.hostDisconnected();
      this.stuck = this.#attention.isVisible();
      this.#host.requestUpdate();
    });
    const stopWaking = this.#attention.onResume(() => this.hostDisconnected());
    this.#cancel = () => {
      stopTimer();
      stopWaking();
    };
  }

  forget(): void {
    this.hostDisconnected();
    this.stuck = false;
  }
}
