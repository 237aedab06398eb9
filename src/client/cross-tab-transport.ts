import type { CheckoutTransport, Clock, ReadAnswer } from '../core.ts';

/** The part of `BroadcastChannel` that is used. */
export interface Channel {
  onmessage: ((event: MessageEvent<unknown>) => void) | null;
  postMessage: (data: ReadAnswer['kind']) => void;
  close: () => void;
}

/** What a shared transport needs from the browser. */
export interface SharingPorts {
  readonly clock: Clock;
  /** `navigator.locks`, where the browser has it. */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  readonly isVisible: () => boolean;
  readonly openChannel: (name: string) => Channel;
  /** Calls back when the page is hidden or shown, until unsubscribed. */
  readonly onVisibility: (callback: () => void) => () => void;
}

/** The result of `use`; undefined where the API that it uses is missing or throws, as `BroadcastChannel` without cookies. */
export function optional<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined; // The tab then reads without the others.
  }
}

/** A hidden tab reads after this long without a message, unless another tab is reading; in ms. */
const silenceMs = 20_000;

/**
 * A transport that several tabs, or widgets of a page, share when they have the same version of the same checkout
 * (`name` and the entity tag). Of the visible tabs one holds a lock and sends a long poll; the next one gets the lock
 * when the response came, or when that tab is closed or hidden. A hidden tab takes no lock, because a browser may
 * freeze it: it waits for a message that the checkout changed, and reads itself when no tab sent a message for a while.
 * A read that is not a long poll does not wait. Reads without an entity tag or with a query, and all reads where the
 * browser has no locks, are sent directly.
 */
export function sharedTransport(
  transport: CheckoutTransport,
  name: string,
  { clock, locks, openChannel, isVisible, onVisibility }: SharingPorts,
): CheckoutTransport {
  return {
    createInvoice: (request, signal) => transport.createInvoice(request, signal),
    async read(request, signal) {
      const { etag, waitSeconds, amount, options } = request;
      if (!locks || !etag || amount || options) return transport.read(request, signal);
      const seen = isVisible();
      const key = `${name} ${etag}`;
      let channel: Channel | undefined;
      const over = new AbortController();
      let leave = (): void => over.abort();
      let cancel: (() => void) | undefined;
      const stop = (): void => leave();
      const unsubscribe = onVisibility(stop);
      signal.addEventListener('abort', stop);
      try {
        if (waitSeconds)
          await new Promise<void>((go) => {
            const turn = async (lock: Lock | null): Promise<void> => {
              // A browser that checks for permission first may grant the lock after the wait for it was aborted.
              if (over.signal.aborted) {
                go();
                return;
              }
              if (lock)
                await new Promise<void>((free) => {
                  leave = free;
                  go();
                });
              else listen();
            };
            // Without a lock the tab reads all the same.
            const requestLock = async (how: LockOptions): Promise<void> => {
              try {
                await locks.request(key, how, turn);
              } catch {
                go();
              }
            };
            const listen = (): void => {
              cancel?.();
              cancel = clock.schedule(silenceMs, () => void requestLock({ ifAvailable: true }));
            };
            if (seen) {
              cancel = clock.schedule(waitSeconds * 2000, leave);
              void requestLock({ signal: over.signal });
            } else {
              leave = go;
              channel = optional(() => openChannel(key));
              if (channel) channel.onmessage = ({ data }) => (data === 'unchanged' ? listen() : go());
              listen();
            }
          });
        signal.throwIfAborted();
        const answer = await transport.read(seen ? request : { etag }, signal);
        // An open channel keeps a page out of the back-forward cache, so a visible tab opens it only to send.
        optional(() => (channel ??= openChannel(key)).postMessage(answer.kind));
        return answer;
      } finally {
        leave();
        over.abort();
        cancel?.();
        unsubscribe();
        channel?.close();
        signal.removeEventListener('abort', stop);
      }
    },
  };
}
