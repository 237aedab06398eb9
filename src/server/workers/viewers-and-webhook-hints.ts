import type { ServerContext } from '../server-context.ts';
import { isPaidOutcome } from '../domain/select-invoice-attempt.ts';
import { alignToTick, nextFetchAt, type FetchedAttempt } from '../domain/next-fetch-time.ts';
import { timerEarlyMs, type Clock } from '../../base/clock.ts';
import type { ServerTime } from '../in-memory/server-time.ts';

/** Computes when each invoice is fetched next: sooner while a payer views it, and after a webhook. */
export interface FetchScheduler {
  /**
   * When an invoice that was fetched at `requestedAt` is due again; null: only a webhook makes it due. `viewedUntil`: the time
   * until which payers are known to view it through other processes (may be past); null: none is known.
   */
  runAt(checkoutId: string, attempt: FetchedAttempt, requestedAt: number, viewedUntil: number | null): number | null;
  /** Call it when a fetch of these checkouts' invoices starts. */
  noteFetch(checkoutIds: readonly string[]): void;
  /** Makes a checkout due at `at`. Returns false, and does nothing, within a second after the last webhook of the checkout. */
  noteWebhook(checkoutId: string, at: number): boolean;
  /** Checkouts that are due because of a webhook, and that this process has not fetched since the webhook. */
  hintedCheckouts(): readonly string[];
  /** Removes and returns the checkouts that became due by a webhook a second ago and were not fetched by this process. */
  overdueCheckouts(): readonly string[];
  /** How many webhooks are stored. */
  readonly hintCount: number;
}

export function createFetchScheduler(
  { clock, time, timing, phase }: Pick<ServerContext, 'clock' | 'time' | 'timing' | 'phase'>,
  viewers: ActiveViewers,
): FetchScheduler {
  const hints = createWebhookHints(clock, time);
  const { fastMs } = timing;

  const nextFetchTick = (attempt: FetchedAttempt, requestedAt: number, isViewed: boolean): number | null => {
    const now = time.now();
    const fetchedAt = Math.max(requestedAt, now - fastMs / 2);
    const skewMs = time.deadlineNow() - now;
    const expiresAt = attempt.expiresAt === null ? null : attempt.expiresAt - skewMs;
    const createdAt = now - time.elapsedMs(attempt.createdAt);
    const fetchAt = nextFetchAt({ ...attempt, createdAt, expiresAt }, fetchedAt, isViewed, timing);
    if (fetchAt === null) return null;
    // Rounds to the next tick, unless the invoice was fetched less than an eighth of a tick ago.
    const isAtNextTick = fetchAt <= fetchedAt + fastMs;
    return alignToTick(isAtNextTick ? Math.max(requestedAt + fastMs / 8, now) : fetchAt - fastMs / 2, fastMs, phase);
  };

  return {
    runAt(checkoutId, attempt, requestedAt, viewedUntil) {
      const isViewed = viewers.has(checkoutId) || (viewedUntil ?? 0) > time.now();
      const hintedAt = isPaidOutcome(attempt.outcome) ? undefined : hints.runAt(checkoutId, requestedAt);
      return hintedAt ?? nextFetchTick(attempt, requestedAt, isViewed);
    },
    noteFetch: (checkoutIds) => hints.noteFetch(checkoutIds),
    noteWebhook: (checkoutId, at) => hints.note(checkoutId, at),
    get hintCount() {
      return hints.size;
    },
    hintedCheckouts: () => hints.due(),
    overdueCheckouts: () => hints.overdue(),
  };
}

/** The webhooks after which no fetch has started, by checkout. */
interface WebhookHints {
  /** Makes a checkout due at `at`. Returns false, and does nothing, within a second after the last webhook of the checkout. */
  note(checkoutId: string, at: number): boolean;
  /** Call it when a fetch of these checkouts' invoices starts. */
  noteFetch(checkoutIds: readonly string[]): void;
  /** When a checkout is due by a webhook after the fetch at `requestedAt`; undefined without such a webhook. */
  runAt(checkoutId: string, requestedAt: number): number | undefined;
  /** The checkouts that are due and have not been fetched. */
  due(): readonly string[];
  /**
   * Removes and returns the checkouts that this process did not fetch when they were due. Another process may have claimed
   * them.
   */
  overdue(): readonly string[];
  readonly size: number;
}

