import type { FetchedInvoice } from '../../contract.ts';
import { withTimeout } from '../../base/timeout.ts';
import type { AdaptiveRateLimit } from './adaptive-rate-limit.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import type { ServerContext } from '../context.ts';
import type { PollScheduler } from './poll-scheduler.ts';
import { errorFields } from '../ports/log.ts';
import type { RecordBatch } from './record-batch.ts';
import type { DueAttempt } from '../ports/checkout-store.ts';

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
