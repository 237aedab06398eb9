import type { Clock as BaseClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/core.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * How much each read advances a fake clock, in milliseconds: code that reads the time twice in one decision gets two times, as
 * from a real clock. The fractions are exact in binary, so that sums and differences are exact.
 */
export const readStepMs = 1 / 256;

/** How much earlier than requested timers fire, in turn: timers of Node fire up to 1.4 ms early. */
const earlyMs = [0, 0.75, 0.25, 15 / 16];
const longestEarlyMs = 1;

/** How much earlier than requested the timer with this number fires, in milliseconds. */
export function earlinessOf(timerNumber: number): number {
  return earlyMs[timerNumber % earlyMs.length] ?? 0;
}

/** Waits until promises that are ready have settled. Streams of requests and responses need several turns of the event loop. */
export async function settle(turns = 1): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Checks that two times or durations in milliseconds are equal, apart from the inexactness of clocks and timers: less than 1 ms. */
export function assertSameTime(actual: number, expected: number): void {
  if (!(Math.abs(actual - expected) < 1)) throw new Error(`${actual} ms instead of ${expected} ms`);
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
  #timerCount = 0;
  /** How far reads have advanced the clock beyond the time to which the test has advanced it. */
  #readMs = 0;

  /**
   * @param turns How many turns of the event loop `advance` waits after each timer.
   */
  constructor(turns = 1) {
    this.#turns = turns;
  }

  now(): number {
    this.#readMs += readStepMs;
    return this.#now + this.#readMs;
  }

  wall(): number {
    this.#readMs += readStepMs;
    return this.#wall + this.#readMs;
  }

  schedule(ms: number, callback: () => void): () => void {
    const timer = this.#createTimer(ms, callback);
    return () => void this.#timers.delete(timer);
  }

  /** A timer that advances the clock by itself: its task runs in the next turn of the event loop. */
  scheduleNow(ms: number, callback: () => void): () => void {
    const timer = this.#createTimer(ms, callback);
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

  #createTimer(ms: number, callback: () => void): Timer {
    // Reads have advanced the time that the caller sees: the timer is at most 1 ms early by that time too.
    const delayMs = Math.max(0, ms - earlinessOf(this.#timerCount++), ms + this.#readMs - longestEarlyMs);
    const timer: Timer = { due: this.#now + delayMs, callback };
    this.#timers.add(timer);
    return timer;
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
    this.#readMs = Math.max(0, this.#readMs - ms);
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
