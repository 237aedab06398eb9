import type { CreateRecovery } from './create-recovery.ts';
import { createConcurrencyLimit } from './worker-loop.ts';
import type { AdaptiveRateLimit } from './adaptive-rate-limit.ts';
import type { ServerContext } from '../context.ts';
import type { PollScheduler } from './poll-scheduler.ts';
import { checkoutLogId, errorFields } from '../ports/log.ts';
import { createWorkerLoop } from './worker-loop.ts';
import { alignToTick } from '../domain/poll-schedule.ts';
import type { FetchedInvoice } from '../../contract.ts';
import { withTimeout } from '../../base/timeout.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import type { Attempt, DueAttempt, Reschedule } from '../ports/checkout-store.ts';
import { updateCheckout } from '../commands/update-checkout.ts';
import { type FetchResult, applyStatus, changesCheckout, isUnlistedStatus } from '../domain/apply-status.ts';

/** Looks after all attempts: has the invoices that are due fetched, and creates that are in doubt driven on. */
export interface StatusPoller {
  start(): void;
  /** Hastens the invoices of a checkout by what `hasten` does in the store; a burst of calls hastens once. */
  expediteForWebhook(checkoutId: string, at: number, hasten: () => Promise<void>): Promise<void>;
  /** Ends after the calls that are under way. */
  stop(): Promise<void>;
}

/** Between two looks into the store, so that pokes that come together are fetched together. */
const leastSleepMs = 100;
/** What another process has hastened is noticed after this long. */
const longestSleepMs = 1000;
/** So many checkouts are hastened by one statement. */
const hastenAtOnce = 500;

export function createStatusPoller(
  context: ServerContext,
  pace: AdaptiveRateLimit,
  lanes: PollScheduler,
  lookAt: FetchBatch,
  completer: CreateRecovery,
): StatusPoller {
  const { store, clock, log, timing, limits } = context;
  const fetching = createConcurrencyLimit(
    limits.fetchesAtOnce,
    (error) => log('error', 'status_poller_failed', errorFields(error)),
    () => loop.wake(),
  );

  /** Takes one batch of what is due; tells how long to sleep. */
  const round = async (): Promise<number> => {
    if (fetching.isFull()) return longestSleepMs; // the end of one wakes the loop
    const pause = pace.waitMs();
    if (pause > 0) return pause;
    const now = clock.now();
    const due = await store.claimDueAttempts(now, now + timing.fetchLeaseMs, limits.batchSize);
    const made = due.filter(({ invoice_id }) => invoice_id !== null);
    if (made.length > 0) {
      pace.callStarted();
      fetching.run(lookAt(made));
    }
    if (made.length < due.length) await completer.recover(due.filter(({ invoice_id }) => invoice_id === null));
    if (due.length === limits.batchSize) return 0;
    const next = (await store.nextRunAt()) ?? Infinity;
    return Math.max(leastSleepMs, Math.min(next - clock.now(), longestSleepMs));
  };

  const hastenOverlooked = async (): Promise<number> => {
    const ids = lanes.overdueCheckouts();
    const at = alignToTick(clock.now(), timing.fastMs, context.phase);
    for (let from = 0; from < ids.length; from += hastenAtOnce)
      await store.expedite(ids.slice(from, from + hastenAtOnce), at);
    return timing.fastMs;
  };

  const loop = createWorkerLoop(clock, log, 'status_poller', round);
  const rescue = createWorkerLoop(clock, log, 'status_poller', hastenOverlooked);

  return {
    start() {
      loop.start();
      rescue.start();
    },
    async expediteForWebhook(checkoutId, at, hasten) {
      if (!lanes.noteWebhook(checkoutId, at)) return;
      await hasten();
      loop.wake();
    },
    async stop() {
      await Promise.all([loop.stop(), rescue.stop()]);
      await Promise.all([fetching.idle(), completer.stop()]);
    },
  };
}

/** Fetches a batch of invoices that are due with one call. */
export type FetchBatch = (due: readonly DueAttempt[]) => Promise<void>;

const firstBackoffMs = 500;
const longestBackoffMs = 5000;

/** Refusals that are about the caller rather than about one of the identifiers. */
const refusesAll: readonly string[] = ['unauthenticated', 'permission_denied', 'unimplemented', 'resource_exhausted'];

