import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { PageLifecycle, Clock } from '../../core.ts';

/** A bank's app that opens hides the page within this time, in ms. */
const launchMs = 2500;

/** Detects that no app opened after a click on a link to a bank's app: in-app browsers ignore such links. */
export class AppLaunchFallback implements ReactiveController {
  readonly #clock: Clock;
  readonly #pageLifecycle: PageLifecycle;
  readonly #onFailure: () => void;
  #cancel: (() => void) | undefined;

  /** @param onFailure - called when no app opened */
  constructor(host: ReactiveControllerHost, clock: Clock, pageLifecycle: PageLifecycle, onFailure: () => void) {
    this.#clock = clock;
    this.#pageLifecycle = pageLifecycle;
    this.#onFailure = onFailure;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.stop();
  }

  /** Call it when a link is clicked. If the page stays visible for `launchMs`, no app has opened. */
  start(): void {
    this.stop();
    const stopTimer = this.#clock.schedule(launchMs, () => {
      this.stop();
      if (this.#pageLifecycle.isVisible()) this.#onFailure();
    });
    const unsubscribe = this.#pageLifecycle.onResume(() => this.stop());
    this.#cancel = () => {
      stopTimer();
      unsubscribe();
    };
  }

  /** Ends the detection for the last click. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
