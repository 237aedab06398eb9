import type { CreateRecovery } from './create-recovery.ts';
import type { FetchRateLimit } from './adaptive-fetch-rate.ts';
import type { ServerContext } from '../server-context.ts';
import { createWebhookExpediter } from './expedite-for-webhook.ts';
import { expediteInBatches, type FetchScheduler } from './invoice-fetch-scheduler.ts';
import type { CheckoutRecord, DueAttempt } from '../ports/checkout-store.ts';
import { errorFields } from '../ports/log.ts';
import { createConcurrencyLimit, createWorkerLoop } from './worker-loop.ts';
import { alignToTick } from '../domain/next-fetch-time.ts';
import type { SaveViewers } from './expedite-viewed-checkouts.ts';
import type { FetchBatch } from './fetch-invoice-batch.ts';

/** Fetches the invoices that are due, and passes creates in doubt to create recovery. */
export interface StatusPoller {
  start(): void;
  /** Whether it was started, or has completed a round, in the last ten seconds. */
  isPolling(): boolean;
  /** Makes the unpaid invoices of a checkout due at `at`, at most once a second for each checkout, and then polls. */
  expediteForWebhook(record: CheckoutRecord, at: number): Promise<void>;
  /** Resolves when the calls under way are over. */
  stop(): Promise<void>;
}

/** The shortest pause between two claims, so that webhooks that arrive together share one fetch. */
const minSleepMs = 100;
/** The longest pause: what another process has expedited is found after it. */
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
  const fetching = createConcurrencyLimit(
    limits.fetchesAtOnce,
    (error) => log('error', 'status_poller_failed', errorFields(error)),
    () => pollLoop.wake(),
  );

  /** Claims what webhooks have named, however long the queue is, and fills the batch with what has been due for longest. */
  const claimBatch = async (): Promise<readonly DueAttempt[]> => {
    const now = time.now();
    const leaseUntil = now + time.leaseMs(timing.fetchLeaseMs);
    const hinted = scheduler.hintedCheckouts().slice(0, limits.batchSize);
    const first = hinted.length === 0 ? [] : await store.claimDueAttempts(now, leaseUntil, limits.batchSize, hinted);
    const room = limits.batchSize - first.length;
    return room === 0 ? first : [...first, ...(await store.claimDueAttempts(now, leaseUntil, room))];
  };

  /** Claims one batch of what is due. Resolves with the pause before the next. */
  const pollOnce = async (): Promise<number> => {
    if (fetching.isFull()) return maxSleepMs; // the end of a fetch wakes the loop
    const waitMs = rateLimit.waitMs();
    if (waitMs > 0) return waitMs;
    const due = await claimBatch();
    const created = due.filter(({ invoiceId }) => invoiceId !== null);
    if (created.length > 0) {
      rateLimit.callStarted();
      fetching.run(fetchBatch(created));
    }
    if (created.length < due.length) await recovery.recover(due.filter(({ invoiceId }) => invoiceId === null));
    if (due.length === limits.batchSize) return 0;
    const next = (await store.nextRunAt()) ?? Infinity;
    return Math.max(minSleepMs, Math.min(next - time.now(), maxSleepMs));
  };

  const expediteOverdue = async (): Promise<number> => {
    const ids = scheduler.overdueCheckouts();
    const at = alignToTick(time.now(), timing.fastMs, context.phase);
    await expediteInBatches(store, ids, at);
    await saveViewers();
    return timing.fastMs;
  };

  let polledAt = -Infinity;
  const pollLoop = createWorkerLoop(clock, log, 'status_poller', async () => {
    const pauseMs = await pollOnce();
    polledAt = clock.now();
    return pauseMs;
  });
  const expediteLoop = createWorkerLoop(clock, log, 'status_poller', expediteOverdue);
  const webhooks = createWebhookExpediter(context, () => pollLoop.wake());

  return {
    start() {
      polledAt = clock.now();
      pollLoop.start();
      expediteLoop.start();
    },
    isPolling: () => clock.now() - polledAt < maxSilenceMs,
    async expediteForWebhook(record, at) {
      if (scheduler.noteWebhook(record.id, at)) await webhooks.expedite(record, at);
    },
    async stop() {
      webhooks.stop();
      await Promise.all([pollLoop.stop(), expediteLoop.stop()]);
      await Promise.all([fetching.idle(), recovery.stop()]);
    },
  };
}
