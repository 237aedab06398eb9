import type { Clock } from '../../base/clock.ts';
import { withTimeout } from '../../base/timeout.ts';
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

const atOnce = 20;
/** What another process has put into the outbox and lost is noticed after this long. */
const sleepMs = 1000;
const firstPauseMs = 500;
const maxRemembered = 10_000;

/**
 * Tells the shop of stored outcomes, each at least once and those of one checkout in their order as far as they are
 * handed out together; one that the shop refuses is told again after a pause that doubles.
 */
export function createOutcomeDispatcher({ store, clock, random, log, timing, onOutcome }: Parts): WorkerLoop {
  const failures = new Map<string, number>();

  const deliver = async (outcome: Outcome): Promise<void> => {
    const { id, kind, order_id } = outcome;
    const facts = { kind, order_id, checkout: checkoutLogId(outcome.checkout_id) };
    try {
      await withTimeout(clock, timing.deliverMs, async () => onOutcome(outcome));
    } catch (error) {
      const count = (failures.get(id) ?? 0) + 1;
      if (failures.size < maxRemembered) failures.set(id, count);
      const pause = Math.min(firstPauseMs * 2 ** Math.min(count, 20), timing.deliverSlowestMs);
      log('error', 'outcome_not_delivered', { ...facts, failures: count, ...errorFields(error) });
      await store.retryOutcome(id, Math.round(clock.now() + pause * (0.5 + random() / 2)));
      return;
    }
    failures.delete(id);
    await store.markOutcomeDelivered(id, clock.now());
    log('info', 'outcome_delivered', facts);
  };

  /** Delivers one after another; those in line are held as long as the one that is being told of. */
  const deliverAll = async (outcomes: readonly Outcome[]): Promise<void> => {
    const left = new Set(outcomes.map(({ id }) => id));
    const deliverInOrder = async (): Promise<void> => {
      for (const outcome of outcomes) {
        await deliver(outcome);
        left.delete(outcome.id);
      }
    };
    const renew = (): Promise<void> => store.renewOutcomeLeases([...left], clock.now() + timing.deliverLeaseMs);
    await withLeaseRenewal(clock, timing.deliverLeaseMs / 4, renew, deliverInOrder());
  };

  return createWorkerLoop(clock, log, 'outcome_dispatcher', async () => {
    const now = clock.now();
    const outcomes = await store.claimOutcomes(now, now + timing.deliverLeaseMs, atOnce);
    const checkouts = new Set(outcomes.map(({ checkout_id }) => checkout_id));
    await Promise.all([...checkouts].map((id) => deliverAll(outcomes.filter(({ checkout_id }) => checkout_id === id))));
    return outcomes.length === atOnce ? 0 : sleepMs;
  });
}
