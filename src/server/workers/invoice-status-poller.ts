import { timerEarlyMs } from '../../base/clock.ts';
import type { ServerContext } from '../server-context.ts';
import type { CheckoutRecord, DueAttempt, DueInvoice, DueCreate } from '../ports/checkout-store.ts';
import { errorFields } from '../ports/log.ts';
import { createConcurrencyLimit, createWorkerLoop } from './worker-loop.ts';
import { requestedFetchAt } from '../domain/fetch-decisions.ts';
import { unpaidAttempts, attemptOf } from '../domain/checkout-status.ts';
import { createFetchBatch } from './fetch-invoice-batch.ts';
import { claimCreate } from '../domain/create-decisions.ts';
import { updateCheckout } from '../commands/update-checkout.ts';
import { createLeaseMs, type CreateInvoiceCaller } from '../commands/call-service-and-save-invoice.ts';

/** The lease of a process on the invoices that it fetches. */
const fetchLeaseMs = 4500;
/** How many FetchInvoices may run at once. */
const maxFetches = 8;
/** The pause after a claim, so that webhooks that arrive together share one fetch. */
const minSleepMs = 100;
/** The longest pause between two rounds. It limits the delay of invoices that another process has expedited. */
const maxSleepMs = 1000;
/** A claim that takes longer than this, in milliseconds, shows that the database is busy. */
const quickClaimMs = 50;
/** For how long an invoice that is being fetched is tried to be claimed after its webhook, in milliseconds. */
const requestedForMs = 5000;
/** `isPolling` is false when no round was completed for this long. */
const maxSilenceMs = 10_000;

/** How many creates are repeated at once. */
const maxRepeats = 16;
/** The average delay of attempts for which there is no room. */
const overflowDelayMs = 2000;

/**
 * Fetches the invoices that are due, and repeats creates in doubt, including those of a process that died during the call.
 * @param onFetched - called with each checkout of which an invoice was fetched and recorded
 */
