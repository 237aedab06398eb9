import type { Clock } from '../base/clock.ts';
import { toError } from '../base/thrown-value.ts';
import { brokenRules, rulesBrokenBy } from './domain/checkout-record-rules.ts';
import {
  StoreUnavailableError,
  type CheckoutRecord,
  type CheckoutStore,
  type DueAttempt,
} from './ports/checkout-store.ts';
import type { Log } from './ports/log.ts';
import type { NewOutcome, OutcomeCounts } from './ports/outcome-outbox.ts';
import { decorate, type Instrumentation, type Metrics } from './telemetry/metrics.ts';

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
  const figures = createStoreFigures(store, metrics, time);
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

/** A change that breaks a rule of the record. It is not saved. */
export class RecordRuleError extends Error {
  override readonly name = 'RecordRuleError';
  readonly code = 'record_rule_broken';
  readonly path = 'store';
}

/** How many broken records are remembered, so that each version of a record is logged once however often it is read. */
const maxLogged = 1000;

/**
 * Checks each record that is loaded and each change before it is saved. A broken rule is an error in the log, which the metrics
 * count by its event. A change that breaks a rule is refused. A loaded record that breaks a rule is still served: the payer of
 * a damaged record has to see his payment and the shop has to hear of it. Only a new invoice is refused (`rulesBrokenBy`).
 */
function createRuleCheck(log: Log) {
  const logged = new Set<string>();
  const logRules = (at: 'load' | 'save', { id, version }: CheckoutRecord, rules: readonly string[]): void => {
    const key = `${at} ${id} ${version}`;
    if (rules.length === 0 || logged.has(key)) return;
    if (logged.size >= maxLogged) logged.clear();
    logged.add(key);
    log('error', 'record_rule_broken', { checkout: id, version, at, rule: rules.join('; ') });
  };
  return {
    checkLoaded(loaded: CheckoutRecord | undefined): CheckoutRecord | undefined {
      if (loaded !== undefined) logRules('load', loaded, brokenRules(loaded));
      return loaded;
    },
    /** @throws RecordRuleError */
    checkSave(record: CheckoutRecord, outcomes: readonly NewOutcome[], before: CheckoutRecord | undefined): void {
      const rules = before === undefined ? brokenRules(record) : rulesBrokenBy({ before, record, outcomes });
      logRules('save', record, rules);
      if (rules.length > 0) throw new RecordRuleError(rules.join('; '));
    },
  };
}

/** The interval at which a lasting outage is logged, in milliseconds. */
const repeatMs = 10_000;
/** An outage ends when calls have succeeded for this time, in milliseconds. */
const recoveryMs = 1000;
const unavailableErrorName = new StoreUnavailableError('').name;
/** Events that are logged during an outage too: the service has an invoice that is not in the store. */
const alwaysLoggedEvents: readonly string[] = ['create_not_recorded'];

interface Outage {
  readonly startedAt: number;
  loggedAt: number;
  /** The number of failed calls since the last log line. */
  failures: number;
  /** When calls began to succeed again; undefined while they fail. */
  recoveredAt: number | undefined;
}

/**
 * An outage of the database has a few log lines, and not one for each call: `database_unavailable` at its start and at most every
 * 10 s, and `database_available` at its end.
 */
function createOutageLog(log: Log, clock: Clock) {
  let outage: Outage | undefined;
  const noteFailure = (reason: string): void => {
    const now = clock.now();
    const isNew = outage === undefined;
    outage ??= { startedAt: now, loggedAt: now, failures: 0, recoveredAt: undefined };
    outage.failures += 1;
    outage.recoveredAt = undefined;
    if (!isNew && now - outage.loggedAt < repeatMs) return;
    log('error', 'database_unavailable', {
      reason,
      failures: outage.failures,
      duration_ms: Math.round(now - outage.startedAt),
    });
    outage.loggedAt = now;
    outage.failures = 0;
  };
  const noteSuccess = (): void => {
    if (outage === undefined) return;
    const now = clock.now();
    outage.recoveredAt ??= now;
    if (now - outage.recoveredAt < recoveryMs) return;
    log('warn', 'database_available', { duration_ms: Math.round(outage.recoveredAt - outage.startedAt) });
    outage = undefined;
  };
  const quietLog: Log = (level, event, fields) => {
    if (fields['error'] !== unavailableErrorName || alwaysLoggedEvents.includes(event)) log(level, event, fields);
  };
  return {
    log: quietLog,
    noteSuccess,
    noteError: (thrown: unknown): void => {
      const error = toError(thrown);
      if (error instanceof StoreUnavailableError) noteFailure(error.reason);
    },
  };
}