/** Webhooks cause at most one fetch of an invoice in this time. */
export const hintIntervalMs = 1000;
/** Older webhooks are removed: workers have fetched the invoice by then, or have expedited it again. */
const maxHintAgeMs = 10_000;

function createWebhookHints(clock: Clock, time: Pick<ServerTime, 'now'>): WebhookHints {
  /** When each checkout is due, by `clock`, which does not step. */
  const dueAt = new Map<string, number>();
  return {
    note(checkoutId, at) {
      if ((dueAt.get(checkoutId) ?? 0) > clock.now() - hintIntervalMs) return false;
      dueAt.delete(checkoutId); // so that `set` adds it at the end: the first entry is the oldest
      dueAt.set(checkoutId, at - time.now() + clock.now());
      // In a process without workers, entries are removed only here.
      for (const [oldest, oldestAt] of dueAt) {
        if (oldestAt > clock.now() - maxHintAgeMs) break;
        dueAt.delete(oldest);
      }
      return true;
    },
    noteFetch(checkoutIds) {
      const dueBefore = clock.now() + timerEarlyMs; // a fetch that was due at `at` may start earlier by it
      for (const id of checkoutIds) if ((dueAt.get(id) ?? Infinity) <= dueBefore) dueAt.delete(id);
    },
    runAt(checkoutId, requestedAt) {
      const at = (dueAt.get(checkoutId) ?? -Infinity) - clock.now() + time.now();
      return at > requestedAt ? Math.round(Math.max(at, requestedAt + hintIntervalMs)) : undefined;
    },
    due() {
      const dueBefore = clock.now() + timerEarlyMs;
      return [...dueAt].filter(([, at]) => at <= dueBefore).map(([id]) => id);
    },
    overdue() {
      const overdueBefore = clock.now() - hintIntervalMs;
      const ids = [...dueAt].filter(([, at]) => at <= overdueBefore).map(([id]) => id);
      for (const id of ids) dueAt.delete(id);
      return ids;
    },
    get size() {
      return dueAt.size;
    },
  };
}

/** Checkouts that payers are viewing through this process. */
export interface ActiveViewers {
  /** Call it when a payer views the checkout, for at least `ms` milliseconds from now. */
  add(checkoutId: string, ms: number): void;
  has(checkoutId: string): boolean;
  /**
   * Removes the checkouts that are no longer viewed. Returns the others, each with the time until which it is viewed, in the
   * order of their payers' last requests.
   */
  all(): IterableIterator<readonly [checkoutId: string, viewEnd: number]>;
  /** The number of stored checkouts, including those that are no longer viewed. */
  readonly size: number;
}

export function createActiveViewers(clock: Clock, watchedMs: number, onAdd = (): void => undefined): ActiveViewers {
  const viewedUntil = new Map<string, number>();
  return {
    add(checkoutId, ms) {
      const now = clock.now();
      const viewEnd = Math.max(viewedUntil.get(checkoutId) ?? 0, now + ms + watchedMs);
      viewedUntil.delete(checkoutId); // so that `set` adds it at the end: the first entry is the oldest
      viewedUntil.set(checkoutId, viewEnd);
      // In a process without workers, entries are removed only here.
      for (const [oldest, oldestEnd] of viewedUntil) {
        if (oldestEnd > now) break;
        viewedUntil.delete(oldest);
      }
      onAdd();
    },
    has: (checkoutId) => (viewedUntil.get(checkoutId) ?? 0) > clock.now(),
    all() {
      const now = clock.now();
      for (const [checkoutId, viewEnd] of viewedUntil) if (viewEnd <= now) viewedUntil.delete(checkoutId);
      return viewedUntil.entries();
    },
    get size() {
      return viewedUntil.size;
    },
  };
}

/** Maximum checkouts in one `expedite`. A larger batch would make payers' requests wait too long for the database. */
const expediteBatchSize = 100;

/** Splits a list into batches for `expedite`. */
export function* expediteBatches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += expediteBatchSize) yield items.slice(from, from + expediteBatchSize);
}
