import type { PageLifecycle, CheckoutTransport, Clock, ReadAnswer } from '../core.ts';

/** As a `BroadcastChannel`: what is posted comes to all others of its name. */
export interface Channel {
  onmessage: ((event: MessageEvent<unknown>) => void) | null;
  postMessage: (data: ReadAnswer['kind']) => void;
  close: () => void;
}

/** What is shared with the other tabs of the origin. */
export interface SharingPorts extends Pick<PageLifecycle, 'isVisible'> {
  readonly clock: Clock;
  /** `navigator.locks`, where the browser has it. */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  readonly openChannel: (name: string) => Channel;
  /** Calls back when the page is hidden or shown, until unsubscribed. */
  readonly onVisibility: (callback: () => void) => () => void;
}

/** After this long without a word of another tab a hidden one asks, unless another is asking. */
const silenceMs = 20_000;

/**
 * A way to the backend where one of several tabs (or widgets of a page) that know the same of a checkout asks, and the
 * others follow. Of those that are seen one has its answer held back, and the next takes its turn when it came or when
 * the one goes, is closed or hidden. Hidden ones, which may be frozen and so never keep a turn, listen: to what others
 * were answered, and ask when that was a change or when nobody else does. What is not to be held back is asked directly,
 * and so is everything where the browser has no locks. `name` is the same for the same checkout.
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
              if (over.signal.aborted) return;
              if (lock)
                await new Promise<void>((free) => {
                  leave = free;
                  go();
                });
              else listen();
            };
            const listen = (): void => {
              cancel?.();
              cancel = clock.schedule(silenceMs, () => {
                locks.request(key, { ifAvailable: true }, turn).catch(go);
              });
            };
            if (seen) {
              cancel = clock.schedule(waitSeconds * 2000, leave);
              // Whoever gets no turn asks without one.
              locks.request(key, { signal: over.signal }, turn).catch(go);
            } else {
              leave = go;
              channel = openChannel(key);
              channel.onmessage = ({ data }) => (data === 'unchanged' ? listen() : go());
              listen();
            }
          });
        signal.throwIfAborted();
        const answer = await transport.read(seen ? request : { etag }, signal);
        // A page with an open channel is not kept for the way back, so that none is open while a seen one asks.
        channel ??= openChannel(key);
        channel.postMessage(answer.kind);
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
