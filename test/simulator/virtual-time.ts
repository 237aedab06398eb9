import type { Clock as TabClock } from '../../src/core.ts';
import type { Clock } from '../../src/server.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

interface Timer {
  readonly due: number;
  /** Timers that are due at the same time run in the order in which they were set. */
  readonly number: number;
  readonly task: () => void;
  isCancelled: boolean;
}

/** The wall clock's time at the start of a simulation. */
const epoch = Date.UTC(2026, 10, 20, 10);
/** A read of the clock takes up to this time, in ms: two reads never return the same time. */
const longestReadMs = 0.01;
/** A timer fires early by up to this time, in ms, as timers of Node do. */
const earliestMs = 1;
/** How many timers run in one iteration of the event loop. */
const batchSize = 64;

/**
 * The time of a simulation, in ms since its start. It moves a little with each read, and otherwise from one timer to the next.
 * Timers fire up to 1 ms early.
 */
export class VirtualTime {
  #now = 0;
  #timerCount = 0;
  readonly #random: SeededRandom;
  /** A binary heap: the parent of the timer at index i is at (i - 1) / 2, and is not due later. */
  readonly #timers: Timer[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** The time, for records of the simulation: this read does not move the clock. */
  get now(): number {
    return this.#now;
  }

  /** A read of the clock by the simulated programs. */
  read(): number {
    this.#now += this.#random.next() * longestReadMs;
    return this.#now;
  }

  schedule(ms: number, task: () => void): () => void {
    const wait = Number.isFinite(ms) ? Math.max(0, ms) : 2 ** 31;
    const due = this.#now + Math.max(0, wait - this.#random.next() * earliestMs);
    const timer: Timer = { due, number: (this.#timerCount += 1), task, isCancelled: false };
    this.#push(timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.schedule(ms, resolve));
  }

  /** Runs all timers that are due until `end`. */
  async runUntil(end: number): Promise<void> {
    await this.#run(end, () => false);
    this.#now = Math.max(this.#now, end);
  }

  /** Runs timers until the promise settles. Returns undefined when it does not settle within ten minutes. */
  async settle<T>(promise: Promise<T>): Promise<T | undefined> {
    const results: PromiseSettledResult<T>[] = [];
    void Promise.allSettled([promise]).then((settled) => results.push(...settled));
    await this.#run(this.#now + 600_000, () => results.length > 0);
    const [result] = results;
    if (result?.status === 'rejected') throw result.reason;
    return result?.value;
  }

  /**
   * Runs timers until `isDone`, or until no timer is due until `end`. Between two timers all promises settle: Node runs the
   * microtasks between two immediates, and nothing in the simulation waits for I/O.
   */
  #run(end: number, isDone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      let isOver = false;
      const step = (): void => {
        if (isOver || (!isDone() && this.#runNext(end))) return;
        isOver = true;
        resolve();
      };
      const runBatch = (): void => {
        if (isOver) return;
        for (let count = 0; count < batchSize; count += 1) setImmediate(step);
        setImmediate(runBatch);
      };
      runBatch();
    });
  }

  /** Runs the next timer, if one is due until `end`. */
  #runNext(end: number): boolean {
    const next = this.#timers[0];
    if (next === undefined || next.due > end) return false;
    this.#pop();
    if (next.isCancelled) return true;
    this.#now = Math.max(this.#now, next.due);
    next.task();
    return true;
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#timers[one], this.#timers[other]];
    if (a === undefined || b === undefined) return a !== undefined;
    return a.due < b.due || (a.due === b.due && a.number < b.number);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#timers[one], this.#timers[other]];
    if (a === undefined || b === undefined) return;
    this.#timers[one] = b;
    this.#timers[other] = a;
  }

  #push(timer: Timer): void {
    this.#timers.push(timer);
    for (let index = this.#timers.length - 1; index > 0;) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #pop(): void {
    this.#swap(0, this.#timers.length - 1);
    this.#timers.pop();
    for (let index = 0; ;) {
      const left = 2 * index + 1;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(child, index)) return;
      this.#swap(index, child);
      index = child;
    }
  }
}

/** A machine's clock. Its wall time can be set, which does not affect its monotonic time and its timers. */
export class MachineClock implements Clock {
  readonly #time: VirtualTime;
  #offset = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  now(): number {
    return epoch + this.#offset + this.#time.read();
  }

  monotonic(): number {
    return this.#time.read();
  }

  schedule(ms: number, task: () => void): () => void {
    return this.#time.schedule(ms, task);
  }

  /** Sets the wall clock by `ms`. */
  step(ms: number): void {
    this.#offset += ms;
  }
}

/** The clock of a page. While its device sleeps, the monotonic clock stands still and no timer fires. */
export class DeviceClock implements TabClock {
  readonly #time: VirtualTime;
  readonly #offset: number;
  #asleepSince: number | undefined;
  #sleptMs = 0;
  #heldTasks: (() => void)[] = [];

  /** @param offset how wrong the device's wall clock is, in ms */
  constructor(time: VirtualTime, offset: number) {
    this.#time = time;
    this.#offset = offset;
  }

  get isAsleep(): boolean {
    return this.#asleepSince !== undefined;
  }

  now(): number {
    return (this.#asleepSince ?? this.#time.read()) - this.#sleptMs;
  }

  wall(): number {
    return epoch + this.#offset + this.#time.read();
  }

  schedule(ms: number, task: () => void): () => void {
    let isCancelled = false;
    const runUnlessCancelled = (): void => {
      if (!isCancelled) task();
    };
    const cancel = this.#time.schedule(ms, () => {
      if (this.isAsleep) this.#heldTasks.push(runUnlessCancelled);
      else runUnlessCancelled();
    });
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** Resolves when the device is awake. */
  async awake(): Promise<void> {
    if (this.isAsleep) await new Promise<void>((resolve) => this.#heldTasks.push(resolve));
  }

  sleep(): void {
    this.#asleepSince ??= this.#time.now;
  }

  wake(): void {
    if (this.#asleepSince === undefined) return;
    this.#sleptMs += this.#time.now - this.#asleepSince;
    this.#asleepSince = undefined;
    const tasks = this.#heldTasks;
    this.#heldTasks = [];
    for (const task of tasks) task();
  }
}
