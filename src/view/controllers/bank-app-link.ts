import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { PageLifecycle, Clock } from '../../core.ts';

/** Whether the device is a phone, which can open a bank's app itself. */
export class TouchDevice implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #update = (): void => this.#host.requestUpdate();
  #media: MediaQueryList | undefined;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  get matches(): boolean {
    return this.#media?.matches === true;
  }

  hostConnected(): void {
    this.#media = matchMedia('(pointer: coarse), (max-width: 30em)');
    this.#media.addEventListener('change', this.#update);
  }

  hostDisconnected(): void {
    this.#media?.removeEventListener('change', this.#update);
  }
}

/** A bank's app that opens has replaced the page by then. */
const launchMs = 2500;

/** Detects that a link to a bank's app was clicked and no app opened: in-app browsers ignore such links. */
export class AppLaunchFallback implements ReactiveController {
  appDidNotOpen = false;
  readonly #host: ReactiveControllerHost;
  readonly #clock: Clock;
  readonly #pageLifecycle: PageLifecycle;
  readonly #onHelp: () => void;
  #cancel: (() => void) | undefined;

  /** @param onHelp - called when no app opened: the host shows what to do then */
  constructor(host: ReactiveControllerHost, clock: Clock, pageLifecycle: PageLifecycle, onHelp: () => void) {
    this.#host = host;
    this.#clock = clock;
    this.#pageLifecycle = pageLifecycle;
    this.#onHelp = onHelp;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#stop();
  }

  /** A link was clicked: no app opened if the page is still visible when the time is over and never was hidden. */
  start(): void {
    this.#stop();
    const stopTimer = this.#clock.schedule(launchMs, () => {
      this.#stop();
      this.appDidNotOpen = this.#pageLifecycle.isVisible();
      this.#host.requestUpdate();
      if (this.appDidNotOpen) this.#onHelp();
    });
    const unsubscribe = this.#pageLifecycle.onResume(() => this.#stop());
    this.#cancel = () => {
      stopTimer();
      unsubscribe();
    };
  }

  /** Forgets the last click: another invoice is shown. */
  reset(): void {
    this.#stop();
    this.appDidNotOpen = false;
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
