import type { ServerContext } from '../context.ts';
import { alignToTick, nextPollAt } from '../domain/poll-schedule.ts';
import type { DueAttempt } from '../ports/checkout-store.ts';
import type { Clock } from '../../base/clock.ts';

/** Which invoices are looked at soon: those that a payer watches, and those that the service has called about. */
export interface PollScheduler {
  /** When an invoice that was asked for at `askedAt` is due again; null: never by itself. */
  runAt(checkoutId: string, attempt: PolledInvoice, askedAt: number): number | null;
  /** A fetch of these checkouts' invoices begins. */
  fetchStarted(checkoutIds: readonly string[]): void;
  /** The invoices of a checkout were put back in line by this process. */
  scheduled(checkoutId: string): void;
  /** Notes that a checkout is to be looked at from `at` on; false when it was noted less than a second before. */
  noteWebhook(checkoutId: string, at: number): boolean;
  /** Checkouts that have to be hastened, because another process has put them into its slow lane. */
  overdueCheckouts(): readonly string[];
}

type PolledInvoice = Pick<DueAttempt, 'outcome' | 'created_at' | 'expires_at'>;

export function createPollScheduler(
  { clock, timing, phase }: Pick<ServerContext, 'clock' | 'timing' | 'phase'>,
  watched: ActiveViewers,
): PollScheduler {
  const pokes = createWebhookHints(clock);
  /** When this process last put a watched checkout in line. */
  const linedAt = new Map<string, number>();
  const { fastMs } = timing;

  const atNextLook = (attempt: PolledInvoice, askedAt: number, isWatched: boolean): number | null => {
    const now = clock.now();
    const base = Math.max(askedAt, now - fastMs / 2);
    const next = nextPollAt(attempt, base, isWatched, timing);
    if (next === null) return null;
    // Late in one tick or early: the next tick is the next one, but for what was asked for only just.
    const isFast = next <= base + fastMs;
    return alignToTick(isFast ? Math.max(askedAt + fastMs / 8, now) : next - fastMs / 2, fastMs, phase);
  };

  /** The watched that this process has not put in line for two ticks. */
  const unlined = (): string[] => {
    const now = clock.now();
    const stays = new Set(watched.all());
    for (const id of linedAt.keys()) if (!stays.has(id)) linedAt.delete(id);
    for (const id of stays) if (!linedAt.has(id)) linedAt.set(id, now);
    const ids = [...linedAt].filter(([, at]) => now - at > 2 * fastMs).map(([id]) => id);
    for (const id of ids) linedAt.set(id, now);
    return ids;
  };

  return {
    runAt(checkoutId, attempt, askedAt) {
      const poked = attempt.outcome === 'paid' ? undefined : pokes.runAt(checkoutId, askedAt);
      return poked ?? atNextLook(attempt, askedAt, watched.has(checkoutId));
    },
    fetchStarted: (checkoutIds) => pokes.fetchStarted(checkoutIds),
    scheduled(checkoutId) {
      if (watched.has(checkoutId)) linedAt.set(checkoutId, clock.now());
    },
    noteWebhook: (checkoutId, at) => pokes.note(checkoutId, at),
    overdueCheckouts: () => [...new Set([...unlined(), ...pokes.overdue()])],
  };
}

/** Checkouts that the service has called about, until they were looked at. */
export interface WebhookHints {
  /** Notes that a checkout is to be looked at from `at` on; false when it was noted less than a second before. */
  note(checkoutId: string, at: number): boolean;
  /** A fetch of these checkouts' invoices begins. */
  fetchStarted(checkoutIds: readonly string[]): void;
  /** When a checkout is due that was called about after it was asked for at `askedAt`; undefined: it was not. */
  runAt(checkoutId: string, askedAt: number): number | undefined;
  /** Takes out those whose time has come and whom nobody took: another process may have been fetching them then. */
  overdue(): readonly string[];
}

/** For hooks, an invoice is fetched at most this often. */
export const hintIntervalMs = 1000;

export function createWebhookHints(clock: Clock): WebhookHints {
  const pokes = new Map<string, number>();
  return {
    note(checkoutId, at) {
      if ((pokes.get(checkoutId) ?? 0) > clock.now() - hintIntervalMs) return false;
      pokes.set(checkoutId, at);
      return true;
    },
    fetchStarted(checkoutIds) {
      const now = clock.now();
      for (const id of checkoutIds) if ((pokes.get(id) ?? Infinity) <= now) pokes.delete(id);
    },
    runAt(checkoutId, askedAt) {
      const at = pokes.get(checkoutId);
      return at !== undefined && at > askedAt ? Math.max(at, askedAt + hintIntervalMs) : undefined;
    },
    overdue() {
      const end = clock.now() - hintIntervalMs;
      const ids = [...pokes].filter(([, at]) => at <= end).map(([id]) => id);
      for (const id of ids) pokes.delete(id);
      return ids;
    },
  };
}

/** Which checkouts a payer has looked at lately, through this process. */
export interface ActiveViewers {
  /** A payer looks now, and goes on for `ms` at least. */
  add(checkoutId: string, ms: number): void;
  has(checkoutId: string): boolean;
  /** Those that are watched, after those who have left are forgotten. */
  all(): IterableIterator<string>;
}

export function createActiveViewers(clock: Clock, watchedMs: number): ActiveViewers {
  const until = new Map<string, number>();
  return {
    add(checkoutId, ms) {
      until.set(checkoutId, Math.max(until.get(checkoutId) ?? 0, clock.now() + ms + watchedMs));
    },
    has: (checkoutId) => (until.get(checkoutId) ?? 0) > clock.now(),
    all() {
      const now = clock.now();
      for (const [checkoutId, end] of until) if (end <= now) until.delete(checkoutId);
      return until.keys();
    },
  };
}
