import { backoff } from './backoff.ts';
import { CheckoutError } from './error.ts';
import type { PendingCreate } from './model.ts';
import type { CreateAnswer, SessionPorts } from './ports.ts';

export interface InvoiceCreatorOptions extends Pick<SessionPorts, 'transport' | 'clock' | 'random'> {
  readonly onAnswer: (answer: CreateAnswer) => void;
  /** The request was rejected: no invoice was created. */
  readonly onRejected: (error: CheckoutError) => void;
  /** It is not known whether an invoice was created. */
  readonly onInDoubt: (error: CheckoutError) => void;
}

/** Sends a create request with the same key until its result is known. */
export interface InvoiceCreator {
  /** Sends a request, in place of the one that is under way. */
  start(create: PendingCreate): void;
  cancel(): void;
}

/**
 * Whether an error means that no invoice was created. `internal`, no response and an invalid one do not. Once an earlier
 * attempt is in doubt, `try_again` and `rate_limited` do not either: they say nothing about that attempt.
 */
function isRejection({ code, retryable }: CheckoutError, inDoubt: boolean): boolean {
  return !retryable || (!inDoubt && (code === 'try_again' || code === 'rate_limited'));
}

export function createInvoiceCreator({
  transport,
  clock,
  random,
  onAnswer,
  onRejected,
  onInDoubt,
}: InvoiceCreatorOptions): InvoiceCreator {
  let controller: AbortController | undefined;
  let cancelRetry: (() => void) | undefined;

  const cancel = (): void => {
    cancelRetry?.();
    controller?.abort();
  };

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
      if (isRejection(error, create.inDoubt || tries > 1)) {
        onRejected(error);
        return;
      }
      onInDoubt(error);
      retryAfterMs = error.retryAfterMs;
    }
    // The callback may have settled the request, or stopped the session.
    if (cancelled()) return;
    cancelRetry = clock.schedule(backoff(tries, random(), retryAfterMs), () => void attempt(create, tries + 1));
  };

  return {
    start(create) {
      cancel();
      void attempt(create, 1);
    },
    cancel,
  };
}
