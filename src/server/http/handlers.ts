import { timerEarlyMs } from '../../base/clock.ts';
import { isDecimal } from '../../service-api.ts';
import { type Checkout, maxWaitSeconds, createInvoiceBody } from '../../checkout-api.ts';
import { ProblemError, retryAfter } from './responses.ts';
import { checkFound, type CheckoutQuery, type LoadView, type PresentCheckout } from './view-checkout.ts';
import { msUntilClosed } from '../domain/checkout-status.ts';
import { checkoutIdOf, isOpenedBy, isSameSecret } from '../domain/identifiers.ts';
import type { ServerContext } from '../server-context.ts';
import type { CreateInvoice } from '../commands/create-invoice.ts';
import { findCheckout } from '../commands/update-checkout.ts';
import { StoreUnavailableError, type CheckoutRecord } from '../ports/checkout-store.ts';
import type { LongPoll, LongPolls, WakeReason } from '../in-memory/long-polls.ts';
import type { Viewers } from '../workers/record-viewed-checkouts.ts';
import type { StatusPoller } from '../workers/invoice-status-poller.ts';
import { issueText } from '../../base/zod-issue-text.ts';
import { readJsonBody, readRequestBody } from '../../base/read-limited-body.ts';
import { maxIdentifierLength, readHeader } from '../../base/text-limits.ts';
import { hash } from 'node:crypto';

// The three handlers of the checkout API.

/** Reads the query of a GET. @throws ProblemError for an amount that is not a decimal. */
function readCheckoutQuery(url: string): CheckoutQuery {
  const { searchParams } = new URL(url);
  const amount = searchParams.get('amount') ?? undefined;
  if (amount !== undefined && !isDecimal(amount))
    throw new ProblemError('invalid_request', { detail: 'amount: must be a decimal number such as 100.00' });
  return {
    amount,
    options: searchParams.get('options') === '1',
    check: searchParams.get('check') === '1',
  };
}

/** The validator of the current view. `checkout` is absent when the client already has the current view. */
interface CurrentView {
  readonly etag: string;
  readonly checkout?: Checkout;
  /** Milliseconds until `expires_at` closes the checkout, which changes the view; undefined when that does not happen. */
  readonly closesInMs?: number | undefined;
}

interface Dependencies {
  readonly loadView: LoadView;
  readonly longPolls: LongPolls;
  readonly viewers: Viewers;
}

/** The maximum number of checkouts whose last view is known. */
const maxLastViews = 20_000;

/** Handles `GET {endpoint}/{checkout}`. */
export function createGetCheckoutHandler(context: ServerContext, dependencies: Dependencies) {
  const { loadView, longPolls, viewers } = dependencies;
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
    const { record, checkout } = await loadView(capability, query, waitMs);
    const etag = etagOf(checkout);
    const { status, stale } = checkout;
    if (status !== 'pending') return { checkout, etag, closesInMs: msUntilClosed(record, time.now()) };
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
    const { checkout } = await loadView(capability, query, 0);
    return Response.json(checkout, { headers: { etag: etagOf(checkout) } });
  };

  return async (capability: string, { url, headers, signal }: Request): Promise<Response> => {
    const query = readCheckoutQuery(url);
    if (query.check === true) return respondToCheck(capability, query);
    const ifNoneMatch = readHeader(headers, 'if-none-match');
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
  return readHeader(headers, 'if-none-match') === null ? 0 : (waitPreference(readHeader(headers, 'prefer')) ?? 0);
}

/** What a proxy that compresses a response adds to its validator: Apache `"x-gzip"` and `"x-br"`. */
const compressedSuffix = /-(?:gzip|br|zstd|deflate)"$/;

/** Whether an `If-None-Match` header contains a validator, by the weak comparison (RFC 9110, 13.1.2). */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  const withoutWeakPrefix = (tag: string): string => tag.replace(/^W\//, '');
  const tags = header.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  const own = withoutWeakPrefix(etag);
  return tags.map(withoutWeakPrefix).some((tag) => tag === own || tag.replace(compressedSuffix, '"') === own);
}

/** A token of HTTP (RFC 9110, 5.6.2). */
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** One preference: its name, and its quoted or unquoted value. */
const preference = new RegExp(`^\\s*(${token})\\s*(?:=\\s*(?:(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))\\s*)?)?(?:;|$)`);

/** Splits a header at its commas, except those inside a quoted string. */
function splitList(header: string): readonly string[] {
  return header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
}

/**
 * The seconds of `Prefer: wait=N` (RFC 7240), at most `maxWaitSeconds`; undefined when the header has no valid `wait`.
 * The first `wait` is used; other preferences and parameters are ignored.
 */
