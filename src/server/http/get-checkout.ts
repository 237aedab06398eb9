import { isDecimal } from '../../contract.ts';
import type { Checkout } from '../../protocol.ts';
import { jsonResponse, type CheckoutResponse, type RequestHead, type OnDisconnect } from './response.ts';
import { currentAttempt } from '../domain/attempts.ts';
import { etagOf, matchesEtag, waitPreference } from './conditional-request.ts';
import type { ServerContext } from '../context.ts';
import { errorFields } from '../ports/log.ts';
import { isSameSecret } from '../domain/ids.ts';
import type { CheckoutPresenter, CheckoutQuery } from '../commands/checkout-presenter.ts';
import { ProblemError } from './problem.ts';
import type { NotModifiedCache, CachedView } from '../live/not-modified-cache.ts';
import { alignToTick } from '../domain/next-poll-time.ts';
import { StoreUnavailableError, type CheckoutRecord } from '../ports/checkout-store.ts';
import type { WakeReason, LongPoll, LongPolls } from '../live/long-polls.ts';
import type { ActiveViewers } from '../workers/poll-scheduler.ts';

/** Answers `GET {endpoint}/{checkout}`: at once, from memory, where it is known that nothing has changed. */
export type GetCheckoutHandler = (
  checkoutId: string,
  asked: GetCheckoutRequest,
) => CheckoutResponse | Promise<CheckoutResponse>;

/** Reads the query of a GET. @throws ProblemError for an amount that is not a decimal. */
export function readCheckoutQuery(url: URL): CheckoutQuery {
  const amount = url.searchParams.get('amount') ?? undefined;
  if (amount !== undefined && !isDecimal(amount))
    throw new ProblemError('invalid_request', { detail: 'amount: must be a decimal number such as 100.00' });
  return { amount, options: url.searchParams.get('options') === '1' };
}

interface GetCheckoutRequest {
  readonly headers: RequestHead['headers'];
  readonly query: CheckoutQuery;
  readonly whenGone: OnDisconnect;
}

/** What is there to see; without the checkout where the payer has it already. */
interface CurrentView {
  readonly checkout?: Checkout;
  readonly etag: string;
}

/** The checkout that a capability opens. @throws ProblemError `not_found`, the same for every reason. */
export async function findCheckout(
  { store, clock, timing }: ServerContext,
  checkoutId: string,
): Promise<CheckoutRecord> {
  const record = await store.load(checkoutId);
  // A database may find a name that only looks the same to it, such as one in other letters.
  const isIts = isSameSecret(checkoutId, record?.id ?? '');
  if (record === undefined || !isIts || clock.now() - record.created_at > timing.lifetimeMs)
    throw new ProblemError('not_found');
  return record;
}

interface Dependencies {
  readonly pictures: CheckoutPresenter;
  readonly recents: NotModifiedCache;
  readonly waiters: LongPolls;
  readonly watched: ActiveViewers;
}

