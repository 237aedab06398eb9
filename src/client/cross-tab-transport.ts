import type { CheckoutTransport, Clock, SessionPorts } from '../core.ts';
import { browserClock, browserPageLifecycle } from './browser-ports.ts';
import { pagePorts, type HttpTransportOptions } from './http-transport.ts';

/** What a shared transport needs from the browser. */
export interface SharingPorts {
  readonly clock: Clock;
  /** `navigator.locks`, where the browser has it. */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  readonly isVisible: () => boolean;
  /** Calls back when the page is hidden or shown. Returns the function that unsubscribes. */
  readonly onVisibility: (callback: () => void) => () => void;
}

/**
 * A transport whose long polls are sent by one of the tabs and widgets that have the same version of the same checkout. `name`
 * identifies the checkout, and the entity tag its version. A visible tab waits for a lock, sends its long poll, and releases the
 * lock when the response has come, or when the tab is closed or hidden. A hidden tab, which a browser may freeze, takes no lock
 * and does not wait for a change. Other reads, and all reads where the browser has no locks, are sent directly.
 */
export function sharedTransport(
  transport: CheckoutTransport,
  name: string,
  { clock, locks, isVisible, onVisibility }: SharingPorts,
): CheckoutTransport {
  return {
    createInvoice: (request, signal) => transport.createInvoice(request, signal),
    async read(request, signal) {
      const { etag, waitSeconds } = request;
      if (!locks || !etag || !waitSeconds) return transport.read(request, signal);
      if (!isVisible()) return transport.read({ ...request, waitSeconds: undefined }, signal);
      const lockRequest = new AbortController();
      /** Ends the wait for the lock, or releases the lock. */
      let release = (): void => lockRequest.abort();
      const endTurn = (): void => release();
      const unsubscribe = onVisibility(endTurn);
      signal.addEventListener('abort', endTurn);
      // After the duration of two long polls the tab stops waiting, and reads without the lock.
      const cancelTimer = clock.schedule(waitSeconds * 2000, endTurn);
      try {
        await new Promise<void>((proceed) => {
          const useLock = (): Promise<void> | undefined => {
            // A browser that checks for permission first may grant the lock after the wait for it was aborted.
            if (lockRequest.signal.aborted) return undefined;
            return new Promise((releaseLock) => {
              release = releaseLock;
              proceed();
            });
          };
          const requestLock = async (): Promise<void> =>
            locks.request(`${name} ${etag}`, { signal: lockRequest.signal }, useLock);
          // Where the lock is refused, the tab reads without it.
          requestLock().then(proceed, proceed);
        });
        signal.throwIfAborted();
        return await transport.read(request, signal);
      } finally {
        release();
        cancelTimer();
        unsubscribe();
        signal.removeEventListener('abort', endTurn);
      }
    },
  };
}

function onVisibility(callback: () => void): () => void {
  document.addEventListener('visibilitychange', callback);
  return () => document.removeEventListener('visibilitychange', callback);
}

/** `navigator.locks` exists in secure contexts only, and may be blocked; the DOM's types do not say so. */
function availableLocks(): LockManager | undefined {
  try {
    return navigator.locks;
  } catch {
    return undefined;
  }
}

/** A transport whose long polls are shared by all tabs of this browser that show the same checkout. */
export const shareReads = (
  transport: CheckoutTransport,
  { endpoint, checkout }: Pick<HttpTransportOptions, 'endpoint' | 'checkout'>,
): CheckoutTransport =>
  sharedTransport(transport, `pay-invoice ${endpoint} ${checkout}`, {
    clock: browserClock,
    isVisible: () => browserPageLifecycle.isVisible(),
    locks: availableLocks(),
    onVisibility,
  });

/** The ports of a session in a browser. */
export function browserPorts(options: HttpTransportOptions): SessionPorts {
  const ports = pagePorts(options);
  return { ...ports, transport: shareReads(ports.transport, options) };
}
