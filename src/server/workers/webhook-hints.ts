import type { Clock } from '../../base/clock.ts';

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
