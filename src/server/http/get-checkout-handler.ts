import { timerEarlyMs } from '../../base/clock.ts';
import { isDecimal } from '../../service-api.ts';
import { type Checkout, maxWaitSeconds } from '../../checkout-api.ts';
import { ProblemError } from './responses.ts';
import { msUntilClosed } from '../domain/checkout-status.ts';
import { checkoutIdOf, isOpenedBy } from '../domain/identifiers.ts';
import type { ServerContext } from '../server-context.ts';
import type { CheckPayment } from '../commands/check-payment.ts';
import { type CheckoutPresenter, type CheckoutQuery, etagOf } from './present-checkout.ts';
import { findCheckout } from '../commands/update-checkout.ts';
import { StoreUnavailableError, type CheckoutRecord } from '../ports/checkout-store.ts';
import type { LongPoll, LongPolls, WakeReason } from '../in-memory/long-polls.ts';
import type { Viewers } from '../workers/viewers.ts';

/** Handles `GET {endpoint}/{checkout}`. */
export type GetCheckoutHandler = (capability: string, request: Request) => Promise<Response>;

/** Reads the query of a GET. @throws ProblemError for an amount that is not a decimal. */
function readCheckoutQuery(url: string): CheckoutQuery {
  const { searchParams } = new URL(url);
  const amount = searchParams.get('amount') ?? undefined;
  if (amount !== undefined && !isDecimal(amount))
    throw new ProblemError('invalid_request', { detail: 'amount: must be a decimal number such as 100.00' });
  return {
    amount,
    options: searchParams.get('options') === '1',
    isCheck: searchParams.get('check') === '1',
  };
}

/** The validator of the current view. `checkout` is absent when the client already has the current view. */
interface CurrentView {
  readonly etag: string;
  readonly checkout?: Checkout;
  /** Milliseconds until `expires_at` closes the checkout, which changes the view; undefined when that does not happen. */
  readonly closesInMs?: number | undefined;
}

/** Returns what was found. @throws ProblemError `not_found`, the same for every reason. */
function checkFound<T>(found: T | undefined): T {
  if (found === undefined) throw new ProblemError('not_found');
  return found;
}

interface Dependencies {
  readonly checkPayment: CheckPayment;
  readonly presenter: CheckoutPresenter;
  readonly longPolls: LongPolls;
  readonly viewers: Viewers;
}

/** The maximum number of checkouts whose last view is known. */
const maxLastViews = 20_000;

