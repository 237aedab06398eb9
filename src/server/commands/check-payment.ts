import { sleep } from '../../base/clock.ts';
import { unpaidAttempts } from '../domain/select-invoice-attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import type { ServerContext } from '../server-context.ts';

/** How long a payer's check waits for the service, in milliseconds (checkout-api.md, `check=1`). */
const maxWaitMs = 10_000;
/** The interval at which the record is read meanwhile, in milliseconds: another process may be the one that fetches. */
const readIntervalMs = 200;

/**
 * Fetches the unpaid invoices of a checkout at the service now, also those that have failed, expired or been replaced, because the
 * payer says that he has paid, or asks for another invoice. Resolves with the record once each was fetched after the call, or
 * after `waitMs`.
 */
export type CheckPayment = (record: CheckoutRecord, waitMs?: number) => Promise<CheckoutRecord>;

/** @param expedite - makes the unpaid invoices due, a second after their last fetch at the earliest */
export function createCheckPayment(
  { store, clock, time }: Pick<ServerContext, 'store' | 'clock' | 'time'>,
  expedite: (record: CheckoutRecord) => Promise<void>,
): CheckPayment {
  return async (record, waitMs = maxWaitMs) => {
    const since = Math.floor(time.now());
    const isChecked = (checkout: CheckoutRecord): boolean =>
      unpaidAttempts(checkout).every(({ checkedAt }) => checkedAt !== null && checkedAt >= since);
    if (isChecked(record)) return record;
    await expedite(record);
    let current = record;
    for (const deadline = clock.now() + waitMs; !isChecked(current) && clock.now() < deadline;) {
      await sleep(clock, readIntervalMs);
      current = (await store.load(record.id)) ?? current;
    }
    return current;
  };
}
