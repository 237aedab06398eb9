import type { CreatedInvoice } from '../../contract.ts';
import { withTimeout } from '../../base/timeout.ts';
import { updateCheckout } from './update-checkout.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import type { ServerContext } from '../context.ts';
import { withLeaseRenewal } from './lease-renewal.ts';
import { errorFields, checkoutLogId, type LogFields } from '../ports/log.ts';
import { checkLinks } from '../domain/check-links.ts';
import { applyCreateFailure, applyCreatedInvoice, type CreateResult } from '../domain/apply-create-result.ts';
import { alignToTick, retryAt } from '../domain/next-poll-time.ts';
import type { Attempt, CheckoutRecord } from '../ports/checkout-store.ts';

/** What a call came to; `not_recorded`: its answer could not be committed, and the call will be repeated. */
export interface CreateCallResult {
  readonly kind: CreateResult['kind'] | 'not_recorded';
  readonly retryAfterMs: number | undefined;
}

/** Makes the calls of attempts whose intent is committed, and commits what they came to. */
export interface CreateInvoiceCaller {
  /** Calls for an attempt that was just taken; never rejects, and goes on when the payer has left. */
  call(checkoutId: string, attempt: Attempt): Promise<CreateCallResult>;
  /** Lets calls that are under way end for a while, then cuts them short: their answers are then not known. */
  stop(): Promise<void>;
}

type Answer = { readonly invoice: CreatedInvoice } | { readonly error: InvoiceServiceError };

export function createInvoiceCaller(context: ServerContext): CreateInvoiceCaller {
  const { service, store, clock, log, health, timing, instrumentation: meters } = context;
  const inFlight = new Set<Promise<CreateCallResult>>();
  const stopping = new AbortController();

  const ask = async (attempt: Attempt): Promise<Answer> => {
    try {
      const work = (signal: AbortSignal): Promise<CreatedInvoice> => service.createInvoice(attempt.request, signal);
      return { invoice: await withTimeout(clock, timing.createMs, work, stopping.signal) };
    } catch (error) {
      if (error instanceof InvoiceServiceError) return { error };
      // Whatever this is, it does not say that nothing was done.
      return {
        error: new InvoiceServiceError('CreateInvoice failed', { failure: 'ambiguous', code: 'unknown', cause: error }),
      };
    }
  };

  const record = (checkout: CheckoutRecord, { external_id }: Attempt, answer: Answer): CreateResult => {
    const now = clock.now();
    const attempt = checkout.attempts.find((known) => known.external_id === external_id);
    const looks = {
      fetchAt: alignToTick(now + timing.fastMs / 2, timing.fastMs, context.phase),
      retryAt: attempt === undefined ? null : retryAt(attempt, now, context.random()),
    };
    return 'invoice' in answer
      ? applyCreatedInvoice(checkout, external_id, answer.invoice, looks)
      : applyCreateFailure(checkout, external_id, answer.error, looks);
  };

  const make = async (checkoutId: string, attempt: Attempt): Promise<CreateCallResult> => {
    const answer = await ask(attempt);
    if ('invoice' in answer) health.answered();
    else if (answer.error.failure !== 'refused') health.failed();
    const facts: LogFields = {
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
      logResult(kind, facts, 'invoice' in answer ? answer.invoice : undefined);
      return { kind, retryAfterMs: 'error' in answer ? answer.error.retryAfterMs : undefined };
    } catch (error) {
      meters.countCreate('not_recorded');
      log('error', 'create_not_recorded', { ...facts, ...errorFields(error) });
      return { kind: 'not_recorded', retryAfterMs: undefined };
    }
  };

  /** While this process lives, no other one claims the attempt; after its death another one soon does. */
  const renewLease = async ({ external_id, call_count }: Attempt): Promise<void> => {
    try {
      await store.renewAttemptLease(external_id, call_count, clock.now() + timing.createLeaseMs);
    } catch (error) {
      log('warn', 'lease_renewal_failed', { external_id, ...errorFields(error) });
    }
  };

  const logResult = (kind: CreateResult['kind'], facts: LogFields, invoice: CreatedInvoice | undefined): void => {
    const level = kind === 'created' || kind === 'unchanged' ? 'info' : kind === 'not_shown' ? 'error' : 'warn';
    log(level, kind === 'created' ? 'invoice_created' : `create_${kind}`, facts);
    for (const { field, reason } of invoice === undefined ? [] : checkLinks(invoice))
      log('error', 'link_dropped', { ...facts, field, reason });
  };

  return {
    call(checkoutId, attempt) {
      const renew = (): Promise<void> => renewLease(attempt);
      const call = withLeaseRenewal(clock, timing.createLeaseMs / 4, renew, make(checkoutId, attempt));
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
