import { setImmediate as turn } from 'node:timers/promises';
import { sleep, type Clock } from '../../src/base/clock.ts';
import { earlinessOf, readStepMs } from './fake-clock.ts';

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/**
 * A clock that advances by itself to the next timer when nothing else is pending: waits take no real time, and a stalled
 * call reaches its timeout. Reads advance it a little, and timers fire up to 1 ms early, as with `FakeClock`. Use it when the code under test decides how long it waits, and `FakeClock` when the test does.
 */
export class AutoAdvancingClock implements Clock {
  #now: number;
  #timerCount = 0;
  readonly #timers = new Set<Timer>();

  constructor(start = Date.UTC(2026, 10, 20, 10)) {
    this.#now = start;
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    this.#now += readStepMs;
    return this.#now;
  }

  schedule(ms: number, task: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms - earlinessOf(this.#timerCount++)), task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Resolves after `ms` of this clock. */
  sleep(ms: number): Promise<void> {
    return sleep(this, ms, new AbortController().signal);
  }

  /** Advances until the promise settles, and returns the result. */
  async settle<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
    let settled = false;
    const result = Promise.allSettled([promise]).then(([outcome]) => {
      settled = true;
      return outcome;
    });
    while (await this.#isPending(() => settled)) this.#advanceToNext();
    return result;
  }

  /** Advances until the promise settles, and returns its value. */
  async value<T>(promise: Promise<T>): Promise<T> {
    await this.settle(promise);
    return promise;
  }

  async #isPending(isSettled: () => boolean): Promise<boolean> {
    for (let turns = 0; turns < 8 && !isSettled(); turns += 1) await turn();
    return !isSettled();
  }

  #advanceToNext(): void {
    const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
    if (next === undefined) throw new Error('No timer is set, and nothing settles.');
    this.#now = Math.max(this.#now, next.at);
    this.#timers.delete(next);
    next.task();
  }
}