export function waitPreference(header: string | null): number | undefined {
  if (header === null) return undefined;
  for (const item of splitList(header)) {
    const [, name, quotedValue, unquotedValue] = preference.exec(item) ?? [];
    if (name?.toLowerCase() !== 'wait') continue;
    const value = quotedValue ?? unquotedValue ?? '';
    return /^\d{1,9}$/.test(value) ? Math.min(Number(value), maxWaitSeconds) : undefined;
  }
  return undefined;
}

/** `Retry-After` of a 202: the widget repeats its request after this time. */
const inDoubtRetryMs = 2000;

/** Handles `POST {endpoint}/{checkout}/invoice`. */
export function createCreateInvoiceHandler(
  context: ServerContext,
  createInvoice: CreateInvoice,
  present: PresentCheckout,
) {
  return async (capability: string, request: Request, address: string | undefined): Promise<Response> => {
    const arrivedAt = context.time.now();
    const parse = async () => {
      // The body is read first, also when the key is missing: the connection stays usable.
      const reading = readJsonBody(request, context.clock);
      await reading.catch(() => undefined);
      const key = readIdempotencyKey(request);
      const { success, data: body, error } = createInvoiceBody.safeParse(await reading);
      if (success) return { key, body };
      throw new ProblemError('invalid_request', { detail: issueText(error.issues[0], 'body') });
    };
    const { key, body } = await parse().catch(async (error: unknown) => {
      // A 404 has priority over an error of the request.
      if ((await findCheckout(context, capability)) === undefined) throw new ProblemError('not_found');
      throw error;
    });
    const { signal } = request;
    const traceparent = readTraceparent(request);
    const result = await createInvoice({ capability, key, body, address, arrivedAt, traceparent, signal });
    if ('refused' in result) {
      const { refused, ...facts } = result;
      throw new ProblemError(refused, facts);
    }
    const checkout = await present(result.record, {});
    const headers = { etag: etagOf(checkout) };
    if (result.hasInvoice) return Response.json(checkout, { status: result.isNew ? 201 : 200, headers });
    const retryHeader = retryAfter(result.retryAfterMs ?? inDoubtRetryMs);
    return Response.json(checkout, { status: 202, headers: { ...headers, ...retryHeader } });
  };
}

/** The header `traceparent` (W3C Trace Context, 3.2); undefined when it is missing or malformed. */
function readTraceparent({ headers }: Request): string | undefined {
  const value = headers.get('traceparent') ?? '';
  return /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(value) ? value : undefined;
}

/** The idempotency key of a request. @throws ProblemError `invalid_request` when it is missing or malformed. */
export function readIdempotencyKey(request: Request): string {
  const key = request.headers.get('idempotency-key') ?? '';
  if (key.length <= maxIdentifierLength && /^[\x21-\x7e]+$/.test(key)) return key;
  const detail = `idempotency-key: must be 1 to ${maxIdentifierLength} visible ASCII characters, such as a UUID`;
  throw new ProblemError('invalid_request', { detail });
}

/** What a webhook's address names: an order, or a capability. */
export type WebhookTarget = { readonly orderId: string } | { readonly capability: string };

/**
 * Handles `POST {endpoint}/{checkout}/hook/{secret}`, and POST to the address of `webhookUrl`. The body is ignored: the request
 * only expedites a fetch.
 */
export function createReceiveWebhookHandler(
  context: ServerContext,
  statusPoller: Pick<StatusPoller, 'expediteNow'>,
): (target: WebhookTarget, secret: string, request: Request) => Promise<Response> {
  const { store } = context;
  return async (target, secret, request) => {
    const isByOrder = 'orderId' in target;
    const record = await (isByOrder ? store.loadByOrder(target.orderId) : store.load(checkoutIdOf(target.capability)));
    const isSameId = isByOrder || isSameSecret(target.capability, record?.capability ?? '');
    const isAuthentic = isSameSecret(secret, record?.hookSecret ?? '') && isSameId;
    if (record !== undefined && isAuthentic) await statusPoller.expediteNow(record);
    await readRequestBody(request, context.clock).catch(() => undefined); // the content is not used
    if (record === undefined || !isAuthentic) throw new ProblemError('not_found');
    return new Response(null, { status: 204 });
  };
}

/**
 * The weak validator (ETag) of a checkout. It covers everything that the widget uses, including the poll interval. It does not
 * cover clock values and the service's own status, because their changes have no visible effect.
 */
function etagOf(checkout: Checkout): string {
  const invoice = checkout.invoice && {
    ...checkout.invoice,
    expires_in_ms: undefined,
    service_status: undefined,
    checked_at: undefined,
  };
  const text = JSON.stringify({ ...checkout, server_time: undefined, invoice });
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}
