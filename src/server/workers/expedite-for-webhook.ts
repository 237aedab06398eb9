import { isPaidOutcome } from '../domain/apply-fetched-status.ts';
import { errorFields } from '../ports/log.ts';
import type { Attempt, CheckoutRecord, CheckoutStore } from '../ports/checkout-store.ts';
import type { ServerContext } from '../server-context.ts';

/** Makes the invoices of a checkout due when a webhook arrives for one of them. */
export interface WebhookExpediter {
  /** Makes the unpaid invoices due at `at`. */
  expedite(record: CheckoutRecord, at: number): Promise<void>;
  stop(): void;
}

/** The maximum time between a fetch and the save of its result, in milliseconds. */
const saveMs = 2000;

/**
 * A fetch that began before the webhook, perhaps in another process, may end after the webhook and reschedule the invoice, for
 * an ended invoice by hours. Therefore the invoices are checked again after the time in which such a fetch must end. Those that
 * were not fetched since the webhook become due again.
 * @param wake - called when invoices are due
 */
export function createWebhookExpediter(
  { store, clock, time, timing, log }: Pick<ServerContext, 'store' | 'clock' | 'time' | 'timing' | 'log'>,
  wake: () => void,
): WebhookExpediter {
  const checkTimers = new Map<string, () => void>();

  const check = async (checkoutId: string, at: number): Promise<void> => {
    const record = await store.load(checkoutId);
    if (record === undefined || unpaidAttempts(record).every(({ checkedAt }) => (checkedAt ?? 0) >= at)) return;
    await expediteUnpaid(store, record, time.now());
    wake();
  };

  return {
    async expedite(record, at) {
      const { id } = record;
      checkTimers.get(id)?.();
      const runCheck = (): void => {
        checkTimers.delete(id);
        check(id, at).catch((error: unknown) => log('warn', 'expedite_failed', errorFields(error)));
      };
      checkTimers.set(id, clock.schedule(timing.fetchMs + saveMs, runCheck, true));
      await expediteUnpaid(store, record, at);
      wake();
    },
    stop() {
      for (const cancel of checkTimers.values()) cancel();
      checkTimers.clear();
    },
  };
}

/** The attempts with an unpaid invoice: a webhook may be about each of them. */
export function unpaidAttempts({ attempts }: CheckoutRecord): readonly Attempt[] {
  return attempts.filter(({ stage, outcome }) => stage === 'created' && !isPaidOutcome(outcome));
}

/**
 * Makes the unpaid invoices due at `at`, even those that are no longer polled, because a late payment is possible. An invoice that
 * is being fetched is due too: that fetch may have begun before the payment, and it then changes nothing.
 */
async function expediteUnpaid(
  store: Pick<CheckoutStore, 'reschedule'>,
  record: CheckoutRecord,
  at: number,
): Promise<void> {
  const changes = unpaidAttempts(record).map(({ externalId, checkedAt, runAt }) => {
    return { externalId, checkedAt, runAt: Math.min(runAt ?? at, at), claimedUntil: null };
  });
  await store.reschedule(changes);
}
