import { currentAttempt } from './attempts.ts';
import { etagOf, matchesEtag } from './etag.ts';
import type { Kit } from './kit.ts';
import { factsOf } from './log.ts';
import { readQuery, type Pictures } from './pictures.ts';
import { waitPreference } from './prefer.ts';
import { ProblemError } from './problem-answer.ts';
import { onGrid } from './schedule.ts';
import type { CheckoutRecord } from './store.ts';
import type { Awakening, Waiter, Waiters } from './waiters.ts';
import type { Watched } from './watched.ts';

/** Answers `GET {endpoint}/{checkout}`. */
export type ShowCheckout = (checkoutId: string, request: Request) => Promise<Response>;

/** The checkout that a capability opens. @throws ProblemError `not_found`, the same for every reason. */
export async function findCheckout({ store, clock, timing }: Kit, checkoutId: string): Promise<CheckoutRecord> {
  const record = await store.load(checkoutId);
  if (record === undefined || clock.now() - record.created_at > timing.lifetimeMs) throw new ProblemError('not_found');
  return record;
}

export function createShowCheckout(kit: Kit, pictures: Pictures, waiters: Waiters, watched: Watched): ShowCheckout {
  const { store, clock, timing, log } = kit;

  /** Brings an invoice that nobody looked at back to the fast lane, for as long as the payer stays. */
  const watch = async (record: CheckoutRecord, waitMs: number): Promise<void> => {
    const current = currentAttempt(record);
    if (current?.stage !== 'made' || current.due_at === null) return;
    watched.note(record.id, waitMs);
    const now = clock.now();
    if (current.outcome !== 'pending' || current.due_at <= now + timing.fastMs) return;
    try {
      await store.hasten([record.id], onGrid(now, timing.fastMs, kit.phase));
    } catch (error) {
      log('warn', 'hasten_failed', factsOf(error)); // it stays in the slow lane until the next poll
    }
  };

  return async (checkoutId, request) => {
    const query = readQuery(new URL(request.url));
    const known = request.headers.get('if-none-match');
    const wait = known === null ? 0 : (waitPreference(request.headers.get('prefer')) ?? 0);
    let waiter: Waiter | undefined;
    let isLast = false;
    try {
      for (;;) {
        // Whoever waits listens before looking, so that no change falls in between.
        const held = waiter;
        const record = await findCheckout(kit, checkoutId);
        await watch(record, wait * 1000);
        const checkout = await pictures.take(record, query);
        const etag = etagOf(checkout);
        const applied = { etag, ...(held === undefined ? {} : { 'preference-applied': `wait=${wait}` }) };
        if (!matchesEtag(known, etag)) return Response.json(checkout, { headers: applied });
        if (held === undefined && wait > 0 && checkout.status !== 'paid') {
          waiter = waiters.begin(checkoutId, wait * 1000, request.signal);
          if (waiter !== undefined) continue;
        }
        const next: Awakening = held === undefined || isLast ? 'given_up' : await held.next();
        if (next === 'given_up') return new Response(null, { status: 304, headers: applied });
        // Not all that a payer sees is saved: whether the service answers may have changed meanwhile.
        isLast = next === 'late';
      }
    } finally {
      waiter?.end();
    }
  };
}