export function createStatusPoller(
  context: ServerContext,
  caller: CreateInvoiceCaller,
  onFetched: (checkoutId: string) => void,
) {
  const { store, service, clock, time, log, limits, random } = context;
  const fetchBatch = createFetchBatch(context, onFetched);
  /** The checkouts that a webhook or a check has made due, each with the time: they go before all others that are due. */
  const requested = new Map<string, number>();
  const fetchLimit = createConcurrencyLimit(maxFetches, () => pollLoop.wake());
  const repeatLimit = createConcurrencyLimit(maxRepeats);
  const fetchDue = (due: readonly DueInvoice[]): Promise<void> =>
    fetchBatch.run(due).catch((error: unknown) => log('error', 'status_poller_failed', errorFields(error)));

  /** Repeats the call of an attempt, unless another process holds the lease of the attempt. */
  const repeatCreate = async ({ checkoutId, externalId, claimedUntil }: DueCreate): Promise<void> => {
    try {
      const claimResult = await updateCheckout(context, checkoutId, (record) => {
        const claim = claimCreate(record, externalId, time.now(), time.leaseMs(createLeaseMs(context)));
        return { result: { ...claim, stored: attemptOf(record, externalId) }, record: claim?.record };
      });
      if (claimResult?.attempt !== undefined) await caller.call(checkoutId, claimResult.attempt);
      else if (claimResult?.stored?.state === 'creating' || claimResult?.stored?.state === 'in_doubt')
        await store.reschedule([
          { externalId, runAt: claimResult.stored.leaseUntil, answeredAt: null, checkedAt: null, claimedUntil },
        ]);
    } catch (error) {
      log('error', 'create_recovery_failed', { checkout: checkoutId, ...errorFields(error) });
    }
  };

  /** Repeats creates. Those for which there is no room are due again a little later. */
  const repeatCreates = async (due: readonly DueCreate[]): Promise<void> => {
    const freeCount = repeatLimit.freeCount();
    for (const attempt of due.slice(0, freeCount)) repeatLimit.run(repeatCreate(attempt));
    const runAt = Math.round(time.now() + overflowDelayMs * (0.5 + random.number()));
    await store.reschedule(
      due.slice(freeCount).map(({ externalId, claimedUntil }) => ({
        externalId,
        answeredAt: null,
        checkedAt: null,
        runAt,
        claimedUntil,
      })),
    );
  };

  const forgetOldRequests = (now: number): void => {
    for (const [id, at] of requested) if (at < now - requestedForMs) requested.delete(id);
  };

  const claim = async (now: number): Promise<readonly DueAttempt[]> => {
    const leaseUntil = now + time.leaseMs(fetchLeaseMs);
    forgetOldRequests(now);
    const ids = [...requested].flatMap(([id, at]) => (at <= now ? [id] : [])).slice(0, limits.batchSize);
    const due = ids.length === 0 ? [] : await store.claimDueAttempts(now, leaseUntil, limits.batchSize, ids);
    for (const { checkoutId } of due) requested.delete(checkoutId);
    return due.length > 0 ? due : store.claimDueAttempts(now, leaseUntil, limits.batchSize);
  };

  /**
   * Claims one batch of attempts, if some are due. Resolves with the pause before the next round, in milliseconds. While more
   * are due, the poller pauses only after a slow claim, for what it took beyond `quickClaimMs`, so that payers are served too.
   */
  const pollOnce = async (): Promise<number> => {
    if (fetchLimit.freeCount() === 0) return maxSleepMs; // the end of a fetch wakes the loop
    const pauseMs = Math.max(fetchBatch.pauseMs(), Math.min(service.waitMs?.('FetchInvoices') ?? 0, maxSleepMs));
    if (pauseMs > 0) return pauseMs;
    const nextRunAt = (await store.nextRunAt()) ?? Infinity;
    const now = time.now();
    const claimStartedAt = clock.now();
    if (nextRunAt > now) return Math.max(minSleepMs, Math.min(nextRunAt - now + timerEarlyMs, maxSleepMs));
    const due = await claim(now);
    const claimMs = clock.now() - claimStartedAt;
    const withInvoice = due.filter((attempt) => attempt.invoiceId !== null);
    const creates = due.filter((attempt) => attempt.invoiceId === null);
    if (withInvoice.length > 0) fetchLimit.run(fetchDue(withInvoice));
    if (creates.length > 0) await repeatCreates(creates);
    return due.length === limits.batchSize ? Math.min(Math.max(0, claimMs - quickClaimMs), maxSleepMs) : minSleepMs;
  };

  let lastRoundAt = -Infinity;
  const pollLoop = createWorkerLoop(context, 'status_poller', async () => {
    const pauseMs = await pollOnce();
    lastRoundAt = clock.now();
    return pauseMs;
  });

  return {
    start(): void {
      lastRoundAt = clock.now();
      // The lists of status words may have changed since an invoice with an unlisted word was given up.
      const { paid, failed, expired, pending } = context.statuses;
      const words = [...paid, ...failed, ...expired, ...pending].map((word) => word.trim().toLowerCase());
      store
        .expediteUnresolved(words, time.now())
        .catch((error: unknown) => log('warn', 'expedite_failed', errorFields(error)));
      pollLoop.start();
    },
    /** Whether the poller was started, or has completed a round, in the last ten seconds. */
    isPolling: (): boolean => clock.now() - lastRoundAt < maxSilenceMs,
    /** Makes the invoices of a checkout due, a second after their last fetch at the earliest, and polls, if one of `asked` is to be fetched. */
    async expediteNow(record: CheckoutRecord, asked = unpaidAttempts(record)): Promise<void> {
      const at = requestedFetchAt(asked, time.now());
      if (at !== undefined) {
        await store.expedite([record.id], at, undefined, true);
        forgetOldRequests(time.now()); // a process without workers claims nothing
        requested.set(record.id, at);
      }
      pollLoop.wake();
    },
    /** Ends polling. Resolves when the calls under way have ended. */
    async stop(): Promise<void> {
      await pollLoop.stop();
      await Promise.all([fetchLimit.idle(), repeatLimit.idle()]);
    },
  };
}

export type StatusPoller = ReturnType<typeof createStatusPoller>;
