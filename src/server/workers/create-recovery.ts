import { attemptOf } from '../domain/checkout-status.ts';
import { claimCreate } from '../domain/decide-create-request.ts';
import { updateCheckout } from '../commands/update-checkout.ts';
import { createLeaseMs, type CreateInvoiceCaller } from '../commands/call-create-invoice.ts';
import type { ServerContext } from '../server-context.ts';
import { errorFields } from '../ports/log.ts';
import type { DueCreate } from '../ports/checkout-store.ts';

/** Repeats creates in doubt, including those of a process that died during the call. */
export interface CreateRecovery {
  /** Queues attempts that are due. Attempts for which the queue has no room are rescheduled. */
  recover(due: readonly DueCreate[]): Promise<void>;
  /** Resolves when the calls under way have ended. Queued attempts are left to another process. */
  stop(): Promise<void>;
}

const maxConcurrent = 16;
const maxQueued = 200;
/** The average delay of attempts for which the queue has no room. */
const overflowDelayMs = 10_000;

export function createCreateRecovery(context: ServerContext, caller: CreateInvoiceCaller): CreateRecovery {
  const { store, time, log, random } = context;
  const queue = new Map<string, DueCreate>();
  const workers = new Set<Promise<void>>();
  let isStopped = false;

  /** Repeats the call of an attempt, unless another process holds the lease of the attempt. */
  const repeatCall = async ({ checkoutId, externalId, claimedUntil }: DueCreate): Promise<void> => {
    const claimResult = await updateCheckout(context, checkoutId, (record) => {
      const claim = claimCreate(record, externalId, time.now(), time.leaseMs(createLeaseMs));
      return { result: { ...claim, stored: attemptOf(record, externalId) }, record: claim?.record };
    });
    if (claimResult?.attempt !== undefined) await caller.call(checkoutId, claimResult.attempt);
    else if (claimResult?.stored?.state === 'creating' || claimResult?.stored?.state === 'in_doubt')
      await store.reschedule([{ externalId, runAt: claimResult.stored.leaseUntil, checkedAt: null, claimedUntil }]);
  };

  const workOffQueue = async (): Promise<void> => {
    for (const [externalId, due] of queue) {
      if (isStopped) return;
      queue.delete(externalId);
      try {
        await repeatCall(due);
      } catch (error) {
        log('error', 'create_recovery_failed', { checkout: due.checkoutId, ...errorFields(error) });
      }
    }
  };

  return {
    async recover(due) {
      const overflow = due.filter(({ externalId }) => !queue.has(externalId)).slice(maxQueued - queue.size);
      for (const attempt of due) if (!overflow.includes(attempt)) queue.set(attempt.externalId, attempt);
      while (workers.size < Math.min(maxConcurrent, queue.size) && !isStopped) {
        const worker = workOffQueue().finally(() => workers.delete(worker));
        workers.add(worker);
      }
      const runAt = Math.round(time.now() + overflowDelayMs * (0.5 + random.number()));
      if (overflow.length > 0)
        await store.reschedule(
          overflow.map(({ externalId, claimedUntil }) => ({ externalId, checkedAt: null, runAt, claimedUntil })),
        );
    },
    async stop() {
      isStopped = true;
      await Promise.all(workers);
    },
  };
}