export function createGetCheckoutHandler(context: ServerContext, dependencies: Dependencies): GetCheckoutHandler {
  const { checkPayment, presenter, longPolls, viewers } = dependencies;
  const { store, clock, time, health } = context;
  /** The last views of pending checkouts, so that a request for an unchanged version loads no checkout. The oldest is first. */
  const lastViews = new Map<string, { readonly version: number; readonly stale: boolean; readonly etag: string }>();

  /** The validator of a pending checkout, if the client has its current view: then only the version is read. */
  const findUnchanged = async (capability: string, ifNoneMatch: string | null): Promise<string | undefined> => {
    const checkoutId = checkoutIdOf(capability);
    const last = lastViews.get(checkoutId);
    if (last?.stale !== health.isStale() || !matchesEtag(ifNoneMatch, last.etag)) return undefined;
    const loaded = await store.loadVersion(checkoutId);
    const { version } = checkFound(isOpenedBy(context, capability, loaded) ? loaded : undefined);
    return version === last.version ? last.etag : undefined;
  };

  const readView = async (
    capability: string,
    query: CheckoutQuery,
    ifNoneMatch: string | null,
    waitMs: number,
  ): Promise<CurrentView> => {
    const unchanged = query.options === true ? undefined : await findUnchanged(capability, ifNoneMatch);
    if (unchanged !== undefined) {
      viewers.note(checkoutIdOf(capability), waitMs);
      return { etag: unchanged };
    }
    const record = checkFound(await findCheckout(context, capability, true));
    const checkout = await presenter.present(record, query);
    const etag = etagOf(checkout);
    const { status, stale } = checkout;
    if (status !== 'pending') return { checkout, etag, closesInMs: msUntilClosed(record, time.now()) };
    viewers.note(record.id, waitMs);
    if (query.options !== true) noteView(record, stale, etag);
    return { checkout, etag };
  };

  const noteView = ({ id, version }: CheckoutRecord, stale: boolean, etag: string): void => {
    lastViews.delete(id);
    lastViews.set(id, { version, stale, etag });
    const [oldest] = lastViews.size > maxLastViews ? lastViews.keys() : [];
    if (oldest !== undefined) lastViews.delete(oldest);
  };

  /** Waits for a change of the checkout: a save, or its closing by `expires_at` in `closesInMs` milliseconds. */
  const nextWake = (longPoll: LongPoll, checkoutId: string, closesInMs = Infinity): Promise<WakeReason> => {
    if (closesInMs > maxWaitSeconds * 1000) return longPoll.next();
    const cancel = clock.schedule(closesInMs + timerEarlyMs, () => longPolls.wake(checkoutId));
    return longPoll.next().finally(cancel);
  };

  /** Responds with the checkout after the service was asked, whatever the client already has. */
  const respondToCheck = async (capability: string, query: CheckoutQuery): Promise<Response> => {
    const record = await checkPayment(checkFound(await findCheckout(context, capability)));
    const checkout = await presenter.present(record, query);
    return Response.json(checkout, { headers: { etag: etagOf(checkout) } });
  };

  return async (capability, { url, headers, signal }) => {
    const query = readCheckoutQuery(url);
    if (query.isCheck === true) return respondToCheck(capability, query);
    const ifNoneMatch = headers.get('if-none-match');
    const waitSeconds = waitSecondsOf(headers);
    const waitMs = waitSeconds * 1000;
    const applied = { 'preference-applied': `wait=${waitSeconds}` };
    const checkoutId = checkoutIdOf(capability);
    // The long poll begins before the first read, so that no change after the read is missed.
    const longPoll = waitSeconds === 0 ? undefined : longPolls.begin(checkoutId, waitMs, signal);
    let held: CurrentView | undefined;
    const readOrHeld = (error: unknown): CurrentView => {
      if (held === undefined || !(error instanceof StoreUnavailableError)) throw error;
      return held;
    };
    try {
      for (;;) {
        const view = await readView(capability, query, ifNoneMatch, waitMs).catch(readOrHeld);
        const { checkout, etag, closesInMs } = view;
        const responseHeaders = { etag, ...(held && applied) };
        if (checkout !== undefined && !matchesEtag(ifNoneMatch, etag))
          return Response.json(checkout, { headers: responseHeaders });
        if (longPoll === undefined || checkout?.status === 'paid')
          return new Response(null, { status: 304, headers: responseHeaders });
        held = { etag, closesInMs };
        if ((await nextWake(longPoll, checkoutId, closesInMs)) !== 'changed')
          return new Response(null, { status: 304, headers: { etag, ...applied } });
      }
    } finally {
      longPoll?.end();
    }
  };
}

/** How many seconds the client lets the server wait for a change; 0 for an immediate response. */
function waitSecondsOf(headers: Headers): number {
  return headers.has('if-none-match') ? (waitPreference(headers.get('prefer')) ?? 0) : 0;
}

/** Whether an `If-None-Match` header contains a validator, by the weak comparison (RFC 9110, 13.1.2). */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  const withoutWeakPrefix = (tag: string): string => tag.replace(/^W\//, '');
  const tags = header.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  return tags.some((tag) => withoutWeakPrefix(tag) === withoutWeakPrefix(etag));
}

/** A token of HTTP (RFC 9110, 5.6.2). */
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** One preference: its name, and its quoted or unquoted value. */
const preference = new RegExp(`^\\s*(${token})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))?)?\\s*(?:;|$)`);

/** Splits a header at its commas, except those inside a quoted string. */
function splitList(header: string): readonly string[] {
  return header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
}

/**
 * The seconds of `Prefer: wait=N` (RFC 7240), at most `maxWaitSeconds`; undefined when the header has no valid `wait`.
 * The first `wait` is used; other preferences and parameters are ignored.
 */
export function waitPreference(header: string | null): number | undefined {
  if (header === null || header.length > 1000) return undefined;
  for (const item of splitList(header)) {
    const [, name, quotedValue, unquotedValue] = preference.exec(item) ?? [];
    if (name?.toLowerCase() !== 'wait') continue;
    const value = quotedValue ?? unquotedValue ?? '';
    return /^\d{1,9}$/.test(value) ? Math.min(Number(value), maxWaitSeconds) : undefined;
  }
  return undefined;
}
