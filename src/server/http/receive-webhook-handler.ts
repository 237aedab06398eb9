import { ProblemError, type CheckoutResponse } from './responses.ts';
import type { ServerContext } from '../server-context.ts';
import { checkoutIdOf, isSameSecret } from '../domain/identifiers.ts';
import { discardBody } from './read-json-request.ts';
import type { StatusPoller } from '../workers/invoice-status-poller.ts';

/** What a webhook's address names: an order, or a capability. */
export type WebhookTarget = { readonly orderId: string } | { readonly capability: string };

/**
 * Handles `POST {endpoint}/{checkout}/hook/{secret}`, and POST to the address of `webhookUrl`. The body is ignored: the request
 * only expedites a fetch.
 */
export type ReceiveWebhookHandler = (
  target: WebhookTarget,
  secret: string,
  request: Request,
) => Promise<CheckoutResponse>;

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
    await discardBody(context, request);
    if (record === undefined || !isAuthentic) throw new ProblemError('not_found');
    return { status: 204, headers: {} };
  };
}
