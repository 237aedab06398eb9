import { backoff } from './backoff.ts';
import { CheckoutError } from './error.ts';
import type { PendingCreate } from './model.ts';
import type { CreateAnswer, SessionPorts } from './ports.ts';

export interface AskerOptions extends Pick<SessionPorts, 'transport' | 'clock' | 'random'> {
  readonly onAnswer: (answer: CreateAnswer) => void;
  /** The ask was refused: no invoice was made. */
  readonly onRefusal: (error: CheckoutError) => void;
  /** Nobody knows whether an invoice was made. */
  readonly onDoubt: (error: CheckoutError) => void;
}

/** Asks for requisites, with the same key until the outcome is known. */
export interface InvoiceCreator {
  /** Follows the model: begins what is to be asked, drops what is no longer. */
  follow(ask: PendingCreate | undefined): void;
}

/**
 * Whether an error tells that no invoice was made. `internal`, no answer and one that does not read tell nothing; once
 * an earlier attempt was in doubt, "try again" and "too many requests" tell nothing about it either.
 */
function isRefusal({ code, retryable }: CheckoutError, inDoubt: boolean): boolean {
  return !retryable || (!inDoubt && (code === 'try_again' || code === 'rate_limited'));
}

export function createInvoiceCreator({
  transport,
  clock,
  random,
  onAnswer,
  onRefusal,
  onDoubt,
}: AskerOptions): InvoiceCreator {
  let key: string | undefined;
  let controller: AbortController | undefined;
  let cancel: (() => void) | undefined;

  const drop = (): void => {
    key = undefined;
    cancel?.();
    controller?.abort();
  };

  const attempt = async (ask: PendingCreate, tries: number): Promise<void> => {
    const mine = new AbortController();
    controller = mine;
    const dropped = (): boolean => mine.signal.aborted;
    let retryAfterMs: number | undefined;
    try {
      const answer = await transport.createInvoice(ask.request, mine.signal);
      if (dropped()) return;
      onAnswer(answer);
      if (answer.kind === 'created') return;
      retryAfterMs = answer.retryAfterMs;
    } catch (thrown) {
      if (dropped()) return;
      const error = CheckoutError.from(thrown);
      if (isRefusal(error, ask.unknown || tries > 1)) {
        onRefusal(error);
        return;
      }
      onDoubt(error);
      retryAfterMs = error.retryAfterMs;
    }
    // What was just told may have settled the ask, or stopped the session.
    if (dropped()) return;
    cancel = clock.schedule(backoff(tries, random(), retryAfterMs), () => void attempt(ask, tries + 1));
  };

  return {
    follow(ask) {
      if (ask?.request.key === key) return;
      drop();
      if (!ask) return;
      key = ask.request.key;
      void attempt(ask, 1);
    },
  };
}
