import { timerEarlyMs } from '../../base/clock.ts';
import { isDecimal } from '../../service-api.ts';
import { type Checkout, maxWaitSeconds, createInvoiceBody } from '../../checkout-api.ts';
import { retryAfter } from '../../base/retry-after.ts';
import { ProblemError } from './responses.ts';
import type { CheckoutQuery, LoadView, PresentCheckout } from './view-checkout.ts';
import { msUntilClosed } from '../domain/checkout-status.ts';
import { withQrCode } from '../domain/qr-codes.ts';
import { checkoutIdOf, isOpenedBy, isSameSecret } from '../domain/identifiers.ts';
import type { ServerContext } from '../server-context.ts';
import type { CreateInvoice } from '../commands/create-invoice.ts';
import { findCheckout } from '../commands/update-checkout.ts';
import { StoreUnavailableError, type LoadPurpose } from '../ports/checkout-store.ts';
import type { KnownView, KnownViews } from '../between-requests/known-views.ts';
import { isEnd, type LongPoll, type LongPolls, type WakeReason } from '../between-requests/long-polls.ts';
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

/** The validator of the current view. `checkout` is absent when the client already has the view, or it could not be read. */
interface CurrentView {
  readonly etag: string;
  readonly checkout?: Checkout;
  /** Milliseconds until the view has to be read again, such as when `expires_at` closes the checkout; undefined: never. */
  readonly readAgainInMs?: number | undefined;
}

interface Dependencies {
  readonly loadView: LoadView;
  readonly longPolls: LongPolls;
  readonly viewers: Viewers;
  readonly knownViews: KnownViews;
}

/** After how long a payer who waits is looked after again when the database could not be read, in milliseconds. */
const readAgainMs = 1000;

/** Handles `GET {endpoint}/{checkout}`. */
export function createGetCheckoutHandler(context: ServerContext, dependencies: Dependencies) {
  const { loadView, longPolls, viewers, knownViews } = dependencies;
  const { clock, random, time, health } = context;

  /** The view of a pending checkout, when the payer who waits has the current one: then nothing is read. */
  const findUnchanged = (
    capability: string,
    query: CheckoutQuery,
    ifNoneMatch: string | null,
    waitMs: number,
  ): CurrentView | undefined => {
    const checkoutId = checkoutIdOf(capability);
    const view = query.options === true ? undefined : knownViews.find(checkoutId);
    if (view?.stale !== health.isStale() || !matchesEtag(ifNoneMatch, view.etag)) return undefined;
    if (!isOpenedBy(context, capability, view)) return undefined;
    viewers.note(checkoutId, waitMs);
    return { etag: view.etag };
  };

  const readView = async (
    capability: string,
    query: CheckoutQuery,
    waitMs: number,
    purpose: LoadPurpose,
  ): Promise<CurrentView> => {
    const noteView = knownViews.beginRead(checkoutIdOf(capability));
    let view: KnownView | undefined;
    try {
      const { record, checkout } = await loadView(capability, query, waitMs, purpose);
      const etag = etagOf(checkout);
      const { status, stale } = checkout;
      if (status !== 'pending') return { checkout, etag, readAgainInMs: msUntilClosed(record, time.now()) };
      if (query.options !== true) view = { capability, capabilityAt: record.capabilityAt, stale, etag };
      return { checkout, etag };
    } finally {
      noteView(view);
    }
  };

  /** Waits for a change of the checkout: a save, or what `readAgainInMs` says. */
  const nextWake = (longPoll: LongPoll, checkoutId: string, readAgainInMs = Infinity): Promise<WakeReason> => {
    if (readAgainInMs > maxWaitSeconds * 1000) return longPoll.next();
    const cancel = clock.schedule(readAgainInMs + timerEarlyMs, () => longPolls.wake(checkoutId));
    return longPoll.next().finally(cancel);
  };

  /** Responds with the checkout after the service was asked, whatever the client already has. */
  const respondToCheck = async (capability: string, query: CheckoutQuery): Promise<Response> => {
    const { checkout } = await loadView(capability, query);
    return respond(checkout, etagOf(checkout));
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
    const heldAt = (etag: string) => (error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return { etag, readAgainInMs: readAgainMs * (1 + random.number()) };
    };
    try {
      let view: CurrentView =
        (longPoll && findUnchanged(capability, query, ifNoneMatch, waitMs)) ??
        (await readView(capability, query, waitMs, longPoll === undefined ? 'look' : 'hold'));
      for (let held = {}; ; held = applied) {
        const { checkout, etag, readAgainInMs } = view;
        if (checkout !== undefined && !matchesEtag(ifNoneMatch, etag)) return respond(checkout, etag, held);
        if (longPoll === undefined || checkout?.status === 'paid')
          return new Response(null, { status: 304, headers: { etag, ...held } });
        const reason = await nextWake(longPoll, checkoutId, readAgainInMs);
        if (isEnd(reason)) return new Response(null, { status: 304, headers: { etag, ...applied } });
        const purpose = reason === 'all' ? 'hold' : 'tell';
        view = await readView(capability, query, waitMs, purpose).catch(heldAt(etag));
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
    const result = await createInvoice({ capability, key, body, address, arrivedAt, signal });
    if ('refused' in result) {
      const { refused, ...facts } = result;
      throw new ProblemError(refused, facts);
    }
    const checkout = await present(result.record, {});
    const etag = etagOf(checkout);
    if (result.hasInvoice) return respond(checkout, etag, {}, result.isNew ? 201 : 200);
    return respond(checkout, etag, retryAfter(result.retryAfterMs ?? inDoubtRetryMs), 202);
  };
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

/** The response with the checkout. */
function respond(
  checkout: Checkout,
  etag: string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Response {
  return Response.json(withQrCode(checkout), { status, headers: { etag, ...headers } });
}

/**
 * The weak validator (ETag) of a checkout. It covers everything that the widget uses, including the poll interval. It does not
 * cover clock values and the service's own status, because their changes have no visible effect, and the QR code, which is that of the
 * link.
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
