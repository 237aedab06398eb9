import type { ReactiveController, ReactiveControllerHost } from 'lit';

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
