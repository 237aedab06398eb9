import type { CheckoutTransport, Clock } from '../core.ts';

/** What is shared with the other tabs of the origin. */
export interface SharingPorts {
  readonly clock: Clock;
  /** `navigator.locks`, where the browser has it. */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  /** Calls back when the page is hidden, until unsubscribed. */
  readonly onHide: (callback: () => void) => () => void;
}

/**
 * A way to the backend where one of several tabs (or widgets of a page) that know the same of a checkout has its answer
 * held back, and the others wait for their turn. When something changes, the one that is answered lets the next ask, who
 * is answered at once, and so on; when one goes, is closed or hidden, the next takes over. What is not to be held back
 * is asked directly, and so is everything where the browser has no locks. `name` is the same for the same checkout.
 */
export function sharedTransport(
  transport: CheckoutTransport,
  name: string,
  { clock, locks, onHide }: SharingPorts,
): CheckoutTransport {
  return {
    createInvoice: (request, signal) => transport.createInvoice(request, signal),
    async read(request, signal) {
      const { etag, waitSeconds, amount, options } = request;
      if (!locks || !etag || !waitSeconds || amount || options) return transport.read(request, signal);
      const queue = new AbortController();
      const giveUp = (): void => queue.abort();
      let leave = giveUp;
      // A hidden page may be frozen with its turn, and one that has a lock is not kept for the way back.
      const unsubscribe = onHide(() => leave());
      const cancel = clock.schedule(waitSeconds * 2000, giveUp);
      signal.addEventListener('abort', giveUp);
      try {
        await new Promise<void>((go) => {
          const turn = (): Promise<void> =>
            new Promise((free) => {
              leave = free;
              go();
            });
          // Whoever gets no turn asks without one.
          locks.request(`${name} ${etag}`, { signal: queue.signal }, turn).catch(go);
        });
        signal.throwIfAborted();
        return await transport.read(request, signal);
      } finally {
        leave();
        unsubscribe();
        cancel();
        signal.removeEventListener('abort', giveUp);
      }
    },
  };
}
