import { createInvoiceBody } from '../../checkout-api.ts';
import type { CreateInvoice } from '../commands/create-invoice.ts';
import { findCheckout } from '../commands/update-checkout.ts';
import type { ServerContext } from '../server-context.ts';
import { type CheckoutPresenter, etagOf } from './present-checkout.ts';
import { ProblemError, retryAfter } from './responses.ts';
import { checkoutIdOf, isSameSecret } from '../domain/identifiers.ts';
import type { StatusPoller } from '../workers/invoice-status-poller.ts';
import { issueText } from '../../base/zod-issue-text.ts';
import { readJsonBody, readRequestBody } from '../../base/read-limited-body.ts';

/** Handles `POST {endpoint}/{checkout}/invoice`. */
export type CreateInvoiceHandler = (
  capability: string,
  request: Request,
  address: string | undefined,
) => Promise<Response>;

/** `Retry-After` of a 202: the widget repeats its request after this time. */
const inDoubtRetryMs = 2000;

export function createCreateInvoiceHandler(
  context: ServerContext,
  createInvoice: CreateInvoice,
  presenter: CheckoutPresenter,
): CreateInvoiceHandler {
  return async (capability, request, address) => {
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
    const checkout = await presenter.present(result.record, {});
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
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  const detail = 'idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID';
  throw new ProblemError('invalid_request', { detail });
}

/** What a webhook's address names: an order, or a capability. */
export type WebhookTarget = { readonly orderId: string } | { readonly capability: string };

/**
 * Handles `POST {endpoint}/{checkout}/hook/{secret}`, and POST to the address of `webhookUrl`. The body is ignored: the request
 * only expedites a fetch.
 */
export type ReceiveWebhookHandler = (target: WebhookTarget, secret: string, request: Request) => Promise<Response>;

export function createReceiveWebhookHandler(
  context: ServerContext,
  statusPoller: Pick<StatusPoller, 'expediteNow'>,
): ReceiveWebhookHandler {
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
