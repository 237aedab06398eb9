import { ProblemError, type CheckoutResponse } from './responses.ts';
import type { ServerContext } from '../server-context.ts';
import { checkoutIdOf, isSameSecret } from '../domain/identifiers.ts';
import { discardBody } from './read-json-request.ts';
import type { StatusPoller } from '../workers/invoice-status-poller.ts';

/** What a webhook's address names: an order, or a capability. */
export type WebhookTarget = { readonly orderId: string } | { readonly capability: string };

/** Matches the end of the path of `webhookUrl`. */
export const webhookPath = /\/hook\/([A-Za-z0-9_-]{1,1100})\/([A-Za-z0-9_-]{10,100})$/;

/** The `hook_url` of an order's invoices. It contains a separate secret instead of the payer's capability. */
export function webhookUrl(endpoint: string, orderId: string, secret: string): string {
  return `${endpoint.replace(/\/+$/, '')}/hook/${toBase64Url(orderId)}/${secret}`;
}

/** Decodes the order's identifier in the path of `webhookUrl`. Returns an empty text when the input is not base64url. */
export function orderIdOf(text: string): string {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return '';
  }
}

function toBase64Url(text: string): string {
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

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
