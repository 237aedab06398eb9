import { attemptOf } from '../domain/attempts.ts';
import { claimCreate } from '../domain/decide-create.ts';
import { updateCheckout } from '../commands/update-checkout.ts';
import type { CreateInvoiceCaller } from '../commands/create-invoice-call.ts';
import type { ServerContext } from '../context.ts';
import { errorFields, checkoutLogId } from '../ports/log.ts';
import type { DueAttempt } from '../ports/checkout-store.ts';

/** Repeats creates whose answer is not known, also those of a process that died in the middle. */
export interface CreateRecovery {
  /** Takes over attempts that are due; those that are too many come back later. */
  recover(due: readonly DueAttempt[]): Promise<void>;
  /** Resolves when the calls that are under way are over; those in line stay for another process. */
  stop(): Promise<void>;
}

const atOnce = 16;
const longestLine = 200;
const laterMs = 10_000;

export function createCreateRecovery(
  { store, clock, log, timing, random }: ServerContext,
  caller: CreateInvoiceCaller,
): CreateRecovery {
  const line = new Map<string, DueAttempt>();
  const workers = new Set<Promise<void>>();
  let isStopped = false;

  /** Repeats one call, unless the process that made it last is still at it. */
  const complete = async ({ checkout_id, external_id }: DueAttempt): Promise<void> => {
    const taken = await updateCheckout(store, checkout_id, (record) => {
      const next = claimCreate(record, external_id, clock.now(), timing.createLeaseMs);
      return { result: { ...next, held: attemptOf(record, external_id) }, record: next?.record };
    });
    if (taken?.attempt !== undefined) await caller.call(checkout_id, taken.attempt);
    else if (taken?.held?.stage === 'creating' || taken?.held?.stage === 'in_doubt') {
      const { lease_until, checked_at } = taken.held;
      await store.reschedule([{ external_id, run_at: lease_until, checked_at }]);
    }
  };

  const work = async (): Promise<void> => {
    for (const [externalId, due] of line) {
      if (isStopped) return;
      line.delete(externalId);
      try {
        await complete(due);
      } catch (error) {
        log('error', 'create_recovery_failed', { checkout: checkoutLogId(due.checkout_id), ...errorFields(error) });
      }
    }
  };

  return {
    async recover(due) {
      const tooMany = due.filter(({ external_id }) => !line.has(external_id)).slice(longestLine - line.size);
      for (const attempt of due) if (!tooMany.includes(attempt)) line.set(attempt.external_id, attempt);
      while (workers.size < Math.min(atOnce, line.size) && !isStopped) {
        const worker = work().finally(() => workers.delete(worker));
        workers.add(worker);
      }
      const run_at = Math.round(clock.now() + laterMs * (0.5 + random()));
      if (tooMany.length > 0)
        await store.reschedule(tooMany.map(({ external_id, checked_at }) => ({ external_id, checked_at, run_at })));
    },
    async stop() {
      isStopped = true;
      await Promise.all(workers);
    },
  };
}
