import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Clock, Deadline } from '../../core.ts';
import { stepOf } from '../../i18n.ts';

/** The time left until a deadline. It calls back only when the text of it can change. */
export class Countdown implements ReactiveController {
  /** Milliseconds; undefined where no time is to be shown. */
  left: number | undefined;
  /** The milliseconds in all, where they are known. */
  span: number | undefined;
  readonly #clock: Clock;
  readonly #onTick: () => void;
  #cancel: (() => void) | undefined;

  constructor(host: ReactiveControllerHost, clock: Clock, onTick: () => void) {
    this.#clock = clock;
    this.#onTick = onTick;
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
    this.span = deadline?.span;
    if (!this.left) return;
    const wait = this.left % stepOf(this.left) || stepOf(this.left);
    this.#cancel = this.#clock.schedule(Math.ceil(wait), () => {
      this.follow(deadline);
      this.#onTick();
    });
  }
}