export function createFetchBatch(
  context: ServerContext,
  pace: AdaptiveRateLimit,
  lanes: PollScheduler,
  settle: RecordBatch,
): FetchBatch {
  const { service, store, clock, log, health, timing } = context;
  let failures = 0;

  const backOff = async (due: readonly DueAttempt[], error: unknown): Promise<void> => {
    failures += 1;
    health.failed();
    pace.callFailed(error instanceof InvoiceServiceError ? error.retryAfterMs : undefined);
    log('warn', 'fetch_failed', { asked: due.length, failures, ...errorFields(error) });
    const base = Math.min(firstBackoffMs * 2 ** Math.min(failures - 1, 10), longestBackoffMs);
    const changes = due.map(({ external_id, checkout_id, checked_at }) => {
      lanes.scheduled(checkout_id);
      return { external_id, checked_at, run_at: Math.round(clock.now() + base * (0.5 + context.random() / 2)) };
    });
    await store.reschedule(changes);
  };

  /** One bad identifier must not hide the others: the halves are asked for alone, down to the one that is refused. */
  const split = async (due: readonly DueAttempt[], error: InvoiceServiceError, askedAt: number): Promise<void> => {
    if (due.length === 1) {
      log('warn', 'invoice_fetch_rejected', { external_id: due[0]?.external_id, ...errorFields(error) });
      await settle(due, [], askedAt);
      return;
    }
    const middle = Math.ceil(due.length / 2);
    await lookAt(due.slice(0, middle));
    await lookAt(due.slice(middle));
  };

  const lookAt: FetchBatch = async (due) => {
    const askedAt = clock.now();
    lanes.fetchStarted(due.map(({ checkout_id }) => checkout_id));
    const ids = due.flatMap(({ invoice_id }) => invoice_id ?? []);
    let invoices: readonly FetchedInvoice[];
    try {
      invoices = await withTimeout(clock, timing.fetchMs, (signal) => service.fetchInvoices(ids, signal));
    } catch (error) {
      const isAboutOne =
        error instanceof InvoiceServiceError && error.failure === 'refused' && !refusesAll.includes(error.code);
      await (isAboutOne ? split(due, error, askedAt) : backOff(due, error));
      return;
    }
    failures = 0;
    health.answered();
    pace.callSucceeded();
    await settle(due, invoices, askedAt);
  };
  return lookAt;
}

/** Commits what a fetch brought for the invoices of a batch, and puts the rest back in line. */
export type RecordBatch = (
  due: readonly DueAttempt[],
  invoices: readonly FetchedInvoice[],
  askedAt: number,
) => Promise<void>;

interface News {
  readonly attempt: DueAttempt;
  readonly look: FetchResult;
}

export function createRecordBatch(context: ServerContext, lanes: PollScheduler): RecordBatch {
  const { store, clock, log, timing, statuses } = context;
  const reading = { statuses, timing };

  const save = async ({ attempt, look }: News): Promise<void> => {
    const { checkout_id, external_id, invoice_id } = attempt;
    const recorded = await updateCheckout(store, checkout_id, (record) => {
      const dueAt = (next: Attempt): number | null => lanes.runAt(checkout_id, next, look.requested_at);
      const result = applyStatus(record, external_id, look, reading, dueAt, clock.now());
      return { result, record: result?.record, outcomes: result?.outcomes ?? [] };
    });
    lanes.scheduled(checkout_id);
    const facts = { checkout: checkoutLogId(checkout_id), external_id, invoice_id };
    if (recorded?.hasAmountMismatch === true) log('error', 'amount_mismatch', facts);
    const status = look.fetched?.status;
    // A word for paid that nobody has listed would let the money come and the invoice expire: a person has to look.
    if (status !== undefined && isUnlistedStatus(status, statuses)) log('warn', 'status_unknown', { ...facts, status });
    log('info', 'status_changed', { ...facts, status });
    for (const { kind } of recorded?.outcomes ?? [])
      log(kind === 'duplicate_payment' ? 'error' : 'info', `outcome_${kind}`, facts);
  };

  return async (due, invoices, askedAt) => {
    const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
    const quiet: Reschedule[] = [];
    const news: News[] = [];
    for (const attempt of due) {
      const look = { fetched: byId.get(attempt.invoice_id ?? ''), requested_at: askedAt };
      const { external_id, checkout_id } = attempt;
      if (changesCheckout(attempt, look, reading)) news.push({ attempt, look });
      else quiet.push({ external_id, run_at: lanes.runAt(checkout_id, attempt, askedAt), checked_at: askedAt });
      lanes.scheduled(checkout_id);
    }
    const missing = due.filter(({ invoice_id }) => !byId.has(invoice_id ?? '')).length;
    if (missing > 0) log('info', 'invoices_missing', { missing, asked: due.length });
    await store.reschedule(quiet);
    for (const one of news) {
      try {
        await save(one);
      } catch (error) {
        // It is taken again when the lease is over.
        log('error', 'status_not_recorded', {
          checkout: checkoutLogId(one.attempt.checkout_id),
          ...errorFields(error),
        });
      }
    }
  };
}
