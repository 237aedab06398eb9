import { type CreatedInvoice, parseServiceTimestamp, withoutImpossibleDeadline } from '../../service-api.ts';
import { alignToTick, resolveWithin, sleep, withTimeout } from '../../base/clock.ts';
import { leaseMarginMs } from '../../base/create-time-limits.ts';
import { createTimeoutMs, InvoiceServiceError } from '../ports/invoice-service.ts';
import type { ServerContext } from '../server-context.ts';
import { errorFields, type LogFields } from '../ports/log.ts';
import type { Attempt } from '../ports/invoice-attempt.ts';
import { type CheckoutRecord, InvoiceClaimedError, StoreUnavailableError } from '../ports/checkout-store.ts';
import { updateCheckout } from './update-checkout.ts';
import { checkLinks } from '../domain/invoice-links.ts';
import { applyCreateFailure, applyCreatedInvoice, type CreateResult } from '../domain/create-results.ts';
import { retryAt } from '../domain/create-repeats.ts';
import { attemptOf, invoicesOf } from '../domain/checkout-status.ts';

/**
 * The lease of a process on an attempt while it calls CreateInvoice, in milliseconds. If the process dies, another one repeats
 * the call when the lease ends.
 */
export const createLeaseMs = ({ qr }: Pick<ServerContext, 'qr'>): number => createTimeoutMs({ qr }) + leaseMarginMs;
/** How long `stop` of the server waits for calls in progress, in milliseconds. */
export const stopTimeoutMs = 5000;

interface CallOptions {
  readonly recordMs?: number;
  /** The checkout as it was saved with the claim. */
  readonly claimed?: CheckoutRecord;
}

/** A call of CreateInvoice. `responded` and `saved` never reject. */
interface CallUnderWay {
  readonly responded: Promise<unknown>;
  /** The result, after the response is committed. */
  readonly saved: Promise<CreateCallResult>;
}

/** Calls CreateInvoice for attempts whose intent is committed, and commits the results. */
export function createInvoiceCaller(context: ServerContext) {
  const { service, clock, time, health } = context;
  const resultSaver = createResultSaver(context);
  const callsUnderWay = new Map<string, CallUnderWay>();
  /** Whether the service has answered the last create. */
  let isAnswering = true;
  // Each call has its own controller: Node warns of a leak when one signal has more than ten listeners.
  const stopControllers = new Set<AbortController>();

  const callService = async ({ request, leaseUntil }: Attempt): Promise<CreateResponse> => {
    const remainingMs = leaseUntil - time.now() - leaseMarginMs; // the lease includes a step of the clock
    const timeoutMs = Math.max(0, Math.min(createTimeoutMs(context), remainingMs));
    const stopController = new AbortController();
    stopControllers.add(stopController);
    const work = (signal: AbortSignal): Promise<CreatedInvoice> => service.createInvoice(request, signal);
    try {
      const invoice = await withTimeout(clock, timeoutMs, work, stopController.signal);
      health.noteResponse();
      isAnswering = true;
      return { invoice };
    } catch (cause) {
      // An unexpected error does not prove that the service created nothing.
      const facts = { failure: 'ambiguous', code: 'unknown', cause } as const;
      const error =
        cause instanceof InvoiceServiceError ? cause : new InvoiceServiceError('CreateInvoice failed', facts);
      const wasAnswering = isAnswering;
      isAnswering = error.failure === 'refused';
      if (!isAnswering) health.noteFailure();
      return { error, wasAnswering };
    } finally {
      stopControllers.delete(stopController);
    }
  };

  const startCall = (checkoutId: string, attempt: Attempt, { claimed }: CallOptions): CallUnderWay => {
    const responded = callService(attempt);
    const saved = responded
      .then((response) => resultSaver.save({ checkoutId, attempt, response }, claimed))
      .finally(() => callsUnderWay.delete(attempt.externalId));
    const call = { responded, saved };
    callsUnderWay.set(attempt.externalId, call);
    return call;
  };

  return {
    /**
     * Calls CreateInvoice for an attempt that was just claimed. Never rejects, and continues when the payer disconnects. With
     * `recordMs`, the call resolves with `not_recorded` when the response is not committed within `recordMs` milliseconds after
     * its arrival; the commit continues.
     */
    async call(checkoutId: string, attempt: Attempt, options: CallOptions = {}): Promise<CreateCallResult> {
      // An earlier call of the attempt may still wait for the store.
      const { responded, saved } = callsUnderWay.get(attempt.externalId) ?? startCall(checkoutId, attempt, options);
      if (options.recordMs === undefined) return saved;
      await responded;
      return (await resolveWithin(clock, options.recordMs, saved)) ?? notRecorded;
    },
    /** Waits up to `stopTimeoutMs` for calls under way, then aborts them. The attempts of aborted calls are in doubt. */
    async stop(): Promise<void> {
      const cancel = clock.schedule(stopTimeoutMs, () => {
        for (const stopController of stopControllers) stopController.abort();
        resultSaver.stop();
      });
      await Promise.all([...callsUnderWay.values()].map(({ saved }) => saved));
      cancel();
    },
  };
}

