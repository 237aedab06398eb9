import type { Clock } from '../../src/core.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Lets everything that waits for nothing but promises go on. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Time that a test moves: monotonic and wall clock, timers in the order in which they are due. */
export class FakeClock implements Clock {
  #now = 5000;
  #wall: number;
  readonly #timers = new Set<Timer>();

  constructor(wall = Date.UTC(2026, 10, 20, 10)) {
    this.#wall = wall;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#wall;
  }

  schedule(ms: number, callback: () => void): () => void {
    const timer: Timer = { due: this.#now + Math.max(0, ms), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers are waiting. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves both clocks, calling what becomes due on the way; ends with everything settled. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#move(Math.max(0, next.due - this.#now));
      this.#timers.delete(next);
      next.callback();
      await settle();
    }
    this.#move(end - this.#now);
  }

  /** The device sleeps: the wall clock goes on, the monotonic one and the timers stand still. */
  sleep(ms: number): void {
    this.#wall += ms;
  }

  /** The device is awake and late: both clocks went on, no timer was called. */
  stall(ms: number): void {
    this.#move(ms);
  }

  #move(ms: number): void {
    this.#now += ms;
    this.#wall += ms;
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || timer.due < first.due) first = timer;
    return first !== undefined && first.due <= end ? first : undefined;
  }
}
