import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Clock, Deadline } from '../../core.ts';
import { countdownStepMs } from '../../i18n.ts';
import { isServerRendering } from '../is-server-rendering.ts';

export interface CountdownOptions {
  readonly deadline: () => Deadline | undefined;
  /** Whether a server's markup shows the time. If so, an uncertain deadline is shown too, until a response replaces it. */
  readonly isRendered: () => boolean;
  /** Called when the displayed text changes. */
  readonly onTick: () => void;
}

/** The time left until a deadline. It ticks only when the displayed text can change. */
export class CountdownController implements ReactiveController {
  /** Undefined where no time is shown: without a deadline, or while the deadline is not certain. */
  remainingMs: number | undefined;
  /** The full length of the progress bar; undefined without a deadline. */
  totalMs: number | undefined;
  readonly #clock: Clock;
  readonly #options: CountdownOptions;
  #cancel: (() => void) | undefined;
  #renderedDeadline: Deadline | undefined;

  constructor(host: ReactiveControllerHost, clock: Clock, options: CountdownOptions) {
    this.#clock = clock;
    this.#options = options;
    host.addController(this);
  }

  hostUpdate(): void {
    this.#cancel?.();
    const deadline = this.#options.deadline();
    if (this.#options.isRendered()) this.#renderedDeadline = deadline;
    const remainingMs =
      deadline && (deadline.certain || deadline === this.#renderedDeadline)
        ? Math.max(0, deadline.at - this.#clock.now())
        : undefined;
    this.remainingMs = remainingMs;
    this.totalMs = deadline?.span;
    if (!remainingMs || isServerRendering) return;
    const stepMs = countdownStepMs(remainingMs);
    // Timers fire up to 1 ms early, and the text changes only with the step.
    this.#cancel = this.#clock.schedule(Math.ceil(remainingMs % stepMs || stepMs) + 1, () => {
      this.hostUpdate();
      this.#options.onTick();
    });
  }

  hostDisconnected(): void {
    this.#cancel?.();
  }
}
