import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Clock } from '../../core.ts';

/** How often the screen shows that time passes, in ms. Each change makes the browser recalculate styles. */
const stepMs = 10_000;

/** How long an invoice has been created. Something changes on the screen also where motion is reduced. */
export class CreatingTime implements ReactiveController {
  /** In whole steps, in ms; 0 while no invoice is created. */
  elapsedMs = 0;
  readonly #host: ReactiveControllerHost;
  readonly #clock: Clock;
  readonly #isCreating: () => boolean;
  #startedAt = 0;
  #cancel: (() => void) | undefined;

  constructor(host: ReactiveControllerHost, clock: Clock, isCreating: () => boolean) {
    this.#host = host;
    this.#clock = clock;
    this.#isCreating = isCreating;
    host.addController(this);
  }

  hostUpdate(): void {
    const isCreating = this.#isCreating();
    if (isCreating === !!this.#cancel) return;
    this.hostDisconnected();
    this.#startedAt = this.#clock.now();
    if (isCreating) this.#wait();
  }

  hostDisconnected(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.elapsedMs = 0;
  }

  #wait(): void {
    this.#cancel = this.#clock.schedule(stepMs, () => {
      // A hidden page's timers come late, and each a little early.
      this.elapsedMs = Math.round((this.#clock.now() - this.#startedAt) / stepMs) * stepMs;
      this.#wait();
      this.#host.requestUpdate();
    });
  }
}
