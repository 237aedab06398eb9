import type { CheckoutTransport, Clock, ReadAnswer, SessionPorts } from '../core.ts';
import { browserClock } from './browser-clock.ts';
import { browserPageLifecycle, pagePorts } from './browser-session-ports.ts';
import type { HttpTransportOptions } from './http-transport.ts';

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
  /** Calls back when the page is hidden or shown. Returns the function that unsubscribes. */
  readonly onVisibility: (callback: () => void) => () => void;
}

/** Returns the result of `use`, or undefined when `use` throws. A browser API that is missing or blocked may throw. */
function resultOrUndefined<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined; // The tab then reads without sharing.
  }
}

/** A hidden tab reads after this time without a message, in ms, unless another tab is reading. */
const silenceMs = 20_000;

/**
 * A transport whose long polls are shared by all tabs and widgets that have the same version of the same checkout. `name`
 * identifies the checkout, and the entity tag its version.
 *
 * - A visible tab waits for a lock, sends its long poll, and releases the lock when the response has come. A tab that is
 *   closed or hidden releases the lock too.
 * - A hidden tab does not wait for the lock, because a browser may freeze it. It waits for another tab's message that the
 *   checkout has changed, and reads itself when no message comes for `silenceMs`.
 * - A read that is not a long poll does not wait. Reads without an entity tag or with a query, and all reads where the
 *   browser has no locks, are sent directly.
 */
export function sharedTransport(
  transport: CheckoutTransport,
  name: string,
  { clock, locks, openChannel, isVisible, onVisibility }: SharingPorts,
): CheckoutTransport {
  return {
    createInvoice: (request, signal) => transport.createInvoice(request, signal),
    async read(request, signal) {
      const { etag, waitSeconds, amount, options, check } = request;
      if (!locks || !etag || amount || options || check) return transport.read(request, signal);
      const wasVisible = isVisible();
      const versionName = `${name} ${etag}`;
      let channel: Channel | undefined;
      const lockRequest = new AbortController();
      /** Ends the wait for a lock or a message, or releases the lock. */
      let release = (): void => lockRequest.abort();
      let cancelTimer: (() => void) | undefined;
      const endWait = (): void => release();
      const unsubscribe = onVisibility(endWait);
      signal.addEventListener('abort', endWait);
      try {
        if (waitSeconds)
          await new Promise<void>((proceed) => {
            const onLock = async (lock: Lock | null): Promise<void> => {
              // A browser that checks for permission first may grant the lock after the wait for it was aborted.
              if (lockRequest.signal.aborted) {
                proceed();
                return;
              }
              if (lock)
                await new Promise<void>((releaseLock) => {
                  release = releaseLock;
                  proceed();
                });
              else waitForMessage();
            };
            // When the request for the lock fails, the tab reads without the lock.
            const requestLock = async (lockOptions: LockOptions): Promise<void> => {
              try {
                await locks.request(versionName, lockOptions, onLock);
              } catch {
                proceed();
              }
            };
            const waitForMessage = (): void => {
              cancelTimer?.();
              cancelTimer = clock.schedule(silenceMs, () => void requestLock({ ifAvailable: true }));
            };
            if (wasVisible) {
              // After the duration of two long polls the tab stops waiting, and reads without the lock.
              cancelTimer = clock.schedule(waitSeconds * 2000, release);
              void requestLock({ signal: lockRequest.signal });
            } else {
              release = proceed;
              channel = resultOrUndefined(() => openChannel(versionName));
              if (channel) channel.onmessage = ({ data }) => (data === 'unchanged' ? waitForMessage() : proceed());
              waitForMessage();
            }
          });
        signal.throwIfAborted();
        const result = await transport.read(wasVisible ? request : { etag }, signal);
        // An open channel keeps a page out of the back-forward cache, so a visible tab opens it only to send.
        resultOrUndefined(() => (channel ??= openChannel(versionName)).postMessage(result.kind));
        return result;
      } finally {
        release();
        lockRequest.abort();
        cancelTimer?.();
        unsubscribe();
        channel?.close();
        signal.removeEventListener('abort', endWait);
      }
    },
  };
}

function onVisibility(callback: () => void): () => void {
  document.addEventListener('visibilitychange', callback);
  return () => document.removeEventListener('visibilitychange', callback);
}

/** A transport whose long polls are shared by all tabs of this browser that show the same checkout. */
export function shareReads(
  transport: CheckoutTransport,
  { endpoint, checkout }: Pick<HttpTransportOptions, 'endpoint' | 'checkout'>,
): CheckoutTransport {
  return sharedTransport(transport, `pay-invoice ${endpoint} ${checkout}`, {
    clock: browserClock,
    isVisible: () => browserPageLifecycle.isVisible(),
    // `navigator.locks` exists in secure contexts only; the DOM's types do not say so.
    locks: resultOrUndefined((): LockManager | undefined => navigator.locks),
    openChannel: (channel) => new BroadcastChannel(channel),
    onVisibility,
  });
}

/** The ports of a session in a browser. */
export function browserPorts(options: HttpTransportOptions): SessionPorts {
  const ports = pagePorts(options);
  return { ...ports, transport: shareReads(ports.transport, options) };
}