/** A commit that takes longer is slow, in milliseconds. */
const slowCommitMs = 500;
/** The interval at which slow commits are logged, in milliseconds. */
const slowRepeatMs = 60_000;
/** How long no further order is taken after a slow commit, in milliseconds. Then one shows whether commits are still slow. */
const slowPauseMs = 5000;

/**
 * While commits are slow, new orders are refused, so that those that were taken can be paid. Slow commits have a log line at most once a
 * minute. A commit that fails is a matter of the outage log.
 */
function createCommitWatch(log: Log, clock: Clock) {
  let loggedAt = -Infinity;
  let refusesUntil = -Infinity;
  return {
    /** @throws StoreUnavailableError `slow` */
    refuseWhileSlow(): void {
      const retryAfterMs = refusesUntil - clock.now();
      if (retryAfterMs > 0) throw new StoreUnavailableError('slow', { retryAfterMs });
    },
    note(call: string, ms: number): void {
      const now = clock.now();
      refusesUntil = ms > slowCommitMs ? now + slowPauseMs : -Infinity;
      if (ms <= slowCommitMs || now - loggedAt < slowRepeatMs) return;
      loggedAt = now;
      log('warn', 'database_slow', { call, duration_ms: Math.round(ms) });
    },
  };
}

/** The calls whose durations are recorded, with their labels, and whether they wait until a change is on the disk. */
const timedCalls = new Map<string | symbol, { readonly call: string; readonly isCommit: boolean }>([
  ['load', { call: 'load', isCommit: false }],
  ['insert', { call: 'insert', isCommit: true }],
  ['save', { call: 'save', isCommit: true }],
  ['claimDueAttempts', { call: 'claim', isCommit: false }],
]);

/** The upper bounds of histogram buckets, in seconds. */
const lagBounds = [0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 60];
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

function createStoreFigures(store: CheckoutStore, metrics: Metrics, time: Pick<Clock, 'now'>) {
  const secondsSince = (at: number | null | undefined): number =>
    at == null ? 0 : Math.max(0, time.now() - at) / 1000;
  let counting: Promise<OutcomeCounts> | undefined;
  /** The gauges of one scrape share one count. */
  const countOutcomes = (): Promise<OutcomeCounts> =>
    (counting ??= store.countOutcomes().finally(() => (counting = undefined)));
  const countDue = metrics.counter(
    'pay_invoice_invoices_due_total',
    'Due invoices and creates in doubt that were claimed.',
  );
  const recordLag = metrics.histogram(
    'pay_invoice_poll_lag_seconds',
    'How long after its due time an invoice was claimed by the status poller.',
    lagBounds,
  );
  const recordDuration = metrics.histogram(
    'pay_invoice_store_call_duration_seconds',
    'How long commits (insert and save), loads and claims of the store took, with their waits for others.',
    durationBounds,
  );
  metrics.gauge(
    'pay_invoice_poll_overdue_seconds',
    'For how long the earliest due invoice has been due; more than a few seconds: no process polls.',
    async () => secondsSince(await store.nextRunAt()),
  );
  metrics.gauge(
    'pay_invoice_outcome_oldest_undelivered_seconds',
    'Age of the oldest undelivered outcome; 0 when there is none.',
    async () => secondsSince((await countOutcomes()).oldestAt),
  );
  metrics.gauge(
    'pay_invoice_outcomes_abandoned',
    'Outcomes whose delivery was given up; they are kept.',
    async () => (await countOutcomes()).abandoned,
  );
  metrics.gauge(
    'pay_invoice_outcomes_undelivered',
    'Outcomes that are not delivered yet.',
    async () => (await countOutcomes()).undelivered,
  );
  return {
    recordCall: (call: string, ms: number): void => recordDuration(ms / 1000, { call }),
    countConflict: metrics.counter(
      'pay_invoice_store_conflicts_total',
      'Saves rejected because the checkout had been saved since it was loaded; they are repeated.',
    ),
    countClaim(claimed: readonly DueAttempt[], now: number): void {
      if (claimed.length > 0) countDue({}, claimed.length);
      for (const { runAt } of claimed) recordLag(Math.max(0, now - runAt) / 1000);
    },
  };
}
