import type { ServerContext } from '../context.ts';
import { createWebhookHints } from './webhook-hints.ts';
import { nextPollAt, alignToTick } from '../domain/poll-schedule.ts';
import type { DueAttempt } from '../ports/checkout-store.ts';
import type { ActiveViewers } from './active-viewers.ts';

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
