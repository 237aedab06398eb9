import type { CreateRecovery } from './create-recovery.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import type { AdaptiveRateLimit } from './adaptive-rate-limit.ts';
import type { ServerContext } from '../context.ts';
import type { PollScheduler } from './poll-scheduler.ts';
import { errorFields } from '../ports/log.ts';
import type { FetchBatch } from './fetch-batch.ts';
import { createWorkerLoop } from './worker-loop.ts';
import { alignToTick } from '../domain/poll-schedule.ts';

/** Looks after all attempts: has the invoices that are due fetched, and creates that are in doubt driven on. */
export interface StatusPoller {
  start(): void;
  /** Hastens the invoices of a checkout by what `hasten` does in the store; a burst of calls hastens once. */
  expediteForWebhook(checkoutId: string, at: number, hasten: () => Promise<void>): Promise<void>;
  /** Ends after the calls that are under way. */
  stop(): Promise<void>;
}

/** Between two looks into the store, so that pokes that come together are fetched together. */
const leastSleepMs = 100;
/** What another process has hastened is noticed after this long. */
const longestSleepMs = 1000;
/** So many checkouts are hastened by one statement. */
const hastenAtOnce = 500;

export function createStatusPoller(
  context: ServerContext,
  pace: AdaptiveRateLimit,
  lanes: PollScheduler,
  lookAt: FetchBatch,
  completer: CreateRecovery,
): StatusPoller {
  const { store, clock, log, timing, limits } = context;
  const fetching = createConcurrencyLimit(
    limits.fetchesAtOnce,
    (error) => log('error', 'status_poller_failed', errorFields(error)),
    () => loop.wake(),
  );

  /** Takes one batch of what is due; tells how long to sleep. */
  const round = async (): Promise<number> => {
    if (fetching.isFull()) return longestSleepMs; // the end of one wakes the loop
    const pause = pace.waitMs();
    if (pause > 0) return pause;
    const now = clock.now();
    const due = await store.claimDueAttempts(now, now + timing.fetchLeaseMs, limits.batchSize);
    const made = due.filter(({ invoice_id }) => invoice_id !== null);
    if (made.length > 0) {
      pace.callStarted();
      fetching.run(lookAt(made));
    }
    if (made.length < due.length) await completer.recover(due.filter(({ invoice_id }) => invoice_id === null));
    if (due.length === limits.batchSize) return 0;
    const next = (await store.nextRunAt()) ?? Infinity;
    return Math.max(leastSleepMs, Math.min(next - clock.now(), longestSleepMs));
  };

  const hastenOverlooked = async (): Promise<number> => {
    const ids = lanes.overdueCheckouts();
    const at = alignToTick(clock.now(), timing.fastMs, context.phase);
    for (let from = 0; from < ids.length; from += hastenAtOnce)
      await store.expedite(ids.slice(from, from + hastenAtOnce), at);
    return timing.fastMs;
  };

  const loop = createWorkerLoop(clock, log, 'status_poller', round);
  const rescue = createWorkerLoop(clock, log, 'status_poller', hastenOverlooked);

  return {
    start() {
      loop.start();
      rescue.start();
    },
    async expediteForWebhook(checkoutId, at, hasten) {
      if (!lanes.noteWebhook(checkoutId, at)) return;
      await hasten();
      loop.wake();
    },
    async stop() {
      await Promise.all([loop.stop(), rescue.stop()]);
      await Promise.all([fetching.idle(), completer.stop()]);
    },
  };
}
