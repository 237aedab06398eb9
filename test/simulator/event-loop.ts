import type { Clock } from '../../src/server.ts';
import type { VirtualTime } from './virtual-time.ts';

interface Task {
  readonly ms: number;
  readonly run: () => void;
}

/** The event loop of a process. A turn runs the tasks that have come before it, one after the other. */
export class EventLoop {
  readonly #time: VirtualTime;
  readonly #turnMs: number;
  readonly #onTurn: () => void;
  #tasks: Task[] = [];
  #isTurning = false;
  #isKilled = false;

  /**
   * @param turnMs - how long a turn takes besides its tasks
   * @param onTurn - called at the beginning of each turn
   */
  constructor(time: VirtualTime, turnMs: number, onTurn: () => void) {
    this.#time = time;
    this.#turnMs = turnMs;
    this.#onTurn = onTurn;
  }

  /** Runs a task in a later turn. It occupies the loop for `ms` milliseconds. */
  post(ms: number, run: () => void): void {
    this.#tasks.push({ ms, run });
    if (!this.#isTurning) void this.#turn();
  }

  /** Resolves in a later turn. */
  enter(ms: number): Promise<void> {
    return new Promise((resolve) => this.post(ms, resolve));
  }

  /** No further task runs. */
  kill(): void {
    this.#isKilled = true;
  }

  /** The clock with timers that are as late as the loop. */
  clock(clock: Required<Clock>): Clock {
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      schedule: (ms, task) => {
        let isCancelled = false;
        const run = (): void => {
          if (!isCancelled) task();
        };
        const cancel = clock.schedule(ms, () => this.post(0, run));
        return () => {
          isCancelled = true;
          cancel();
        };
      },
    };
  }

  async #turn(): Promise<void> {
    this.#isTurning = true;
    while (this.#tasks.length > 0) {
      this.#onTurn();
      const tasks = this.#tasks;
      this.#tasks = [];
      await this.#time.sleep(this.#turnMs);
      for (const { ms, run } of tasks) {
        if (ms > 0) await this.#time.sleep(ms);
        if (this.#isKilled) return;
        run();
      }
    }
    this.#isTurning = false;
  }
}
