import { isPaidOutcome } from '../domain/apply-fetched-status.ts';
import { errorFields } from '../ports/log.ts';
import type { Attempt, CheckoutRecord, CheckoutStore } from '../ports/checkout-store.ts';
import type { ServerContext } from '../server-context.ts';

/** Makes the invoices of a checkout due, because a webhook came for one of them. */
export interface WebhookExpediter {
  /** Makes the unpaid invoices due at `at`. */
  expedite(record: CheckoutRecord, at: number): Promise<void>;
  stop(): void;
}

/** How long after its fetch a status may be saved. */
const saveMs = 2000;

/**
 * A fetch that began before a webhook, perhaps in another process, may end after it and decide when the invoice is due next: in
 * hours, where the invoice has ended. So once such a fetch must be over, invoices that were not fetched since are due again.
 * @param wake - called when invoices are due
 */
export function createWebhookExpediter(
  { store, clock, time, timing, log }: Pick<ServerContext, 'store' | 'clock' | 'time' | 'timing' | 'log'>,
  wake: () => void,
): WebhookExpediter {
  const checks = new Map<string, () => void>();

  const check = async (checkoutId: string, at: number): Promise<void> => {
    const record = await store.load(checkoutId);
    if (record === undefined || unpaidAttempts(record).every(({ checkedAt }) => (checkedAt ?? 0) >= at)) return;
    await expediteUnpaid(store, record, time.now());
    wake();
  };

  return {
    async expedite(record, at) {
      const { id } = record;
      checks.get(id)?.();
      const run = (): void => {
        checks.delete(id);
        check(id, at).catch((error: unknown) => log('warn', 'expedite_failed', errorFields(error)));
      };
      checks.set(id, clock.schedule(timing.fetchMs + saveMs, run, true));
      await expediteUnpaid(store, record, at);
      wake();
    },
    stop() {
      for (const cancel of checks.values()) cancel();
      checks.clear();
    },
  };
}

/** The attempts of a checkout that a webhook may be about. */
export function unpaidAttempts({ attempts }: CheckoutRecord): readonly Attempt[] {
  return attempts.filter(({ stage, outcome }) => stage === 'created' && !isPaidOutcome(outcome));
}

/** Also of invoices that are no longer polled: one may have been paid late. */
async function expediteUnpaid(
  store: Pick<CheckoutStore, 'expedite' | 'reschedule'>,
  record: CheckoutRecord,
  at: number,
): Promise<void> {
  const notPolled = unpaidAttempts(record).filter(({ runAt }) => runAt === null);
  await store.reschedule(
    notPolled.map(({ externalId, checkedAt }) => ({ externalId, checkedAt, runAt: at, claimedUntil: null })),
  );
  await store.expedite([record.id], at);
}
