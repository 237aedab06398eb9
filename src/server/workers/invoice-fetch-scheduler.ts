import type { ServerContext } from '../server-context.ts';
import { isPaidOutcome } from '../domain/apply-fetched-status.ts';
import { alignToTick, nextFetchAt, type FetchedAttempt } from '../domain/next-fetch-time.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServerTime } from '../in-memory/server-time.ts';
import type { CheckoutStore } from '../ports/checkout-store.ts';

/** When each invoice is polled next: sooner while a payer views it, or after a webhook. */
export interface FetchScheduler {
  /**
   * When an invoice that was fetched at `requestedAt` is due again; null: only a webhook makes it due. Payers view it through
   * other processes until `viewedUntil`, which may be past.
   */
  runAt(checkoutId: string, attempt: FetchedAttempt, requestedAt: number, viewedUntil: number | null): number | null;
  /** Call it when a fetch of these checkouts' invoices starts. */
  fetchStarted(checkoutIds: readonly string[]): void;
  /** Makes a checkout due at `at`. Returns false, and does nothing, within a second of the last webhook. */
  noteWebhook(checkoutId: string, at: number): boolean;
  /** Checkouts that are due because of a webhook, and that this process has not fetched since. */
  hintedCheckouts(): readonly string[];
  /** Removes and returns the checkouts that have been due for a second because of a webhook, without a fetch by this process. */
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

  const nextTick = (attempt: FetchedAttempt, requestedAt: number, isViewed: boolean): number | null => {
    const now = time.now();
    const base = Math.max(requestedAt, now - fastMs / 2);
    const skewMs = time.deadlineNow() - now;
    const expiresAt = attempt.expiresAt === null ? null : attempt.expiresAt - skewMs;
    const createdAt = now - time.elapsedMs(attempt.createdAt);
    const next = nextFetchAt({ ...attempt, createdAt, expiresAt }, base, isViewed, timing);
    if (next === null) return null;
    // Rounds to the next tick, unless the invoice was fetched less than an eighth of a tick ago.
    const isFast = next <= base + fastMs;
    return alignToTick(isFast ? Math.max(requestedAt + fastMs / 8, now) : next - fastMs / 2, fastMs, phase);
  };

  return {
    runAt(checkoutId, attempt, requestedAt, viewedUntil) {
      const isViewed = viewers.has(checkoutId) || (viewedUntil ?? 0) > time.now();
      const hinted = isPaidOutcome(attempt.outcome) ? undefined : hints.runAt(checkoutId, requestedAt);
      return hinted ?? nextTick(attempt, requestedAt, isViewed);
    },
    fetchStarted: (checkoutIds) => hints.fetchStarted(checkoutIds),
    noteWebhook: (checkoutId, at) => hints.note(checkoutId, at),
    get hintCount() {
      return hints.size;
    },
    hintedCheckouts: () => hints.due(),
    overdueCheckouts: () => hints.overdue(),
  };
}

/** Webhooks that have not been followed by a fetch, by checkout. */
interface WebhookHints {
  /** Makes a checkout due at `at`. Returns false, and does nothing, within a second of the last webhook. */
  note(checkoutId: string, at: number): boolean;
  /** Call it when a fetch of these checkouts' invoices starts. */
  fetchStarted(checkoutIds: readonly string[]): void;
  /** When a checkout with a webhook later than its fetch at `requestedAt` is due; undefined: it has none. */
  runAt(checkoutId: string, requestedAt: number): number | undefined;
  /** The checkouts that are due and have not been fetched. */
  due(): readonly string[];
  /** Removes and returns the checkouts that nobody fetched when due: another process may have been fetching them. */
  overdue(): readonly string[];
  readonly size: number;
}

/** Webhooks cause at most one fetch of an invoice in this time. */
export const hintIntervalMs = 1000;
/** Older webhooks are removed: by then, workers have fetched the invoice or expedited it again. */
const maxHintAgeMs = 10_000;

function createWebhookHints(clock: Clock, time: Pick<ServerTime, 'now'>): WebhookHints {
  /** Times of `clock`, which does not step. */
  const dueAt = new Map<string, number>();
  return {
    note(checkoutId, at) {
      if ((dueAt.get(checkoutId) ?? 0) > clock.now() - hintIntervalMs) return false;
      dueAt.delete(checkoutId); // moves it to the end: the first entry is the oldest
      dueAt.set(checkoutId, at - time.now() + clock.now());
      // In a process without workers, entries are removed only here.
      for (const [oldest, oldestAt] of dueAt) {
        if (oldestAt > clock.now() - maxHintAgeMs) break;
        dueAt.delete(oldest);
      }
      return true;
    },
    fetchStarted(checkoutIds) {
      const now = clock.now();
      for (const id of checkoutIds) if ((dueAt.get(id) ?? Infinity) <= now) dueAt.delete(id);
    },
    runAt(checkoutId, requestedAt) {
      const at = (dueAt.get(checkoutId) ?? -Infinity) - clock.now() + time.now();
      return at > requestedAt ? Math.round(Math.max(at, requestedAt + hintIntervalMs)) : undefined;
    },
    due() {
      const now = clock.now();
      return [...dueAt].filter(([, at]) => at <= now).map(([id]) => id);
    },
    overdue() {
      const end = clock.now() - hintIntervalMs;
      const ids = [...dueAt].filter(([, at]) => at <= end).map(([id]) => id);
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
  /** A payer views the checkout now, and for at least `ms` milliseconds. */
  add(checkoutId: string, ms: number): void;
  has(checkoutId: string): boolean;
  /** The checkouts that are viewed; removes the others. */
  all(): IterableIterator<string>;
  /** How many are stored, with those that are no longer viewed. */
  readonly size: number;
}

export function createActiveViewers(clock: Clock, watchedMs: number, onAdd = (): void => undefined): ActiveViewers {
  const until = new Map<string, number>();
  return {
    add(checkoutId, ms) {
      const now = clock.now();
      const end = Math.max(until.get(checkoutId) ?? 0, now + ms + watchedMs);
      until.delete(checkoutId); // moves it to the end: the first entry is the oldest
      until.set(checkoutId, end);
      // In a process without workers, entries are removed only here.
      for (const [oldest, oldestEnd] of until) {
        if (oldestEnd > now) break;
        until.delete(oldest);
      }
      onAdd();
    },
    has: (checkoutId) => (until.get(checkoutId) ?? 0) > clock.now(),
    all() {
      const now = clock.now();
      for (const [checkoutId, end] of until) if (end <= now) until.delete(checkoutId);
      return until.keys();
    },
    get size() {
      return until.size;
    },
  };
}

/** Maximum checkouts in one `expedite`: more would keep the database busy for longer than a payer's request should wait. */
const expediteBatchSize = 100;

/** Makes the invoices of checkouts due at `at`. */
export async function expediteInBatches(
  store: Pick<CheckoutStore, 'expedite'>,
  checkoutIds: readonly string[],
  at: number,
  viewedUntil?: number,
): Promise<void> {
  for (let from = 0; from < checkoutIds.length; from += expediteBatchSize)
    await store.expedite(checkoutIds.slice(from, from + expediteBatchSize), at, viewedUntil);
}
