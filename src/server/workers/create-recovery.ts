import { attemptOf } from '../domain/checkout-status.ts';
import { claimCreate } from '../domain/decide-create-request.ts';
import { updateCheckout } from '../commands/update-checkout.ts';
import { createLeaseMs, type CreateInvoiceCaller } from '../commands/call-create-invoice.ts';
import type { ServerContext } from '../server-context.ts';
import { errorFields } from '../ports/log.ts';
import type { DueCreate } from '../ports/checkout-store.ts';
import { createConcurrencyLimit } from './worker-loop.ts';

/** Repeats creates in doubt, including those of a process that died during the call. */
export interface CreateRecovery {
  /** Repeats creates that are due. Those for which there is no room are due again a little later. */
  recover(due: readonly DueCreate[]): Promise<void>;
  /** Resolves when the calls under way have ended. */
  stop(): Promise<void>;
}

/** How many creates are repeated at once. */
const maxRepeats = 16;
/** The average delay of attempts for which there is no room. */
const overflowDelayMs = 2000;

export function createCreateRecovery(context: ServerContext, caller: CreateInvoiceCaller): CreateRecovery {
  const { store, time, log, random } = context;
  const limit = createConcurrencyLimit(maxRepeats);

  /** Repeats the call of an attempt, unless another process holds the lease of the attempt. */
  const repeatCall = async ({ checkoutId, externalId, claimedUntil }: DueCreate): Promise<void> => {
    try {
      const claimResult = await updateCheckout(context, checkoutId, (record) => {
        const claim = claimCreate(record, externalId, time.now(), time.leaseMs(createLeaseMs));
        return { result: { ...claim, stored: attemptOf(record, externalId) }, record: claim?.record };
      });
      if (claimResult?.attempt !== undefined) await caller.call(checkoutId, claimResult.attempt);
      else if (claimResult?.stored?.state === 'creating' || claimResult?.stored?.state === 'in_doubt')
        await store.reschedule([{ externalId, runAt: claimResult.stored.leaseUntil, checkedAt: null, claimedUntil }]);
    } catch (error) {
      log('error', 'create_recovery_failed', { checkout: checkoutId, ...errorFields(error) });
    }
  };

  return {
    async recover(due) {
      const freeCount = limit.freeCount();
      for (const attempt of due.slice(0, freeCount)) limit.run(repeatCall(attempt));
      const runAt = Math.round(time.now() + overflowDelayMs * (0.5 + random.number()));
      const overflow = due.slice(freeCount);
      await store.reschedule(
        overflow.map(({ externalId, claimedUntil }) => ({ externalId, checkedAt: null, runAt, claimedUntil })),
      );
    },
    stop: () => limit.idle(),
  };
}
