import type { Clock as BaseClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/core.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Waits until promises that are ready have settled. Streams of requests and responses need several turns of the event loop. */
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

  /** Advances both clocks, calls the timers that become due meanwhile, and waits until promises that are ready have settled. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle(this.#turns);
    for (let nextTimer = this.#nextDue(end); nextTimer !== undefined; nextTimer = this.#nextDue(end)) {
      this.#fire(nextTimer);
      await settle(this.#turns);
    }
    this.#move(end - this.#now);
  }

  /** Advances both clocks and calls the timers that become due meanwhile, without waiting for promises. */
  tick(ms: number): void {
    const end = this.#now + ms;
    for (let nextTimer = this.#nextDue(end); nextTimer !== undefined; nextTimer = this.#nextDue(end))
      this.#fire(nextTimer);
    this.#move(end - this.#now);
  }

  /** Simulates a device that sleeps: the wall clock advances, but neither the monotonic clock nor the timers. */
  sleep(ms: number): void {
    this.#wall += ms;
  }

  /** Sets the wall clock, which does not affect the monotonic clock and the timers. */
  setWall(wall: number): void {
    this.#wall = wall;
  }

  /** Simulates a device that is awake but busy: both clocks advance, but no timer is called. */
  stall(ms: number): void {
    this.#move(ms);
  }

  /** Moves the clocks to the time at which the timer is due, and calls the timer's callback. */
  #fire(timer: Timer): void {
    if (!this.#timers.delete(timer)) return;
    this.#move(Math.max(0, timer.due - this.#now));
    timer.callback();
  }

  #move(ms: number): void {
    this.#now += ms;
    this.#wall += ms;
  }

  #nextDue(end: number): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) if (earliest === undefined || timer.due < earliest.due) earliest = timer;
    return earliest !== undefined && earliest.due <= end ? earliest : undefined;
  }
}

/**
 * A fake clock for the sandbox: `now` is fake time in ms since 1970. A wait in the foreground advances the clock by itself; a
 * wait in the background ends when the test advances the clock.
 */
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
