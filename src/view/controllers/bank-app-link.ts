import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { PageLifecycle, Clock } from '../../core.ts';

/**
 * Whether the device is a phone or a tablet, which can open a bank's app itself. Detected by a coarse pointer or the user
 * agent, and not by the width of the window.
 */
export class TouchDevice implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #update = (): void => this.#host.requestUpdate();
  #media: MediaQueryList | undefined;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  get matches(): boolean {
    return this.#media?.matches === true || navigator.userAgent.includes('Mobi');
  }

  hostConnected(): void {
    this.#media = matchMedia('(pointer: coarse)');
    this.#media.addEventListener('change', this.#update);
  }

  hostDisconnected(): void {
    this.#media?.removeEventListener('change', this.#update);
  }
}

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
