import { backoff } from './checkout-poller.ts';
import { CheckoutError } from './checkout-error.ts';
import type { PendingCreate } from './session-model.ts';
import type { CreateAnswer, SessionPorts } from './session-ports.ts';

/**
 * Sends a create request, and repeats it with the same key until its result is known. Replaces an earlier request; without
 * an argument it only cancels that one.
 */
type SendCreate = (create?: PendingCreate) => void;

/**
 * Whether an error proves that no invoice was created. `internal`, no response and an invalid response do not. Once an earlier
 * attempt is in doubt, `try_again` and `rate_limited` do not either, because they are not about that attempt.
 */
function isRejection({ code, retryable }: CheckoutError, inDoubt: boolean): boolean {
  return !retryable || (!inDoubt && (code === 'try_again' || code === 'rate_limited'));
}

/** `onError` receives `rejected`: true when no invoice was created, false when this is not known. */
export function createInvoiceCreator(
  { transport, clock, random }: Pick<SessionPorts, 'transport' | 'clock' | 'random'>,
  onAnswer: (answer: CreateAnswer) => void,
  onError: (error: CheckoutError, rejected: boolean) => void,
): SendCreate {
  let controller: AbortController | undefined;
  let cancelRetry: (() => void) | undefined;

  const attempt = async (create: PendingCreate, tries: number): Promise<void> => {
    const { signal } = (controller = new AbortController());
    const cancelled = (): boolean => signal.aborted;
    let retryAfterMs: number | undefined;
    try {
      const answer = await transport.createInvoice(create.request, signal);
      if (cancelled()) return;
      onAnswer(answer);
      if (answer.kind === 'created') return;
      retryAfterMs = answer.retryAfterMs;
    } catch (thrown) {
      if (cancelled()) return;
      const error = CheckoutError.from(thrown);
      const rejected = isRejection(error, create.inDoubt || tries > 1);
      onError(error, rejected);
      if (rejected) return;
      retryAfterMs = error.retryAfterMs;
    }
    // The callback may have settled the request, or stopped the session.
    if (cancelled()) return;
    cancelRetry = clock.schedule(backoff(tries, random(), retryAfterMs), () => void attempt(create, tries + 1));
  };

  return (create) => {
    cancelRetry?.();
    controller?.abort();
    if (create) void attempt(create, 1);
  };
}
