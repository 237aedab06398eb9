import type { Clock } from '../../base/clock.ts';
import { StoreUnavailableError, type CheckoutStore } from '../ports/checkout-store.ts';
import type { Log } from '../ports/log.ts';

/** How often an outage that lasts is logged. */
const repeatMs = 10_000;
/** An outage is over when calls have succeeded for this long. */
const settledMs = 1000;
const unavailable = new StoreUnavailableError('').name;
/** Events that are logged during an outage too: the service has an invoice that is not in the store. */
const alwaysLoggedEvents: readonly string[] = ['create_not_recorded'];

/** The log and the store of one server, so that an outage of the database is a few lines and not one for each call. */
export interface OutageLog {
  /** Leaves out the lines about calls that failed because the database is not available. */
  readonly log: Log;
  /** Logs `database_unavailable` at the start of an outage and at most every 10 s, and `database_available` at its end. */
  readonly store: CheckoutStore;
}

interface Outage {
  readonly startedAt: number;
  loggedAt: number;
  /** Failed calls that have not been logged. */
  failures: number;
  /** When the calls began to succeed again. */
  recoveredAt: number | undefined;
}

export function createOutageLog(log: Log, store: CheckoutStore, clock: Clock): OutageLog {
  let outage: Outage | undefined;
  const failed = (reason: string): void => {
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
  const succeeded = (): void => {
    if (outage === undefined) return;
    const now = clock.now();
    outage.recoveredAt ??= now;
    if (now - outage.recoveredAt < settledMs) return;
    log('warn', 'database_available', { duration_ms: Math.round(outage.recoveredAt - outage.startedAt) });
    outage = undefined;
  };
  const settled = (error: unknown): void => {
    if (error instanceof StoreUnavailableError) failed(error.reason);
  };
  return {
    log(level, event, fields) {
      if (fields['error'] !== unavailable || alwaysLoggedEvents.includes(event)) log(level, event, fields);
    },
    store: new Proxy(store, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: readonly unknown[]): unknown => {
          const result: unknown = Reflect.apply(method, target, args);
          if (result instanceof Promise) void result.then(succeeded, settled);
          return result;
        };
      },
    }),
  };
}
