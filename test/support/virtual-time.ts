import { setImmediate as turn } from 'node:timers/promises';
import { sleep, type Clock } from '../../src/base/clock.ts';

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** Time that passes only when nothing else can happen: waiting takes no real time, and a stalled call runs into its timeout. */
export class VirtualTime implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(start = Date.UTC(2026, 10, 20, 10)) {
    this.#now = start;
  }

  /** How many timers are set: none when all is cleaned up. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  schedule(ms: number, task: () => void): () => void {
    const timer = { at: this.#now + ms, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Resolves when so much time has passed. */
  sleep(ms: number): Promise<void> {
    return sleep(this, ms, new AbortController().signal);
  }

  /** Lets time pass until the promise settles, and says how. */
  async settle<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
    let settled = false;
    const result = Promise.allSettled([promise]).then(([outcome]) => {
      settled = true;
      return outcome;
    });
    while (await this.#isPending(() => settled)) this.#passToNext();
    return result;
  }

  /** What the promise resolves with, once enough time has passed. */
  async value<T>(promise: Promise<T>): Promise<T> {
    await this.settle(promise);
    return promise;
  }

  async #isPending(isSettled: () => boolean): Promise<boolean> {
    for (let turns = 0; turns < 8 && !isSettled(); turns += 1) await turn();
    return !isSettled();
  }

  #passToNext(): void {
    const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
    if (next === undefined) throw new Error('No timer is set, and nothing settles.');
    this.#now = Math.max(this.#now, next.at);
    this.#timers.delete(next);
    next.task();
  }
}
