import type { Channel } from '../../src/client/cross-tab-transport.ts';

// What the tabs of one origin share: locks and channels.

type Grant = () => Promise<void>;
interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly ifAvailable?: boolean;
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
    { signal, ifAvailable }: RequestOptions,
    callback: (lock: object | null) => Promise<void>,
  ): Promise<void> {
    const queue = this.#held.get(name);
    if (queue && ifAvailable) return callback(null);
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

/** Channels of one origin. */
export class FakeChannels {
  readonly #open = new Set<Channel>();

  get size(): number {
    return this.#open.size;
  }

  open(name: string): Channel {
    const channel = new NamedChannel(name, this.#open);
    this.#open.add(channel);
    return channel;
  }
}

class NamedChannel implements Channel {
  onmessage: Channel['onmessage'] = null;
  readonly #name: string;
  readonly #all: Set<Channel>;

  constructor(name: string, all: Set<Channel>) {
    this.#name = name;
    this.#all = all;
  }

  postMessage(data: unknown): void {
    for (const channel of [...this.#all])
      if (channel instanceof NamedChannel && channel !== this && channel.#name === this.#name)
        channel.onmessage?.(new MessageEvent('message', { data }));
  }

  close(): void {
    this.#all.delete(this);
  }
}
