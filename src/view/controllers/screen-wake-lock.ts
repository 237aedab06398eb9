import type { LitElement, ReactiveController } from 'lit';

/** Keeps the screen of a phone on while its QR code is unfolded, so that another device can scan it. */
export class ScreenWakeLock implements ReactiveController {
  readonly #host: LitElement;
  readonly #isTouch: () => boolean;
  #lock: Promise<WakeLockSentinel | undefined> | undefined;
  readonly #update = (): void => {
    const isWanted = this.#host.isConnected && !document.hidden && this.#isTouch() && this.#isQrUnfolded;
    if (isWanted === !!this.#lock) return;
    if (isWanted) this.#lock = this.#request();
    else {
      // A browser releases the lock itself when the page is hidden.
      void this.#lock?.then((lock) => lock?.release());
      this.#lock = undefined;
    }
  };

  constructor(host: LitElement, isTouch: () => boolean) {
    this.#host = host;
    this.#isTouch = isTouch;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#update);
    // The event of `<details>` does not bubble.
    this.#host.renderRoot.addEventListener('toggle', this.#update, true);
  }

  hostUpdated(): void {
    this.#update();
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#update);
    this.#host.renderRoot.removeEventListener('toggle', this.#update, true);
    this.#update();
  }

  get #isQrUnfolded(): boolean {
    return this.#host.renderRoot.querySelector('[part=qr]')?.closest('details')?.open === true;
  }

  /** Undefined where the browser has no such lock, or refuses it, as with a low battery. */
  async #request(): Promise<WakeLockSentinel | undefined> {
    try {
      // eslint-disable-next-line compat/compat -- where it is missing, the call throws
      return await navigator.wakeLock.request('screen');
    } catch {
      return undefined;
    }
  }
}
