import { timerEarlyMs } from '../../base/clock.ts';
import { isDecimal } from '../../service-api.ts';
import { type Checkout, maxWaitSeconds } from '../../checkout-api.ts';
import { jsonResponse, ProblemError, type CheckoutResponse, type RequestHead, type OnDisconnect } from './responses.ts';
import { msUntilClosed } from '../domain/close-checkout.ts';
import { checkoutIdOf } from '../domain/identifiers.ts';
import { currentAttempt, isOpenOutcome, isPaidOutcome } from '../domain/select-invoice-attempt.ts';
import { etagOf, matchesEtag, waitPreference } from './conditional-request.ts';
import type { ServerContext } from '../server-context.ts';
import { errorFields } from '../ports/log.ts';
import type { CheckPayment } from '../commands/check-payment.ts';
import type { CheckoutPresenter, CheckoutQuery } from './response-with-payment-options.ts';
import type { NotModifiedCache, CachedView } from '../in-memory/not-modified-cache.ts';
import { alignToTick, nextFetchAt } from '../domain/next-fetch-time.ts';
import { StoreUnavailableError, type CheckoutRecord, type CheckoutStore } from '../ports/checkout-store.ts';
import type { CachedRecord, RecordCache } from '../in-memory/checkout-record-cache.ts';
import type { WakeReason, LongPoll, LongPolls } from '../in-memory/long-polls.ts';
import type { ActiveViewers } from '../workers/viewers-and-webhook-hints.ts';

/** Handles `GET {endpoint}/{checkout}`; synchronous when the cache shows that nothing has changed. */
export type GetCheckoutHandler = (
  capability: string,
  request: GetCheckoutRequest,
) => CheckoutResponse | Promise<CheckoutResponse>;

interface GetCheckoutRequest {
  readonly headers: RequestHead['headers'];
  readonly query: CheckoutQuery;
  readonly onDisconnect: OnDisconnect;
}

/** Reads the query of a GET. @throws ProblemError for an amount that is not a decimal. */
export function readCheckoutQuery(url: URL): CheckoutQuery {
  const amount = url.searchParams.get('amount') ?? undefined;
  if (amount !== undefined && !isDecimal(amount))
    throw new ProblemError('invalid_request', { detail: 'amount: must be a decimal number such as 100.00' });
  return {
    amount,
    options: url.searchParams.get('options') === '1',
    isCheck: url.searchParams.get('check') === '1',
  };
}

/** The validator of the current view. `checkout` is absent when the client already has the current view. */
interface CurrentView {
  readonly checkout?: Checkout;
  readonly etag: string;
  /** Milliseconds until `expires_at` closes the checkout, which changes the view; undefined when that does not happen. */
  readonly msUntilClosed?: number | undefined;
}

/** Loads the checkout of a capability. @throws ProblemError `not_found`, the same for every reason. */
export async function findCheckout(
  context: Pick<ServerContext, 'time' | 'timing'> & { readonly store: Pick<CheckoutStore, 'load'> },
  capability: string,
): Promise<CheckoutRecord> {
  return checkFound(context, capability, await context.store.load(checkoutIdOf(capability)));
}

/**
 * Returns the record that was loaded for a capability, if it is valid. @throws ProblemError `not_found`, the same for every
 * reason.
 */
export function checkFound(
  { time, timing }: Pick<ServerContext, 'time' | 'timing'>,
  capability: string,
  record: CheckoutRecord | undefined,
): CheckoutRecord {
  if (record?.capability !== capability || time.now() - record.capabilityAt > timing.lifetimeMs)
    throw new ProblemError('not_found');
  return record;
}

interface Dependencies {
  readonly checkPayment: CheckPayment;
  readonly presenter: CheckoutPresenter;
  readonly recordCache: RecordCache;
  readonly notModifiedCache: NotModifiedCache;
  readonly longPolls: LongPolls;
  readonly activeViewers: ActiveViewers;
}

