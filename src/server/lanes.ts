import type { Kit } from './kit.ts';
import { nextLook, onGrid } from './schedule.ts';
import type { DueAttempt } from './store.ts';
import type { Watched } from './watched.ts';

/** Which invoices are looked at soon: those that a payer watches, and those that the service has called about. */
export interface Lanes {
  /** When an invoice that was asked for at `askedAt` is due again; null: never by itself. */
  dueAt(checkoutId: string, attempt: Facts, askedAt: number): number | null;
  /** A fetch of these checkouts' invoices begins. */
  taken(checkoutIds: readonly string[]): void;
  /** The invoices of a checkout were put back in line by this process. */
  lined(checkoutId: string): void;
  /** Notes that a checkout is to be looked at from `at` on; false when it was noted less than a second before. */
  poked(checkoutId: string, at: number): boolean;
  /** Checkouts that have to be hastened, because another process has put them into its slow lane. */
  overlooked(): readonly string[];
}

type Facts = Pick<DueAttempt, 'outcome' | 'created_at' | 'expires_at'>;

/** For hooks, an invoice is fetched at most this often. */
export const pokePauseMs = 1000;

export function createLanes(
  { clock, timing, phase }: Pick<Kit, 'clock' | 'timing' | 'phase'>,
  watched: Watched,
): Lanes {
  const pokes = new Map<string, number>();
  /** When this process last put a watched checkout in line. */
  const linedAt = new Map<string, number>();
  const { fastMs } = timing;

  return {
    dueAt(checkoutId, attempt, askedAt) {
      const poke = pokes.get(checkoutId);
      if (poke !== undefined && poke > askedAt && attempt.outcome !== 'paid')
        return Math.max(poke, askedAt + pokePauseMs);
      const now = clock.now();
      const base = Math.max(askedAt, now - fastMs / 2);
      const next = nextLook(attempt, base, watched.has(checkoutId), timing);
      if (next === null) return null;
      // Late in one tick or early: the next tick is the next one, but for what was asked for only just.
      const isFast = next <= base + fastMs;
      return onGrid(isFast ? Math.max(askedAt + fastMs / 8, now) : next - fastMs / 2, fastMs, phase);
    },
    taken(checkoutIds) {
      const now = clock.now();
      for (const id of checkoutIds) if ((pokes.get(id) ?? Infinity) <= now) pokes.delete(id);
    },
    lined(checkoutId) {
      if (watched.has(checkoutId)) linedAt.set(checkoutId, clock.now());
    },
    poked(checkoutId, at) {
      if ((pokes.get(checkoutId) ?? 0) > clock.now() - pokePauseMs) return false;
      pokes.set(checkoutId, at);
      return true;
    },
    overlooked() {
      const now = clock.now();
      const ids = new Set<string>();
      const stays = new Set(watched.all());
      for (const id of stays) {
        if (now - (linedAt.get(id) ?? now) > 2 * fastMs) ids.add(id);
        if (ids.has(id) || !linedAt.has(id)) linedAt.set(id, now);
      }
      for (const id of linedAt.keys()) if (!stays.has(id)) linedAt.delete(id);
      for (const [id, at] of pokes) {
        if (at > now - pokePauseMs) continue;
        // Another process may have been fetching it when the hook came; once more is enough.
        pokes.delete(id);
        ids.add(id);
      }
      return [...ids];
    },
  };
}
