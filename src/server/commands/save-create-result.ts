import { parseServiceTimestamp, type CreatedInvoice } from '../../contract.ts';
import { updateCheckout } from './update-checkout.ts';
import type { ServerContext } from '../server-context.ts';
import { StoreUnavailableError, type Attempt, type CheckoutRecord } from '../ports/checkout-store.ts';
import type { InvoiceServiceError } from '../ports/invoice-service.ts';
import { errorFields, checkoutLogId, type LogFields } from '../ports/log.ts';
import { checkLinks } from '../domain/present-to-payer.ts';
import { applyCreateFailure, applyCreatedInvoice, type CreateResult } from '../domain/apply-create-result.ts';
import { attemptOf } from '../domain/select-attempt.ts';
import { alignToTick, retryAt } from '../domain/next-fetch-time.ts';
import { withoutImpossibleDeadline } from '../domain/invoice-expiry.ts';

/** What a call of CreateInvoice returned. */
export type CreateAnswer = { readonly invoice: CreatedInvoice } | { readonly error: InvoiceServiceError };

/** The result of a call; `not_recorded`: it could not be committed yet. */
export interface CreateCallResult {
  readonly kind: CreateResult['kind'] | 'not_recorded';
  readonly retryAfterMs: number | undefined;
  /** The checkout as it is now stored; undefined when the result is not committed, or there is no such checkout. */
  readonly record?: CheckoutRecord | undefined;
}

/**
 * Commits what calls of CreateInvoice returned. An invoice that cannot be committed is kept in memory, and committed as soon
 * as the store works again. That is also done when another process has repeated the call in the meantime, so that every
 * invoice that is known to exist is polled.
 */
export interface CreateResultSaver {
  /** Never rejects. */
  save(checkoutId: string, attempt: Attempt, answer: CreateAnswer): Promise<CreateCallResult>;
  /** Commits the invoices that are kept for an attempt; returns undefined when there are none. Never rejects. */
  saveKept(externalId: string): Promise<CreateCallResult> | undefined;
  /** Tries once more to commit what is kept. */
  stop(): Promise<void>;
}

interface Entry {
  readonly checkoutId: string;
  readonly attempt: Attempt;
  readonly answer: CreateAnswer;
}

/** Maximum number of kept invoices. Only calls that are under way when the store fails add one. */
const maxKept = 1000;
/** The longest pause between two tries to commit what is kept. */
const retryMs = 1000;

export function createResultSaver(context: ServerContext): CreateResultSaver {
  const { store, clock, log, random, instrumentation } = context;
  const kept = new Set<Entry>();
  let cancelRetry: (() => void) | undefined;
  let isStopped = false;

  /** @throws when the store fails */
  const commit = async (entry: Entry): Promise<CreateCallResult> => {
    const { checkoutId, attempt, answer } = entry;
    const saved = await updateCheckout(store, checkoutId, (checkout) => {
      const result = applyAnswer(context, checkout, attempt, answer);
      const record = result.kind === 'unchanged' ? undefined : result.record;
      return { result, record, outcomes: result.outcomes ?? [] };
    });
    kept.delete(entry);
    const kind = saved?.kind ?? 'unchanged';
    instrumentation.countCreate(kind);
    logResult(context, kind, entry, saved?.record);
    const retryAfterMs = 'error' in answer ? answer.error.retryAfterMs : undefined;
    return { kind, retryAfterMs, record: saved?.record };
  };

  const keep = (entry: Entry, error: unknown): void => {
    instrumentation.countCreate('not_recorded');
    const isKept = 'invoice' in entry.answer && kept.size < maxKept;
    log('error', 'create_not_recorded', { ...fieldsOf(entry), kept: isKept, ...errorFields(error) });
    if (isKept) kept.add(entry);
    scheduleRetry();
  };

  const scheduleRetry = (): void => {
    if (isStopped || kept.size === 0) return;
    cancelRetry ??= clock.schedule(retryMs * (0.5 + random() / 2), () => {
      void commitKept().then(() => {
        cancelRetry = undefined;
        scheduleRetry();
      });
    });
  };

  /** Commits the kept invoices one after another. Stops when the store is not available. */
  const commitKept = async (): Promise<void> => {
    for (const entry of [...kept])
      try {
        await commit(entry);
      } catch (error) {
        if (error instanceof StoreUnavailableError) return;
      }
  };

  return {
    async save(checkoutId, attempt, answer) {
      const entry = { checkoutId, attempt, answer };
      try {
        return await commit(entry);
      } catch (error) {
        keep(entry, error);
        return { kind: 'not_recorded', retryAfterMs: undefined };
      }
    },
    saveKept(externalId) {
      const [first, ...others] = [...kept].filter(({ attempt }) => attempt.externalId === externalId);
      if (first === undefined) return undefined;
      const commitAll = async (): Promise<CreateCallResult> => {
        let result = await commit(first);
        for (const entry of others) result = await commit(entry);
        return result;
      };
      // What is not committed is kept, and tried again.
      return commitAll().catch(() => ({ kind: 'not_recorded', retryAfterMs: undefined }));
    },
    async stop() {
      isStopped = true;
      cancelRetry?.();
      await commitKept();
    },
  };
}

