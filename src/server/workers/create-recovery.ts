import { attemptOf } from '../domain/select-attempt.ts';
import { claimCreate } from '../domain/decide-create-request.ts';
import { updateCheckout } from '../commands/update-checkout.ts';
import type { CreateInvoiceCaller } from '../commands/call-create-invoice.ts';
import type { ServerContext } from '../server-context.ts';
import { errorFields, checkoutLogId } from '../ports/log.ts';
import type { DueAttempt } from '../ports/checkout-store.ts';

/** Repeats creates in doubt, including those of a process that died during the call. */
export interface CreateRecovery {
  /** Queues attempts that are due; those that the queue has no room for are rescheduled. */
  recover(due: readonly DueAttempt[]): Promise<void>;
  /** Resolves when the calls under way are over; queued attempts are left to another process. */
  stop(): Promise<void>;
}

const maxConcurrent = 16;
const maxQueued = 200;
const overflowDelayMs = 10_000;

export function createCreateRecovery(
  { store, time, log, timing, random }: ServerContext,
  caller: CreateInvoiceCaller,
): CreateRecovery {
  const queue = new Map<string, DueAttempt>();
  const workers = new Set<Promise<void>>();
  let isStopped = false;

  /** Repeats one call, unless another process holds its lease. */
  const repeat = async ({ checkoutId, externalId, claimedUntil }: DueAttempt): Promise<void> => {
    const claimed = await updateCheckout(store, checkoutId, (record) => {
      const claim = claimCreate(record, externalId, time.now(), time.leaseMs(timing.createLeaseMs));
      return { result: { ...claim, held: attemptOf(record, externalId) }, record: claim?.record };
    });
    if (claimed?.attempt !== undefined) await caller.call(checkoutId, claimed.attempt);
    else if (claimed?.held?.stage === 'creating' || claimed?.held?.stage === 'in_doubt') {
      const { leaseUntil, checkedAt } = claimed.held;
      await store.reschedule([{ externalId, runAt: leaseUntil, checkedAt, claimedUntil }]);
    }
  };

  const work = async (): Promise<void> => {
    for (const [externalId, due] of queue) {
      if (isStopped) return;
      queue.delete(externalId);
      try {
        await repeat(due);
      } catch (error) {
        log('error', 'create_recovery_failed', { checkout: checkoutLogId(due.checkoutId), ...errorFields(error) });
      }
    }
  };

  return {
    async recover(due) {
      const overflow = due.filter(({ externalId }) => !queue.has(externalId)).slice(maxQueued - queue.size);
      for (const attempt of due) if (!overflow.includes(attempt)) queue.set(attempt.externalId, attempt);
      while (workers.size < Math.min(maxConcurrent, queue.size) && !isStopped) {
        const worker = work().finally(() => workers.delete(worker));
        workers.add(worker);
      }
      const runAt = Math.round(time.now() + overflowDelayMs * (0.5 + random()));
      if (overflow.length > 0)
        await store.reschedule(
          overflow.map(({ externalId, checkedAt, claimedUntil }) => ({
            externalId,
            checkedAt,
            runAt,
            claimedUntil,
          })),
        );
    },
    async stop() {
      isStopped = true;
      await Promise.all(workers);
    },
  };
}
