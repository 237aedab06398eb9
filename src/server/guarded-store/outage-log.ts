import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/thrown-value.ts';
import { StoreUnavailableError } from '../ports/checkout-store.ts';
import type { Log } from '../ports/log.ts';

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
export function createOutageLog(log: Log, clock: Clock) {
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