export type CreateInvoiceCaller = ReturnType<typeof createInvoiceCaller>;

/**
 * What a call of CreateInvoice returned, or the error that it rejected with. `wasAnswering`: whether the service has answered the
 * call before this one.
 */
type CreateResponse =
  { readonly invoice: CreatedInvoice } | { readonly error: InvoiceServiceError; readonly wasAnswering: boolean };

/** The result of a call. `not_recorded`: the response could not be committed yet. */
interface CreateCallResult {
  readonly kind: CreateResult['kind'] | 'not_recorded';
  readonly retryAfterMs: number | undefined;
  /** The stored checkout; undefined when the response is not committed, or when there is no such checkout. */
  readonly record?: CheckoutRecord | undefined;
}

const notRecorded: CreateCallResult = { kind: 'not_recorded', retryAfterMs: undefined };

interface Entry {
  readonly checkoutId: string;
  readonly attempt: Attempt;
  readonly response: CreateResponse;
}

/** The longest pause between two tries to commit an invoice while the store is not available. */
const retryMs = 1000;

/**
 * Commits the responses of CreateInvoice. An invoice is held until the store is available again, even if another process has
 * repeated the call in the meantime. So every invoice that is known to exist is polled.
 */
function createResultSaver(context: ServerContext) {
  const { clock, log, random, instrumentation } = context;
  let isStopped = false;

  /** @throws when the store fails */
  const commit = async (entry: Entry, claimed?: CheckoutRecord): Promise<CreateCallResult> => {
    const { checkoutId, attempt, response } = entry;
    const commitAs = (isForeign: boolean): Promise<CreateResult | undefined> =>
      updateCheckout(
        context,
        checkoutId,
        (checkout) => {
          const result = applyResponse(context, checkout, attempt, response, isForeign);
          return { result, record: result.kind === 'unchanged' ? undefined : result.record };
        },
        claimed,
      );
    const saveResult = await commitAs(false).catch((error: unknown) => {
      if (error instanceof InvoiceClaimedError) return commitAs(true);
      throw error;
    });
    const kind = saveResult?.kind ?? 'unchanged';
    instrumentation.countCreate(kind, attempt.method?.type);
    logResult(context, kind, entry, saveResult?.record);
    const retryAfterMs = 'error' in response ? response.error.retryAfterMs : undefined;
    return { kind, retryAfterMs, record: saveResult?.record };
  };

  /** Commits, or says in the log why not. @returns undefined while the invoice is to be committed later */
  const tryToCommit = async (
    entry: Entry,
    isFirst: boolean,
    claimed?: CheckoutRecord,
  ): Promise<CreateCallResult | undefined> => {
    try {
      return await commit(entry, claimed);
    } catch (error) {
      const isRefused = !(error instanceof StoreUnavailableError);
      const isHeld = 'invoice' in entry.response && !isRefused && !isStopped;
      if (isHeld && !isFirst) return undefined;
      instrumentation.countCreate('not_recorded', undefined);
      log('error', 'create_not_recorded', { ...logFieldsOf(entry), kept: isHeld, ...errorFields(error) });
      if (isHeld) return undefined;
      // The store refuses the invoice: the create is in doubt then, is repeated on its schedule, and is reported in the end.
      return isRefused && 'invoice' in entry.response
        ? save({ ...entry, response: { error: notStorable(), wasAnswering: false } })
        : notRecorded;
    }
  };

  /** Never rejects. `claimed` is the checkout as it was saved before the call. */
  const save = async (entry: Entry, claimed?: CheckoutRecord): Promise<CreateCallResult> => {
    let result = await tryToCommit(entry, true, claimed);
    while (result === undefined) {
      await sleep(clock, retryMs * (0.5 + random.number() / 2));
      result = await tryToCommit(entry, false);
    }
    return result;
  };

  return {
    save,
    /** From this call on, an invoice that cannot be committed is not held. */
    stop(): void {
      isStopped = true;
    },
  };
}

