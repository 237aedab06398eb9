import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Clock, Deadline } from '../../core.ts';
import { stepOf } from '../../i18n.ts';

/** The time left until a deadline. It wakes its host only when the text of it can change. */
export class Countdown implements ReactiveController {
  /** Milliseconds; undefined where no time is to be shown. */
  left: number | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;

  constructor(host: ReactiveControllerHost, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Looks at the clock, and again when the text changes. Without a deadline that is certain there is no time. */
  follow(deadline: Deadline | undefined): void {
    this.hostDisconnected();
    this.left = deadline?.certain ? Math.max(0, deadline.at - this.#clock.now()) : undefined;
    if (!this.left) return;
    const wait = this.left % stepOf(this.left) || stepOf(this.left);
    this.#cancel = this.#clock.schedule(Math.ceil(wait), () => this.#host.requestUpdate());
  }
}
