import type { Clock as BaseClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/core.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Lets promises that are ready settle. Streams of requests and responses need several `turns` of the event loop. */
export async function settle(turns = 1): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * A clock that a test advances: monotonic and wall time, and timers in the order in which they are due. Use it when the test
 * decides how much time passes, and `AutoAdvancingClock` when only the result counts.
 */
export class FakeClock implements Clock {
  #now = 5000;
  #wall = Date.UTC(2026, 10, 20, 10);
  readonly #timers = new Set<Timer>();
  readonly #turns: number;

  /** @param turns How many turns of the event loop `advance` waits after each timer. */
  constructor(turns = 1) {
    this.#turns = turns;
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

  /** A timer that advances the clock by itself: its task runs in the next turn of the event loop. */
  scheduleNow(ms: number, callback: () => void): () => void {
    const timer: Timer = { due: this.#now + Math.max(0, ms), callback };
    this.#timers.add(timer);
    setImmediate(() => this.#fire(timer));
    return () => void this.#timers.delete(timer);
  }

  /** How many timers are waiting. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves both clocks, calling what becomes due on the way; ends with everything settled. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle(this.#turns);
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#fire(next);
      await settle(this.#turns);
    }
    this.#move(end - this.#now);
  }

  /** Moves both clocks, calling what becomes due on the way, without waiting for promises. */
  tick(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) this.#fire(next);
    this.#move(end - this.#now);
  }

  /** The device sleeps: the wall clock goes on, the monotonic one and the timers stand still. */
  sleep(ms: number): void {
    this.#wall += ms;
  }

  /** The wall clock is set; the monotonic one and the timers go on. */
  setWall(wall: number): void {
    this.#wall = wall;
  }

  /** The device is awake and late: both clocks went on, no timer was called. */
  stall(ms: number): void {
    this.#move(ms);
  }

  /** Calls a timer's task at the time at which it is due. */
  #fire(timer: Timer): void {
    if (!this.#timers.delete(timer)) return;
    this.#move(Math.max(0, timer.due - this.#now));
    timer.callback();
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

/** The sandbox's view of a fake clock: the time is wall time, and a foreground wait advances the clock at once. */
export class ServiceClock implements BaseClock {
  readonly #clock = new FakeClock(5);

  now(): number {
    return this.#clock.wall();
  }

  schedule(ms: number, task: () => void, background = false): () => void {
    return background ? this.#clock.schedule(ms, task) : this.#clock.scheduleNow(ms, task);
  }

  get pending(): number {
    return this.#clock.pending;
  }

  advance(ms: number): Promise<void> {
    return this.#clock.advance(ms);
  }
}
