import type { Clock } from '../../base/clock.ts';
import type { CheckoutStore } from '../ports/checkout-store.ts';
import type { Log } from '../ports/log.ts';
import { decorate, type Instrumentation, type Metrics } from '../telemetry/metrics.ts';
import { createOutageLog } from './outage-log.ts';
import { createRuleCheck } from './record-rule-check.ts';
import { createCommitWatch } from './slow-commits.ts';
import { createStoreMetrics } from './store-metrics.ts';

// What the server puts around the store that it was given: the rules of a record, the log of an outage and of slow commits, and
// the figures.

interface Parts {
  readonly log: Log;
  readonly clock: Clock;
  /** The time that stored times are compared with. */
  readonly time: Pick<Clock, 'now'>;
  readonly metrics: Metrics;
  readonly countPaid: Instrumentation['countPaid'];
}

/**
 * Returns the store, whose records are checked by the rules of a record, and a log without the lines about calls that failed because the
 * database is not available. `save` rejects with `RecordRuleError`, and saves nothing, when the change breaks a rule.
 */
export function createGuardedStore(
  store: CheckoutStore,
  { log, clock, time, metrics, countPaid }: Parts,
): { readonly store: CheckoutStore; readonly log: Log } {
  const outage = createOutageLog(log, clock);
  const rules = createRuleCheck(outage.log);
  const commits = createCommitWatch(log, clock);
  const figures = createStoreMetrics(store, metrics, time);
  const watch = (name: string | symbol): ((result: Promise<unknown>) => void) => {
    const startedAt = clock.now();
    return (result) => {
      void result.then(outage.noteSuccess, outage.noteError);
      const timed = timedCalls.get(name);
      if (timed === undefined) return;
      const endCall = (isDone: boolean): void => {
        const ms = clock.now() - startedAt;
        figures.recordCall(timed.call, ms);
        if (isDone && timed.isCommit) commits.note(timed.call, ms);
      };
      void result.then(
        () => endCall(true),
        () => endCall(false),
      );
    };
  };

  const guarded = decorate(
    store,
    {
      async insert(call) {
        commits.refuseWhileSlow();
        return call();
      },
      load: async (call) => rules.checkLoaded(await call()),
      loadByOrder: async (call) => rules.checkLoaded(await call()),
      async save(call, record, outcomes, { loaded } = {}) {
        rules.checkSave(record, outcomes, loaded);
        const isSaved = await call();
        if (!isSaved) figures.countConflict();
        for (const { kind, externalId } of isSaved ? outcomes : []) {
          const attempt = record.attempts.find((one) => one.externalId === externalId);
          if (kind === 'paid' && attempt !== undefined)
            countPaid(attempt.method?.type, Math.max(0, time.now() - attempt.createdAt) / 1000);
        }
        return isSaved;
      },
      async claimDueAttempts(call, now) {
        const claimed = await call();
        figures.countClaim(claimed, now);
        return claimed;
      },
    },
    watch,
  );
  return { store: guarded, log: outage.log };
}

/** The calls whose durations are recorded, with their labels, and whether they wait until a change is on the disk. */
const timedCalls = new Map<string | symbol, { readonly call: string; readonly isCommit: boolean }>([
  ['load', { call: 'load', isCommit: false }],
  ['insert', { call: 'insert', isCommit: true }],
  ['save', { call: 'save', isCommit: true }],
  ['claimDueAttempts', { call: 'claim', isCommit: false }],
]);
