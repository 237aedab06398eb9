import { withTimeout, type Clock } from '../../base/clock.ts';
import { withLeaseRenewal } from '../commands/lease-renewal.ts';
import { errorFields, checkoutLogId, type Log } from '../ports/log.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';
import type { Timing } from '../options.ts';
import type { CheckoutStore, Outcome } from '../ports/checkout-store.ts';

interface Parts {
  readonly store: CheckoutStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly timing: Timing;
  readonly onOutcome: (outcome: Outcome) => Promise<void>;
}

const batchSize = 20;
/** The pause between claims. */
const sleepMs = 1000;
const firstPauseMs = 500;
const maxTrackedFailures = 10_000;

/**
 * Delivers stored outcomes to the shop, each at least once. Outcomes of one checkout that are claimed together are
 * delivered in order. A failed delivery is repeated with exponential backoff.
 */
export function createOutcomeDispatcher({ store, clock, random, log, timing, onOutcome }: Parts): WorkerLoop {
  const failures = new Map<string, number>();

  const deliver = async (outcome: Outcome): Promise<void> => {
    const { id, kind, order_id } = outcome;
    const fields = { kind, order_id, checkout: checkoutLogId(outcome.checkout_id) };
    try {
      await withTimeout(clock, timing.deliverMs, async () => onOutcome(outcome));
    } catch (error) {
      const count = (failures.get(id) ?? 0) + 1;
      if (failures.size < maxTrackedFailures) failures.set(id, count);
      const backoffMs = Math.min(firstPauseMs * 2 ** Math.min(count, 20), timing.deliverSlowestMs);
      log('error', 'outcome_not_delivered', { ...fields, failures: count, ...errorFields(error) });
      await store.retryOutcome(id, Math.round(clock.now() + backoffMs * (0.5 + random() / 2)));
      return;
    }
    failures.delete(id);
    await store.markOutcomeDelivered(id, clock.now());
    log('info', 'outcome_delivered', fields);
  };

  /** Delivers one after another, and renews the leases of those that are not delivered yet. */
  const deliverInOrder = async (outcomes: readonly Outcome[]): Promise<void> => {
    const remaining = new Set(outcomes.map(({ id }) => id));
    const deliverEach = async (): Promise<void> => {
      for (const outcome of outcomes) {
        await deliver(outcome);
        remaining.delete(outcome.id);
      }
    };
    const renew = (): Promise<void> => store.renewOutcomeLeases([...remaining], clock.now() + timing.deliverLeaseMs);
    await withLeaseRenewal(clock, timing.deliverLeaseMs / 4, renew, deliverEach());
  };

  return createWorkerLoop(clock, log, 'outcome_dispatcher', async () => {
    const now = clock.now();
    const outcomes = await store.claimOutcomes(now, now + timing.deliverLeaseMs, batchSize);
    const checkouts = new Set(outcomes.map(({ checkout_id }) => checkout_id));
    await Promise.all(
      [...checkouts].map((id) => deliverInOrder(outcomes.filter(({ checkout_id }) => checkout_id === id))),
    );
    return outcomes.length === batchSize ? 0 : sleepMs;
  });
}
