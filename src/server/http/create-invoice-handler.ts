import { createInvoiceBody } from '../../checkout-api.ts';
import type { CreateInvoice } from '../commands/create-invoice.ts';
import { findCheckout, withStoreTimeout } from '../commands/update-checkout.ts';
import type { ServerContext } from '../server-context.ts';
import { etagOf } from './conditional-request.ts';
import { readJson } from './read-json-request.ts';
import type { CheckoutPresenter } from './response-with-payment-options.ts';
import { ProblemError, retryAfter, jsonResponse, type CheckoutResponse } from './responses.ts';

/** Handles `POST {endpoint}/{checkout}/invoice`. */
export type CreateInvoiceHandler = (
  capability: string,
  request: Request,
  address: string | undefined,
) => Promise<CheckoutResponse>;

/** `Retry-After` of a 202: the widget repeats its request after this time. */
const inDoubtRetryMs = 2000;
/** How long a request whose body is wrong waits for the store. */
const storeTimeoutMs = 3000;

export function createCreateInvoiceHandler(
  context: ServerContext,
  createInvoice: CreateInvoice,
  presenter: CheckoutPresenter,
): CreateInvoiceHandler {
  return async (capability, request, address) => {
    const arrivedAt = context.time.now();
    const parse = async () => {
      // The body is read first, also when the key is missing: the connection stays usable.
      const body = readJson(context, request, createInvoiceBody);
      await body.catch(() => undefined);
      return { key: readIdempotencyKey(request), body: await body };
    };
    const { key, body } = await parse().catch(async (error: unknown) => {
      // A 404 has priority over an error of the request.
      const store = withStoreTimeout(context.store, context.clock, storeTimeoutMs);
      if ((await findCheckout({ ...context, store }, capability)) === undefined) throw new ProblemError('not_found');
      throw error;
    });
    const { signal } = request;
    const result = await createInvoice({ capability, key, body, address, arrivedAt, signal });
    if ('refused' in result) {
      const { refused, ...facts } = result;
      throw new ProblemError(refused, facts);
    }
    const checkout = await presenter.present(result.record, {});
    const headers = { etag: etagOf(checkout) };
    if (result.hasInvoice) return jsonResponse(checkout, result.isNew ? 201 : 200, headers);
    const retryHeader = retryAfter(result.retryAfterMs ?? inDoubtRetryMs);
    return jsonResponse(checkout, 202, { ...headers, ...retryHeader });
  };
}

/** The idempotency key of a request. @throws ProblemError `invalid_request` when it is missing or malformed. */
export function readIdempotencyKey(request: Request): string {
  const key = request.headers.get('idempotency-key') ?? '';
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  const detail = 'idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID';
  throw new ProblemError('invalid_request', { detail });
}
