import { isPaidOutcome, ownInvoices, unpaidAttempts } from '../domain/checkout-status.ts';
import { wasFetchedSince } from '../domain/fetch-decisions.ts';
import { loadUntil, type LongPolls } from '../between-requests/long-polls.ts';
import type { InvoiceAttempt } from '../ports/invoice-attempt.ts';
import type { CheckAnswer, CheckoutRecord } from '../ports/checkout-store.ts';
import type { ServerContext } from '../server-context.ts';

/** How long a payer's check waits for the service, in milliseconds (checkout-api.md, `check=1`). */
const maxWaitMs = 10_000;
/** How often the record is read meanwhile, in milliseconds: no notification tells that another process fetched an unchanged invoice. */
const readIntervalMs = 1000;

/** A checkout after a check, and what the service has answered. */
interface CheckResult {
  readonly record: CheckoutRecord;
  readonly answer: CheckAnswer;
}

/**
 * Fetches the unpaid invoices of a checkout at the service now, also those that have failed, expired or been replaced, because the
 * payer says that he has paid, or asks for another invoice. Resolves once the service has answered about each after the call, or
 * after `waitMs`.
 */
export type CheckPayment = (
  record: CheckoutRecord,
  waitMs?: number,
  /** The invoices that are fetched; by default those that are not paid. */
  askedOf?: (record: CheckoutRecord) => readonly InvoiceAttempt[],
) => Promise<CheckResult>;

const isPaid = ({ outcome }: InvoiceAttempt): boolean => isPaidOutcome(outcome);

/**
 * @param fetches - woken when an invoice of a checkout was fetched
 * @param expedite - makes the invoices due, a second after their last fetch at the earliest
 */
export function createCheckPayment(
  { store, clock, time }: Pick<ServerContext, 'store' | 'clock' | 'time'>,
  fetches: LongPolls,
  expedite: (record: CheckoutRecord, asked: readonly InvoiceAttempt[]) => Promise<void>,
): CheckPayment {
  return async (record, waitMs = maxWaitMs, askedOf = unpaidAttempts) => {
    const since = Math.floor(time.now());
    // A fetch that began before may tell meanwhile that an invoice is paid. It is not asked for again then.
    const known = new Set(
      ownInvoices(record)
        .filter(isPaid)
        .map(({ externalId }) => externalId),
    );
    const isNewPayment = (attempt: InvoiceAttempt): boolean => isPaid(attempt) && !known.has(attempt.externalId);
    const isAnswered = (checkout: CheckoutRecord): boolean =>
      askedOf(checkout).every((attempt) => wasFetchedSince(attempt, since, time.now()) || isNewPayment(attempt));
    const isTold = (attempt: InvoiceAttempt): boolean =>
      attempt.checkedAt === attempt.answeredAt || isNewPayment(attempt);
    const resultOf = (checkout: CheckoutRecord): CheckResult => {
      const asked = askedOf(checkout);
      if (asked.length === 0) return { record: checkout, answer: 'no_invoice' };
      if (!isAnswered(checkout)) return { record: checkout, answer: 'no_answer' };
      return { record: checkout, answer: asked.every(isTold) ? 'told' : 'not_told' };
    };
    if (isAnswered(record)) return resultOf(record);
    const longPoll = fetches.begin(record.id, waitMs);
    if (longPoll === undefined) return resultOf(record);
    const expedited = expedite(record, askedOf(record)).then(() => record);
    const load = async (): Promise<CheckoutRecord> => (await store.load(record.id)) ?? record;
    return resultOf(await loadUntil(clock, longPoll, readIntervalMs, load, isAnswered, expedited));
  };
}
