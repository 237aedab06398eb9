// What the tabs of one origin share: locks.

type Grant = () => Promise<void>;
interface RequestOptions {
  readonly signal?: AbortSignal;
}

/** Locks of one origin: one queue of waiting requests for each name. */
export class FakeLocks {
  readonly #held = new Map<string, Grant[]>();

  /** The number of requests that hold a lock or wait for one. */
  get size(): number {
    return [...this.#held.values()].reduce((sum, queue) => sum + queue.length + 1, 0);
  }

  async request(
    name: string,
    { signal }: RequestOptions,
    callback: (lock: object) => Promise<void> | undefined,
  ): Promise<void> {
    const queue = this.#held.get(name);
    if (queue !== undefined)
      await new Promise<void>((resolve, reject) => {
        const grant: Grant = () => {
          resolve();
          return Promise.resolve();
        };
        queue.push(grant);
        signal?.addEventListener('abort', () => {
          if (!queue.includes(grant)) return;
          queue.splice(queue.indexOf(grant), 1);
          reject(new DOMException('aborted', 'AbortError'));
        });
      });
    else this.#held.set(name, []);
    await callback({});
    const nextGrant = this.#held.get(name)?.shift();
    if (nextGrant === undefined) this.#held.delete(name);
    else void nextGrant();
  }
}
