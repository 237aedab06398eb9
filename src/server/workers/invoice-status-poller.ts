import { timerEarlyMs } from '../../base/clock.ts';
import type { CreateRecovery } from './create-recovery.ts';
import type { FetchRateLimit } from './adaptive-fetch-rate.ts';
import type { ServerContext } from '../server-context.ts';
import { createWebhookExpediter } from './expedite-for-webhook.ts';
import { expediteBatches, type FetchScheduler } from './viewers-and-webhook-hints.ts';
import type { CheckoutRecord, DueAttempt } from '../ports/checkout-store.ts';
import { errorFields } from '../ports/log.ts';
import { createConcurrencyLimit, createWorkerLoop } from './worker-loop.ts';
import { alignToTick } from '../domain/next-fetch-time.ts';
import type { SaveViewers } from './expedite-viewed-checkouts.ts';
import type { FetchBatch } from './fetch-invoice-batch.ts';

/** Fetches the invoices that are due, and passes creates in doubt to create recovery. */
export interface StatusPoller {
  start(): void;
  /** Whether the poller was started, or has completed a round, in the last ten seconds. */
  isPolling(): boolean;
  /** Makes the unpaid invoices of a checkout due, a second after their last fetch at the earliest, and polls. */
  expediteForWebhook(record: CheckoutRecord): Promise<void>;
  /** Ends polling. Resolves when the calls under way have ended. */
  stop(): Promise<void>;
}

/** The shortest pause between two claims, so that webhooks that arrive together share one fetch. */
const minSleepMs = 100;
/** The longest pause between two claims. It limits the delay of invoices that another process has expedited. */
const maxSleepMs = 1000;
/** `isPolling` is false when no round was completed for this long. */
const maxSilenceMs = 10_000;

export function createStatusPoller(
  context: ServerContext,
  rateLimit: FetchRateLimit,
  scheduler: FetchScheduler,
  fetchBatch: FetchBatch,
  recovery: CreateRecovery,
  saveViewers: SaveViewers,
): StatusPoller {
  const { store, clock, time, log, timing, limits } = context;
  const fetchLimit = createConcurrencyLimit(
    limits.fetchesAtOnce,
    (error) => log('error', 'status_poller_failed', errorFields(error)),
    () => pollLoop.wake(),
  );

  /** Claims the attempts for which webhooks have arrived, even if others have been due for longer, and then the longest due. */
  const claimBatch = async (): Promise<readonly DueAttempt[]> => {
    const now = time.now();
    const leaseUntil = now + time.leaseMs(timing.fetchLeaseMs);
    const hintedIds = scheduler.hintedCheckouts().slice(0, limits.batchSize);
    const hinted =
      hintedIds.length === 0 ? [] : await store.claimDueAttempts(now, leaseUntil, limits.batchSize, hintedIds);
    const room = limits.batchSize - hinted.length;
    return room === 0 ? hinted : [...hinted, ...(await store.claimDueAttempts(now, leaseUntil, room))];
  };

  /** Claims one batch of due attempts. Resolves with the pause before the next claim, in milliseconds. */
  const pollOnce = async (): Promise<number> => {
    if (fetchLimit.isFull()) return maxSleepMs; // the end of a fetch wakes the loop
    const waitMs = rateLimit.waitMs();
    if (waitMs > 0) return waitMs;
    const due = await claimBatch();
    const withInvoice = due.filter((attempt) => attempt.invoiceId !== null);
    const creates = due.filter((attempt) => attempt.invoiceId === null);
    if (withInvoice.length > 0) {
      rateLimit.noteStart();
      fetchLimit.run(fetchBatch(withInvoice));
    }
    if (creates.length > 0) await recovery.recover(creates);
    if (due.length === limits.batchSize) return 0;
    const nextRunAt = (await store.nextRunAt()) ?? Infinity;
    // A claim before `nextRunAt` would find nothing, and the next one would follow only after `minSleepMs`.
    return Math.max(minSleepMs, Math.min(nextRunAt - time.now() + timerEarlyMs, maxSleepMs));
  };

  const expediteOverdue = async (): Promise<number> => {
    const checkoutIds = scheduler.overdueCheckouts();
    const at = alignToTick(time.now(), timing.fastMs, context.phase);
    for (const batch of expediteBatches(checkoutIds)) await store.expedite(batch, at);
    await saveViewers();
    return timing.fastMs;
  };

  let lastRoundAt = -Infinity;
  const pollLoop = createWorkerLoop(context, 'status_poller', async () => {
    const pauseMs = await pollOnce();
    lastRoundAt = clock.now();
    return pauseMs;
  });
  const expediteLoop = createWorkerLoop(context, 'status_poller', expediteOverdue);
  const webhookExpediter = createWebhookExpediter(context, scheduler, () => pollLoop.wake());

  return {
    start() {
      lastRoundAt = clock.now();
      // The lists of status words may have changed since an invoice with an unlisted word was given up.
      const { paid, failed, expired, pending } = context.statuses;
      const words = [...paid, ...failed, ...expired, ...pending].map((word) => word.trim().toLowerCase());
      store
        .expediteUnresolved(words, time.now())
        .catch((error: unknown) => log('warn', 'expedite_failed', errorFields(error)));
      pollLoop.start();
      expediteLoop.start();
    },
    isPolling: () => clock.now() - lastRoundAt < maxSilenceMs,
    expediteForWebhook: (record) => webhookExpediter.expedite(record),
    async stop() {
      await Promise.all([webhookExpediter.stop(), pollLoop.stop(), expediteLoop.stop()]);
      await Promise.all([fetchLimit.idle(), recovery.stop()]);
    },
  };
}