function applyAnswer(
  { time, random, timing, phase }: ServerContext,
  checkout: CheckoutRecord,
  { externalId, callCount }: Attempt,
  answer: CreateAnswer,
): CreateResult {
  const now = time.now();
  const attempt = attemptOf(checkout, externalId);
  // Another process has repeated the call since, and holds the lease.
  if ('error' in answer && attempt?.callCount !== callCount) return { kind: 'unchanged', record: checkout };
  const next = {
    now,
    fetchAt: alignToTick(now + timing.fastMs / 2, timing.fastMs, phase),
    retryAt:
      attempt === undefined
        ? null
        : retryAt({ ...attempt, createdAt: now - time.elapsedMs(attempt.createdAt) }, now, random()),
  };
  if ('error' in answer) return applyCreateFailure(checkout, externalId, answer.error, next);
  const invoice =
    attempt === undefined ? answer.invoice : withCheckedDeadline(time, checkout.attempts, attempt, answer.invoice);
  return applyCreatedInvoice(checkout, externalId, invoice, next);
}

/** An invoice that the service has returned for an earlier request too may have a deadline before this request. */
function withCheckedDeadline(
  time: ServerContext['time'],
  attempts: readonly Attempt[],
  { externalId, createdAt }: Attempt,
  invoice: CreatedInvoice,
): CreatedInvoice {
  return attempts.some((other) => other.externalId !== externalId && other.invoice?.id === invoice.id)
    ? invoice
    : withoutImpossibleDeadline(invoice, time.deadlineNow() - time.elapsedMs(createdAt));
}

function fieldsOf({ checkoutId, attempt, answer }: Entry): LogFields {
  return {
    checkout: checkoutLogId(checkoutId),
    external_id: attempt.externalId,
    ...('error' in answer ? errorFields(answer.error) : { invoice_id: answer.invoice.id }),
  };
}

const infoKinds: readonly CreateResult['kind'][] = ['created', 'unchanged'];
/** Results that a person has to check. */
const errorKinds: readonly CreateResult['kind'][] = ['not_shown', 'not_payable', 'unresolved'];

function logResult(
  { log, time }: ServerContext,
  kind: CreateResult['kind'],
  entry: Entry,
  record: CheckoutRecord | undefined,
): void {
  const fields = fieldsOf(entry);
  const level = infoKinds.includes(kind) ? 'info' : errorKinds.includes(kind) ? 'error' : 'warn';
  log(level, kind === 'created' ? 'invoice_created' : `create_${kind}`, fields);
  if (!('invoice' in entry.answer)) return;
  const { invoice } = entry.answer;
  const { expires_at } = withCheckedDeadline(time, record?.attempts ?? [], entry.attempt, invoice);
  if (invoice.expires_at !== undefined && parseServiceTimestamp(expires_at ?? '') === undefined)
    log('error', 'deadline_unreadable', fields); // the payer sees no countdown
  for (const { field, reason } of checkLinks(invoice, record?.params.currency ?? null))
    log('error', 'link_dropped', { ...fields, field, reason });
}