export function createGetCheckoutHandler(
  context: ServerContext,
  { pictures, recents, waiters, watched }: Dependencies,
): GetCheckoutHandler {
  const { store, clock, timing, log, health } = context;

  /**
   * Brings an invoice that nobody looked at back to the fast lane, for as long as the payer stays. Resolves with whether
   * there is one to look at.
   */
  const watch = async (record: CheckoutRecord, waitMs: number): Promise<boolean> => {
    const current = currentAttempt(record);
    if (current?.stage !== 'created' || current.run_at === null) return false;
    watched.add(record.id, waitMs);
    const now = clock.now();
    if (current.outcome !== 'pending' || current.run_at <= now + timing.fastMs) return true;
    try {
      await store.expedite([record.id], alignToTick(now, timing.fastMs, context.phase));
    } catch (error) {
      log('warn', 'expedite_failed', errorFields(error)); // it stays in the slow lane until the next poll
    }
    return true;
  };

  /**
   * Whether what a payer has seen is what there is to see, as far as is known without a look into the store. Who was not
   * watched any longer may have to be hastened.
   */
  const recall = (checkoutId: string, known: string | null, waitMs: number): CachedView | undefined => {
    const shown = recents.get(checkoutId);
    if (shown === undefined || !matchesEtag(known, shown.etag)) return undefined;
    if (clock.now() > shown.endsAt || shown.stale !== health.isStale()) return undefined;
    if (!shown.isViewed) return shown;
    if (!watched.has(checkoutId)) return undefined;
    watched.add(checkoutId, waitMs);
    return shown;
  };

  const look = async (checkoutId: string, query: CheckoutQuery, waitMs: number): Promise<CurrentView> => {
    const keep = recents.begin(checkoutId);
    const record = await findCheckout(context, checkoutId);
    const isWatched = await watch(record, waitMs);
    const checkout = await pictures.present(record, query);
    const etag = etagOf(checkout);
    const { status, stale } = checkout;
    if (status === 'pending' && query.options !== true)
      keep({ etag, stale, isViewed: isWatched, endsAt: record.created_at + timing.lifetimeMs });
    return { checkout, etag };
  };

  /** While the store is not available, what a payer has seen last is still what there is to see. */
  const lastSeen = (checkoutId: string, known: string | null): CurrentView | undefined => {
    const last = recents.lastKnown(checkoutId);
    const isUsable = last !== undefined && matchesEtag(known, last.etag) && clock.now() <= last.endsAt;
    return isUsable ? { etag: last.etag } : undefined;
  };

  const answerLater = async (
    checkoutId: string,
    { headers, query, whenGone }: GetCheckoutRequest,
    wait: number,
  ): Promise<CheckoutResponse> => {
    const known = headers.get('if-none-match');
    const lookOrRemember = async (held: CurrentView | undefined): Promise<CurrentView> => {
      try {
        return await look(checkoutId, query, wait * 1000);
      } catch (error) {
        const seen = held ?? (query.options === true ? undefined : lastSeen(checkoutId, known));
        if (seen === undefined || !(error instanceof StoreUnavailableError)) throw error;
        return seen;
      }
    };
    let waiter: LongPoll | undefined;
    let isLast = false;
    let heldEtag: CurrentView | undefined;
    try {
      for (;;) {
        // Whoever waits listens before looking, so that no change falls in between.
        const held = waiter;
        const kept = query.options === true ? undefined : recall(checkoutId, known, wait * 1000);
        const { checkout, etag }: CurrentView = kept ?? (await lookOrRemember(heldEtag));
        const applied = { etag, ...(held === undefined ? {} : { 'preference-applied': `wait=${wait}` }) };
        if (checkout !== undefined && !matchesEtag(known, etag)) return jsonResponse(checkout, 200, applied);
        if (held === undefined && wait > 0 && checkout?.status !== 'paid') {
          waiter = waiters.begin(checkoutId, wait * 1000, whenGone);
          heldEtag = { etag };
          if (waiter !== undefined) continue;
        }
        const next: WakeReason = held === undefined || isLast ? 'given_up' : await held.next();
        if (next === 'given_up') return { status: 304, headers: applied };
        // Not all that a payer sees is saved: whether the service answers may have changed meanwhile.
        isLast = next === 'late';
      }
    } finally {
      waiter?.end();
    }
  };

  return (checkoutId, asked) => {
    const wait = waitSecondsOf(asked.headers);
    const isForNow = asked.query.options !== true && wait === 0;
    const shown = isForNow ? recall(checkoutId, asked.headers.get('if-none-match'), 0) : undefined;
    return shown === undefined ? answerLater(checkoutId, asked, wait) : { status: 304, headers: { etag: shown.etag } };
  };
}

/** How many seconds an answer may be held back for something new to say. */
function waitSecondsOf(headers: RequestHead['headers']): number {
  return headers.has('if-none-match') ? (waitPreference(headers.get('prefer')) ?? 0) : 0;
}