const notStorable = (): InvoiceServiceError =>
  new InvoiceServiceError('its invoice cannot be stored', { failure: 'ambiguous', code: 'unknown' });

function applyResponse(
  { time, random, timing }: ServerContext,
  checkout: CheckoutRecord,
  { externalId, callCount }: Attempt,
  response: CreateResponse,
  isForeign: boolean,
): CreateResult {
  const now = time.now();
  const attempt = attemptOf(checkout, externalId);
  // Another process may have repeated the call in the meantime; it then holds the lease.
  if (attempt === undefined || ('error' in response && attempt.callCount !== callCount))
    return { kind: 'unchanged', record: checkout };
  const fetchAt = alignToTick(now + timing.fastMs / 2, timing.fastMs);
  if ('error' in response) {
    const { error, wasAnswering } = response;
    const known = { ...attempt, createdAt: now - time.elapsedMs(attempt.createdAt) };
    const nextRuns = { fetchAt, retryAt: retryAt(known, error, now, random.number(), wasAnswering) };
    return applyCreateFailure(checkout, externalId, error, nextRuns);
  }
  const invoice = withCheckedDeadline(time, checkout.attempts, attempt, response.invoice);
  return applyCreatedInvoice(checkout, externalId, invoice, { fetchAt }, isForeign);
}

/**
 * The invoice without a deadline that is before the request. An invoice that the service has returned for another attempt too
 * is not changed: it may be older than this request.
 */
function withCheckedDeadline(
  time: ServerContext['time'],
  attempts: readonly Attempt[],
  { externalId, createdAt }: Attempt,
  invoice: CreatedInvoice,
): CreatedInvoice {
  return invoicesOf({ attempts }).some((other) => other.externalId !== externalId && other.invoice.id === invoice.id)
    ? invoice
    : withoutImpossibleDeadline(invoice, time.deadlineNow(), time.elapsedMs(createdAt));
}

function logFieldsOf({ checkoutId, attempt, response }: Entry): LogFields {
  return {
    checkout: checkoutId,
    external_id: attempt.externalId,
    ...('error' in response ? errorFields(response.error) : { invoice_id: response.invoice.id }),
  };
}

const infoKinds: readonly CreateResult['kind'][] = ['created', 'unchanged'];
/** Kinds of results that a person has to check. */
const errorKinds: readonly CreateResult['kind'][] = ['not_shown', 'not_payable', 'foreign_invoice', 'unresolved'];

function logResult(
  { log, time }: ServerContext,
  kind: CreateResult['kind'],
  entry: Entry,
  record: CheckoutRecord | undefined,
): void {
  const fields = logFieldsOf(entry);
  const level = infoKinds.includes(kind) ? 'info' : errorKinds.includes(kind) ? 'error' : 'warn';
  log(level, kind === 'created' ? 'invoice_created' : `create_${kind}`, fields);
  if (!('invoice' in entry.response)) return;
  const { invoice } = entry.response;
  const { expires_at } = withCheckedDeadline(time, record?.attempts ?? [], entry.attempt, invoice);
  if (invoice.expires_at !== undefined && parseServiceTimestamp(expires_at ?? '') === undefined)
    log('error', 'deadline_unreadable', fields); // the payer sees no countdown
  for (const { field, reason } of checkLinks(invoice, record?.params.currency ?? null, entry.attempt))
    log('error', 'link_dropped', { ...fields, field, reason });
}