export function createGetCheckoutHandler(context: ServerContext, dependencies: Dependencies): GetCheckoutHandler {
  const { checkPayment, presenter, recordCache, notModifiedCache, longPolls, activeViewers } = dependencies;
  const { store, clock, time, timing, log, health } = context;

  /**
   * Adds the checkout to the active viewers, and expedites the fetch of an invoice that nobody was viewing before: for that the
   * record must have the current schedule. Resolves with false when there is no invoice to fetch.
   */
  const addViewer = async (record: CheckoutRecord, wasViewed: boolean, waitMs: number): Promise<boolean> => {
    const current = currentAttempt(record);
    if (current?.state !== 'live' || isPaidOutcome(current.outcome)) return false;
    const { outcome, checkedAt, runAt } = current;
    const now = time.now();
    const nextTick = alignToTick(now, timing.fastMs, context.phase);
    // Viewers do not change the schedule of an invoice that has ended or is no longer polled, so they are not stored. Each of
    // their requests reads the current schedule.
    const isPolled = isOpenOutcome(outcome) && nextFetchAt(current, now, true, timing) !== null;
    if (isPolled) activeViewers.add(record.id, waitMs);
    try {
      // An invoice that is no longer polled is fetched once more, because a late payment may be the reason why the payer has
      // come back. It is not fetched again for every poll of the page.
      if (!isPolled && (runAt ?? Infinity) > nextTick && now >= (checkedAt ?? 0) + timing.watchedMs)
        await store.expedite([record.id], nextTick, undefined, true);
      if (isPolled && !wasViewed && (runAt ?? 0) > now + timing.fastMs) await store.expedite([record.id], nextTick);
    } catch (error) {
      log('warn', 'expedite_failed', errorFields(error)); // the invoice is fetched as scheduled
    }
    return true;
  };

  /**
   * Whether the client has a view, and a new view of the same record would not differ. False for the view of a checkout without
   * active viewers, because the checkout's next fetch may have to be expedited.
   */
  const isCurrent = (view: CachedView, capability: string, ifNoneMatch: string | null): boolean =>
    view.capability === capability &&
    matchesEtag(ifNoneMatch, view.etag) &&
    time.now() <= view.endsAt &&
    view.stale === health.isStale() &&
    (!view.isViewed || activeViewers.has(checkoutIdOf(capability)));

  /** The cached view if the client already has it, or undefined. The store is not read. */
  const findCached = (capability: string, ifNoneMatch: string | null, waitMs: number): CachedView | undefined => {
    const checkoutId = checkoutIdOf(capability);
    const cached = notModifiedCache.get(checkoutId);
    if (cached === undefined || !isCurrent(cached, capability, ifNoneMatch)) return undefined;
    if (cached.isViewed) activeViewers.add(checkoutId, waitMs);
    return cached;
  };

  const loadView = async (
    capability: string,
    query: CheckoutQuery,
    ifNoneMatch: string | null,
    waitMs: number,
  ): Promise<CurrentView> => {
    const checkoutId = checkoutIdOf(capability);
    const known = query.options === true ? undefined : notModifiedCache.lastKnown(checkoutId);
    const cacheView = notModifiedCache.begin(checkoutId);
    if (known?.isViewed === true && isCurrent(known, capability, ifNoneMatch)) {
      const loaded = await store.loadIfChanged?.(checkoutId, known.version);
      if (loaded === 'unchanged') {
        activeViewers.add(checkoutId, waitMs);
        cacheView(known);
        return { etag: known.etag };
      }
    }
    const wasViewed = activeViewers.has(checkoutId);
    const loaded = await recordCache.load(checkoutId, !wasViewed);
    const record = checkFound(context, capability, loaded?.record);
    const isViewed = await addViewer(record, wasViewed, waitMs);
    const checkout = await presenter.present(record, query);
    const etag = cachedEtagOf(checkout, loaded);
    const { status, stale } = checkout;
    if (status === 'pending' && query.options !== true)
      cacheView({
        capability,
        etag,
        version: record.version,
        stale,
        isViewed,
        endsAt: record.capabilityAt + timing.lifetimeMs,
      });
    return { checkout, etag, msUntilClosed: status === 'pending' ? undefined : msUntilClosed(record, time.now()) };
  };

  /** The last known view if the client already has it, or undefined. It is used while the store is not available. */
  const findLastKnown = (capability: string, ifNoneMatch: string | null): CurrentView | undefined => {
    const view = notModifiedCache.lastKnown(checkoutIdOf(capability));
    const isUsable =
      view?.capability === capability && matchesEtag(ifNoneMatch, view.etag) && time.now() <= view.endsAt;
    return isUsable ? { etag: view.etag } : undefined;
  };

  /** Waits for a change of the checkout: a save, or its closing by `expires_at` in `closesInMs` milliseconds. */
  const nextWake = (longPoll: LongPoll, checkoutId: string, closesInMs = Infinity): Promise<WakeReason> => {
    if (closesInMs > maxWaitSeconds * 1000) return longPoll.next();
    const cancel = clock.schedule(closesInMs + timerEarlyMs, () => longPolls.wake(checkoutId));
    return longPoll.next().finally(cancel);
  };

  const respondAsync = async (
    capability: string,
    { headers, query, onDisconnect }: GetCheckoutRequest,
    waitSeconds: number,
  ): Promise<CheckoutResponse> => {
    const ifNoneMatch = headers.get('if-none-match');
    const waitMs = waitSeconds * 1000;
    const checkoutId = checkoutIdOf(capability);
    const loadOrLastKnown = async (heldView: CurrentView | undefined): Promise<CurrentView> => {
      try {
        return await loadView(capability, query, ifNoneMatch, waitMs);
      } catch (error) {
        const lastKnown = heldView ?? (query.options === true ? undefined : findLastKnown(capability, ifNoneMatch));
        if (lastKnown === undefined || !(error instanceof StoreUnavailableError)) throw error;
        return lastKnown;
      }
    };
    let longPoll: LongPoll | undefined;
    let heldView: CurrentView | undefined;
    let isLastRead = false;
    try {
      for (;;) {
        // After the long poll has begun, the view is read again, so that no change between the two is missed.
        const longPollInUse = longPoll;
        const cached = query.options === true ? undefined : findCached(capability, ifNoneMatch, waitMs);
        const { checkout, etag, msUntilClosed: closesInMs }: CurrentView = cached ?? (await loadOrLastKnown(heldView));
        const responseHeaders = {
          etag,
          ...(longPollInUse === undefined ? {} : { 'preference-applied': `wait=${waitSeconds}` }),
        };
        if (checkout !== undefined && !matchesEtag(ifNoneMatch, etag))
          return jsonResponse(checkout, 200, responseHeaders);
        if (longPollInUse === undefined && waitSeconds > 0 && checkout?.status !== 'paid') {
          longPoll = longPolls.begin(checkoutId, waitMs, onDisconnect);
          heldView = { etag };
          if (longPoll !== undefined) continue;
        }
        const reason: WakeReason =
          longPollInUse === undefined || isLastRead ? 'closed' : await nextWake(longPollInUse, checkoutId, closesInMs);
        if (reason === 'closed') return { status: 304, headers: responseHeaders };
        // After the timeout the view is read once more, because an outage of the service changes the view without a save.
        isLastRead = reason === 'timeout';
      }
    } finally {
      longPoll?.end();
    }
  };

  /** Responds with the checkout after the service was asked, whatever the client already has. */
  const respondToCheck = async (capability: string, query: CheckoutQuery): Promise<CheckoutResponse> => {
    const record = await checkPayment(await findCheckout(context, capability));
    const checkout = await presenter.present(record, query);
    return jsonResponse(checkout, 200, { etag: etagOf(checkout) });
  };

  return (capability, request) => {
    if (request.query.isCheck === true) return respondToCheck(capability, request.query);
    const waitSeconds = waitSecondsOf(request.headers);
    const isCacheable = request.query.options !== true && waitSeconds === 0;
    const cached = isCacheable ? findCached(capability, request.headers.get('if-none-match'), 0) : undefined;
    return cached === undefined
      ? respondAsync(capability, request, waitSeconds)
      : { status: 304, headers: { etag: cached.etag } };
  };
}

/**
 * The validator of a view. Without payment options, it depends only on the record, the status and `stale`, so it is computed
 * once for each combination.
 */
function cachedEtagOf(checkout: Checkout, loaded: CachedRecord | undefined): string {
  if (loaded === undefined || checkout.options.length > 0) return etagOf(checkout);
  const { status, stale } = checkout;
  if (loaded.view?.status !== status || loaded.view.stale !== stale)
    loaded.view = { status, stale, etag: etagOf(checkout) };
  return loaded.view.etag;
}

/** How many seconds the client lets the server wait for a change; 0 for an immediate response. */
function waitSecondsOf(headers: RequestHead['headers']): number {
  return headers.has('if-none-match') ? (waitPreference(headers.get('prefer')) ?? 0) : 0;
}
