import type { CreatedInvoice } from '../../contract.ts';
import { withTimeout, type Clock } from '../../base/clock.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import type { ServerContext } from '../server-context.ts';
import { createResultSaver, type CreateAnswer, type CreateCallResult } from './save-create-result.ts';
import { errorFields } from '../ports/log.ts';
import type { Attempt } from '../ports/checkout-store.ts';

/** Calls CreateInvoice for attempts whose intent is committed, and commits the results. */
export interface CreateInvoiceCaller {
  /**
   * Calls CreateInvoice for an attempt that was just claimed. Never rejects, and continues when the payer disconnects. With
   * `recordMs`, it resolves with `not_recorded` when the answer is not committed within this time (milliseconds) after it
   * arrived; the commit continues.
   */
  call(checkoutId: string, attempt: Attempt, recordMs?: number): Promise<CreateCallResult>;
  /** Waits up to `timing.stopMs` for calls under way, then aborts them: their attempts are then in doubt. */
  stop(): Promise<void>;
}

export function createInvoiceCaller(context: ServerContext): CreateInvoiceCaller {
  const { service, store, clock, time, log, health, timing } = context;
  const resultSaver = createResultSaver(context);
  const inFlight = new Set<Promise<CreateCallResult>>();
  // One for each call: Node warns of a leak when one signal has more than ten listeners.
  const aborts = new Set<AbortController>();

  const callService = async (attempt: Attempt): Promise<CreateAnswer> => {
    const stopping = new AbortController();
    aborts.add(stopping);
    try {
      const work = (signal: AbortSignal): Promise<CreatedInvoice> => service.createInvoice(attempt.request, signal);
      return { invoice: await withTimeout(clock, timing.createMs, work, stopping.signal) };
    } catch (error) {
      if (error instanceof InvoiceServiceError) return { error };
      // An unexpected error does not prove that the service created nothing.
      return {
        error: new InvoiceServiceError('CreateInvoice failed', { failure: 'ambiguous', code: 'unknown', cause: error }),
      };
    } finally {
      aborts.delete(stopping);
    }
  };

  const callAndRecord = async (
    checkoutId: string,
    attempt: Attempt,
    onAnswer: () => void,
  ): Promise<CreateCallResult> => {
    const known = resultSaver.saveKept(attempt.externalId);
    if (known !== undefined) {
      onAnswer(); // the answer of an earlier call is committed instead
      return known;
    }
    const answer = await callService(attempt);
    onAnswer();
    if ('invoice' in answer) health.answered();
    else if (answer.error.failure !== 'refused') health.failed();
    return resultSaver.save(checkoutId, attempt, answer);
  };

  /** Prevents other processes from claiming the attempt. After this process dies, another one claims it when the lease ends. */
  const renewLease = async ({ externalId, callCount }: Attempt): Promise<void> => {
    try {
      await store.renewAttemptLease(externalId, callCount, time.now() + time.leaseMs(timing.createLeaseMs));
    } catch (error) {
      log('warn', 'lease_renewal_failed', { external_id: externalId, ...errorFields(error) });
    }
  };

  return {
    call(checkoutId, attempt, recordMs) {
      let cancel = (): void => undefined;
      let onAnswer = (): void => undefined;
      const late = new Promise<CreateCallResult>((resolve) => {
        onAnswer = () => {
          const resolveLate = (): void => resolve({ kind: 'not_recorded', retryAfterMs: undefined });
          if (recordMs !== undefined) cancel = clock.schedule(recordMs, resolveLate);
        };
      });
      const renew = (): Promise<void> => renewLease(attempt);
      const work = callAndRecord(checkoutId, attempt, () => onAnswer());
      const call = withLeaseRenewal(clock, timing.createLeaseMs / 4, renew, work);
      const running = call.finally(() => {
        cancel();
        inFlight.delete(running);
      });
      inFlight.add(running);
      return Promise.race([running, late]);
    },
    async stop() {
      const cancel = clock.schedule(timing.stopMs, () => {
        for (const stopping of aborts) stopping.abort();
      });
      await Promise.all(inFlight);
      cancel();
      await resultSaver.stop();
    },
  };
}

/**
 * Calls `renew` every `ms` until the work is over, and settles as the work does. A failed renewal is repeated at the next
 * interval.
 */
async function withLeaseRenewal<T>(clock: Clock, ms: number, renew: () => Promise<void>, work: Promise<T>): Promise<T> {
  let isOver = false;
  let cancel = (): void => undefined;
  const schedule = (): void => {
    cancel = clock.schedule(ms, () => {
      const next = (): void => {
        if (!isOver) schedule();
      };
      void renew().then(next, next);
    });
  };
  schedule();
  try {
    return await work;
  } finally {
    isOver = true;
    cancel();
  }
}
