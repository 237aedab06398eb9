import type { CreatedInvoice } from '../../contract.ts';
import { withTimeout } from '../../base/clock.ts';
import { updateCheckout } from './update-checkout.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import type { ServerContext } from '../server-context.ts';
import { withLeaseRenewal } from './lease-renewal.ts';
import { errorFields, checkoutLogId, type LogFields } from '../ports/log.ts';
import { checkLinks } from '../domain/present-checkout.ts';
import { applyCreateFailure, applyCreatedInvoice, type CreateResult } from '../domain/apply-create-result.ts';
import { alignToTick, retryAt } from '../domain/next-fetch-time.ts';
import type { Attempt, CheckoutRecord } from '../ports/checkout-store.ts';

/** The result of a call; `not_recorded`: it could not be committed, and the call will be repeated. */
export interface CreateCallResult {
  readonly kind: CreateResult['kind'] | 'not_recorded';
  readonly retryAfterMs: number | undefined;
}

/** Calls CreateInvoice for attempts whose intent is committed, and commits the results. */
export interface CreateInvoiceCaller {
  /** Calls for an attempt that the caller has just claimed. Never rejects; continues when the payer leaves. */
  call(checkoutId: string, attempt: Attempt): Promise<CreateCallResult>;
  /** Waits up to `timing.stopMs` for calls under way, then aborts them: their attempts are then in doubt. */
  stop(): Promise<void>;
}

type Answer = { readonly invoice: CreatedInvoice } | { readonly error: InvoiceServiceError };

export function createInvoiceCaller(context: ServerContext): CreateInvoiceCaller {
  const { service, store, clock, time, log, health, timing, instrumentation: meters } = context;
  const inFlight = new Set<Promise<CreateCallResult>>();
  const stopping = new AbortController();

  const callService = async (attempt: Attempt): Promise<Answer> => {
    try {
      const work = (signal: AbortSignal): Promise<CreatedInvoice> => service.createInvoice(attempt.request, signal);
      return { invoice: await withTimeout(clock, timing.createMs, work, stopping.signal) };
    } catch (error) {
      if (error instanceof InvoiceServiceError) return { error };
      // An unexpected error does not prove that the service created nothing.
      return {
        error: new InvoiceServiceError('CreateInvoice failed', { failure: 'ambiguous', code: 'unknown', cause: error }),
      };
    }
  };

  const record = (checkout: CheckoutRecord, { external_id }: Attempt, answer: Answer): CreateResult => {
    const now = time.now();
    const attempt = checkout.attempts.find((known) => known.external_id === external_id);
    const next = {
      fetchAt: alignToTick(now + timing.fastMs / 2, timing.fastMs, context.phase),
      retryAt:
        attempt === undefined
          ? null
          : retryAt({ ...attempt, created_at: now - time.elapsedMs(attempt.created_at) }, now, context.random()),
    };
    return 'invoice' in answer
      ? applyCreatedInvoice(checkout, external_id, answer.invoice, next)
      : applyCreateFailure(checkout, external_id, answer.error, next);
  };

  const callAndRecord = async (checkoutId: string, attempt: Attempt): Promise<CreateCallResult> => {
    const answer = await callService(attempt);
    if ('invoice' in answer) health.answered();
    else if (answer.error.failure !== 'refused') health.failed();
    const fields: LogFields = {
      checkout: checkoutLogId(checkoutId),
      external_id: attempt.external_id,
      ...('error' in answer ? errorFields(answer.error) : { invoice_id: answer.invoice.id }),
    };
    try {
      const recorded = await updateCheckout(store, checkoutId, (checkout) => {
        const result = record(checkout, attempt, answer);
        return { result, record: result.kind === 'unchanged' ? undefined : result.record };
      });
      const kind = recorded?.kind ?? 'unchanged';
      meters.countCreate(kind);
      logResult(kind, fields, 'invoice' in answer ? answer.invoice : undefined);
      return { kind, retryAfterMs: 'error' in answer ? answer.error.retryAfterMs : undefined };
    } catch (error) {
      meters.countCreate('not_recorded');
      log('error', 'create_not_recorded', { ...fields, ...errorFields(error) });
      return { kind: 'not_recorded', retryAfterMs: undefined };
    }
  };

  /** Keeps other processes from claiming the attempt; after this process dies, another one claims it when the lease ends. */
  const renewLease = async ({ external_id, call_count }: Attempt): Promise<void> => {
    try {
      await store.renewAttemptLease(external_id, call_count, time.now() + time.leaseMs(timing.createLeaseMs));
    } catch (error) {
      log('warn', 'lease_renewal_failed', { external_id, ...errorFields(error) });
    }
  };

  const logResult = (kind: CreateResult['kind'], fields: LogFields, invoice: CreatedInvoice | undefined): void => {
    const level = kind === 'created' || kind === 'unchanged' ? 'info' : kind === 'not_shown' ? 'error' : 'warn';
    log(level, kind === 'created' ? 'invoice_created' : `create_${kind}`, fields);
    for (const { field, reason } of invoice === undefined ? [] : checkLinks(invoice))
      log('error', 'link_dropped', { ...fields, field, reason });
  };

  return {
    call(checkoutId, attempt) {
      const renew = (): Promise<void> => renewLease(attempt);
      const call = withLeaseRenewal(clock, timing.createLeaseMs / 4, renew, callAndRecord(checkoutId, attempt));
      const running = call.finally(() => inFlight.delete(running));
      inFlight.add(running);
      return running;
    },
    async stop() {
      const cancel = clock.schedule(timing.stopMs, () => stopping.abort());
      await Promise.all(inFlight);
      cancel();
    },
  };
}
