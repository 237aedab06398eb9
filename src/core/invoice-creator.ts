import { backoff } from './checkout-poller.ts';
import { CheckoutError } from './checkout-error.ts';
import { createSleepDetector } from './deadline-and-sleep-timer.ts';
import type { PendingCreate } from './session-model.ts';
import type { CreateAnswer, SessionPorts } from './session-ports.ts';

type Attempted = Pick<PendingCreate, 'request' | 'inDoubt'>;

/**
 * Cancels the previous create request. Sends `create`, if it is given, and repeats it with the same key until its result is
 * known.
 */
type SendCreate = (create?: Attempted) => void;

/**
 * Whether an error proves that no invoice was created. `internal`, a missing response and an invalid response prove nothing.
 * Once an earlier attempt is in doubt, `try_again` and `rate_limited` prove nothing either: they are not about that attempt.
 */
function isRejection({ code, retryable }: CheckoutError, inDoubt: boolean): boolean {
  return !retryable || (!inDoubt && (code === 'try_again' || code === 'rate_limited'));
}

/**
 * `onResult` receives whether the device has slept since the request: the response may be as old as the sleep is long. `onError`
 * receives `isRejected`: true when no invoice was created, false when it is not known whether one was.
 */
export function createInvoiceCreator(
  { transport, clock, random }: Pick<SessionPorts, 'transport' | 'clock' | 'random'>,
  onResult: (result: CreateAnswer, hasSlept: boolean) => void,
  onError: (error: CheckoutError, isRejected: boolean) => void,
): SendCreate {
  let controller: AbortController | undefined;
  let cancelRetry: (() => void) | undefined;

  const sendAttempt = async (create: Attempted, attempts: number): Promise<void> => {
    const { signal } = (controller = new AbortController());
    const isCancelled = (): boolean => signal.aborted;
    const hasSlept = createSleepDetector(clock);
    let retryAfterMs: number | undefined;
    try {
      const result = await transport.createInvoice(create.request, signal);
      if (isCancelled()) return;
      onResult(result, hasSlept());
      if (result.kind === 'created') return;
      retryAfterMs = result.retryAfterMs;
    } catch (thrown) {
      if (isCancelled()) return;
      const error = CheckoutError.from(thrown);
      const isRejected = isRejection(error, create.inDoubt || attempts > 1);
      onError(error, isRejected);
      if (isRejected) return;
      retryAfterMs = error.retryAfterMs;
    }
    // The callback may have settled the request, or stopped the session.
    if (isCancelled()) return;
    cancelRetry = clock.schedule(
      backoff(attempts, random(), retryAfterMs),
      () => void sendAttempt(create, attempts + 1),
    );
  };

  return (create) => {
    cancelRetry?.();
    controller?.abort();
    if (create) void sendAttempt(create, 1);
  };
}
