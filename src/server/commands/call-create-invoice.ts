import type { CreatedInvoice } from '../../service-api.ts';
import { withTimeout, type Clock } from '../../base/clock.ts';
import { createTimeoutMs, InvoiceServiceError } from '../ports/invoice-service.ts';
import type { ServerContext } from '../server-context.ts';
import { createResultSaver, type CreateResponse, type CreateCallResult } from './save-create-result.ts';
import { errorFields } from '../ports/log.ts';
import type { Attempt } from '../ports/attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';

/**
 * The lease of a process on an attempt while it calls CreateInvoice, in milliseconds. The process renews the lease during the
 * call. If the process dies, the lease ends. The clocks of several machines may differ by half of this time.
 */
export const createLeaseMs = 4000;
/** How long `stop` of the server waits for calls in progress, in milliseconds. */
export const stopTimeoutMs = 5000;

/** Calls CreateInvoice for attempts whose intent is committed, and commits the results. */
export interface CreateInvoiceCaller {
  /**
   * Calls CreateInvoice for an attempt that was just claimed. Never rejects, and continues when the payer disconnects. With
   * `recordMs`, the call resolves with `not_recorded` when the response is not committed within `recordMs` milliseconds after
   * its arrival; the commit continues.
   */
  call(checkoutId: string, attempt: Attempt, options?: CallOptions): Promise<CreateCallResult>;
  /** Waits up to `stopTimeoutMs` for calls under way, then aborts them. The attempts of aborted calls are in doubt. */
  stop(): Promise<void>;
}

interface CallOptions {
  readonly recordMs?: number;
  /** The checkout as it was saved with the claim. */
  readonly claimed?: CheckoutRecord;
  /** `traceparent` of the payer's request. */
  readonly traceparent?: string | undefined;
}

export function createInvoiceCaller(context: ServerContext): CreateInvoiceCaller {
  const { service, store, clock, time, log, health } = context;
  const resultSaver = createResultSaver(context);
  const callsUnderWay = new Set<Promise<CreateCallResult>>();
  // Each call has its own controller: Node warns of a leak when one signal has more than ten listeners.
  const stopControllers = new Set<AbortController>();

  const callService = async (attempt: Attempt, traceparent?: string): Promise<CreateResponse> => {
    const stopController = new AbortController();
    stopControllers.add(stopController);
    try {
      const work = (signal: AbortSignal): Promise<CreatedInvoice> =>
        service.createInvoice(attempt.request, signal, traceparent);
      return { invoice: await withTimeout(clock, createTimeoutMs, work, stopController.signal) };
    } catch (error) {
      if (error instanceof InvoiceServiceError) return { error };
      // An unexpected error does not prove that the service created nothing.
      return {
        error: new InvoiceServiceError('CreateInvoice failed', { failure: 'ambiguous', code: 'unknown', cause: error }),
      };
    } finally {
      stopControllers.delete(stopController);
    }
  };

  const callAndRecord = async (
    checkoutId: string,
    attempt: Attempt,
    onResponse: () => void,
    { claimed, traceparent }: CallOptions,
  ): Promise<CreateCallResult> => {
    const keptResult = resultSaver.saveKept(attempt.externalId);
    if (keptResult !== undefined) {
      onResponse(); // instead of a call, the response of an earlier call is committed
      return keptResult;
    }
    const response = await callService(attempt, traceparent);
    onResponse();
    if ('invoice' in response) health.noteResponse();
    else if (response.error.failure !== 'refused') health.noteFailure();
    return resultSaver.save(checkoutId, attempt, response, claimed);
  };

  /**
   * Prevents other processes from claiming the attempt. If this process dies, another process claims it when the lease ends.
   */
  const renewLease = async ({ externalId, callCount }: Attempt): Promise<void> => {
    try {
      await store.renewAttemptLease(externalId, callCount, time.now() + time.leaseMs(createLeaseMs));
    } catch (error) {
      log('warn', 'lease_renewal_failed', { external_id: externalId, ...errorFields(error) });
    }
  };

  return {
    call(checkoutId, attempt, options = {}) {
      const { recordMs } = options;
      let cancel = (): void => undefined;
      let onResponse = (): void => undefined;
      const recordTimeout = new Promise<CreateCallResult>((resolve) => {
        onResponse = () => {
          const resolveNotRecorded = (): void => resolve({ kind: 'not_recorded', retryAfterMs: undefined });
          if (recordMs !== undefined) cancel = clock.schedule(recordMs, resolveNotRecorded);
        };
      });
      const renew = (): Promise<void> => renewLease(attempt);
      const work = callAndRecord(checkoutId, attempt, () => onResponse(), options);
      const leasedWork = withLeaseRenewal(clock, createLeaseMs / 4, renew, work);
      const call = leasedWork.finally(() => {
        cancel();
        callsUnderWay.delete(call);
      });
      callsUnderWay.add(call);
      return Promise.race([call, recordTimeout]);
    },
    async stop() {
      const cancel = clock.schedule(stopTimeoutMs, () => {
        for (const stopController of stopControllers) stopController.abort();
      });
      await Promise.all(callsUnderWay);
      cancel();
      await resultSaver.stop();
    },
  };
}

/**
 * Calls `renew` every `ms` milliseconds until the work has settled, and settles as the work does. A failed renewal is repeated
 * after the next interval.
 */
async function withLeaseRenewal<T>(clock: Clock, ms: number, renew: () => Promise<void>, work: Promise<T>): Promise<T> {
  let isSettled = false;
  let cancel = (): void => undefined;
  const schedule = (): void => {
    cancel = clock.schedule(ms, () => {
      const scheduleNext = (): void => {
        if (!isSettled) schedule();
      };
      void renew().then(scheduleNext, scheduleNext);
    });
  };
  schedule();
  try {
    return await work;
  } finally {
    isSettled = true;
    cancel();
  }
}
