import type { FetchedInvoice } from '../../contract.ts';
import { updateCheckout } from '../commands/update-checkout.ts';
import type { ServerContext } from '../context.ts';
import type { PollScheduler } from './poll-scheduler.ts';
import { errorFields, checkoutLogId } from '../ports/log.ts';
import { changesCheckout, isUnlistedStatus, applyStatus, type FetchResult } from '../domain/apply-status.ts';
import type { Attempt, DueAttempt, Reschedule } from '../ports/checkout-store.ts';

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
