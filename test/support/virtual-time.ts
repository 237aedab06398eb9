import { setImmediate as turn } from 'node:timers/promises';
import type { RetryClock } from '../../src/server/invoice-client/retry-ports.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Time that passes only when nothing else can happen: sleeping costs no time, and a stalled call runs into its timeout. */
export class VirtualTime implements RetryClock {
  #now: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(start = Date.UTC(2026, 10, 20, 10)) {
    this.#now = start;
  }

  /** How many sleeps are under way: none when all is cleaned up. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        leave();
        reject(new DOMException('aborted', 'AbortError'));
      };
      const sleeper = {
        at: this.#now + ms,
        wake: () => {
          leave();
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
    });
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
    const [next] = [...this.#sleepers].sort((a, b) => a.at - b.at);
    if (next === undefined) throw new Error('Nothing sleeps, and nothing settles.');
    this.#now = Math.max(this.#now, next.at);
    next.wake();
  }
}
