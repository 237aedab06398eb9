import type { Completer } from './create-recovery.ts';
import { createCrew } from './concurrency-limit.ts';
import type { FetchPace } from './adaptive-rate-limit.ts';
import type { Kit } from '../context.ts';
import type { Lanes } from './poll-scheduler.ts';
import { factsOf } from '../ports/log.ts';
import type { LookAt } from './fetch-batch.ts';
import { createLoop } from './worker-loop.ts';
import { onGrid } from '../domain/poll-schedule.ts';

/** Looks after all attempts: has the invoices that are due fetched, and creates that are in doubt driven on. */
export interface Watcher {
  start(): void;
  /** Hastens the invoices of a checkout by what `hasten` does in the store; a burst of calls hastens once. */
  poke(checkoutId: string, at: number, hasten: () => Promise<void>): Promise<void>;
  /** Ends after the calls that are under way. */
  stop(): Promise<void>;
}

/** Between two looks into the store, so that pokes that come together are fetched together. */
const leastSleepMs = 100;
/** What another process has hastened is noticed after this long. */
const longestSleepMs = 1000;
/** So many checkouts are hastened by one statement. */
const hastenAtOnce = 500;

export function createWatcher(kit: Kit, pace: FetchPace, lanes: Lanes, lookAt: LookAt, completer: Completer): Watcher {
  const { store, clock, log, timing, limits } = kit;
  const fetching = createCrew(
    limits.fetchesAtOnce,
    (error) => log('error', 'watcher_failed', factsOf(error)),
    () => loop.wake(),
  );

  /** Takes one batch of what is due; tells how long to sleep. */
  const round = async (): Promise<number> => {
    if (fetching.isFull()) return longestSleepMs; // the end of one wakes the loop
    const pause = pace.pause();
    if (pause > 0) return pause;
    const now = clock.now();
    const due = await store.takeDue(now, now + timing.fetchLeaseMs, limits.batchSize);
    const made = due.filter(({ invoice_id }) => invoice_id !== null);
    if (made.length > 0) {
      pace.began();
      fetching.begin(lookAt(made));
    }
    if (made.length < due.length) await completer.take(due.filter(({ invoice_id }) => invoice_id === null));
    if (due.length === limits.batchSize) return 0;
    const next = (await store.nextDueAt()) ?? Infinity;
    return Math.max(leastSleepMs, Math.min(next - clock.now(), longestSleepMs));
  };

  const hastenOverlooked = async (): Promise<number> => {
    const ids = lanes.overlooked();
    const at = onGrid(clock.now(), timing.fastMs, kit.phase);
    for (let from = 0; from < ids.length; from += hastenAtOnce)
      await store.hasten(ids.slice(from, from + hastenAtOnce), at);
    return timing.fastMs;
  };

  const loop = createLoop(clock, log, 'watcher', round);
  const rescue = createLoop(clock, log, 'watcher', hastenOverlooked);

  return {
    start() {
      loop.start();
      rescue.start();
    },
    async poke(checkoutId, at, hasten) {
      if (!lanes.poked(checkoutId, at)) return;
      await hasten();
      loop.wake();
    },
    async stop() {
      await Promise.all([loop.stop(), rescue.stop()]);
      await Promise.all([fetching.ended(), completer.stop()]);
    },
  };
}
