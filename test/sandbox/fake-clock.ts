import type { Clock } from '../../src/base/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still. Who waits in the foreground is not kept waiting: the clock jumps ahead by that time.
 * Background timers fire when a test advances the clock over them.
 */
export class FakeClock implements Clock {
  #now = Date.UTC(2026, 10, 20, 10);
  #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  schedule(delayMs: number, callback: () => void, background = false): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    if (!background) setImmediate(() => this.#fire(timer));
    return () => this.#timers.delete(timer);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets time pass, firing what is due on the way and letting its consequences happen. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#fire(next);
      await settle();
    }
    this.#now = end;
  }

  #fire(timer: Timer): void {
    if (!this.#timers.delete(timer)) return;
    this.#now = Math.max(this.#now, timer.at);
    timer.callback();
  }
}

/** Lets promises and streams that are ready go on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
