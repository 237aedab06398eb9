import { withoutEndSlashes } from '../base/addresses.ts';
/** The URL of a checkout. `endpoint` is where the merchant's backend serves the checkout API. */
export function checkoutUrl(endpoint: string, checkout: string): string {
  return `${withoutEndSlashes(endpoint)}/${encodeURIComponent(checkout)}`;
}

/** The URL to which a create request for an invoice is sent. */
export function invoiceUrl(endpoint: string, checkout: string): string {
  return `${checkoutUrl(endpoint, checkout)}/invoice`;
}

/** The URL to which the invoice service sends the webhooks of a checkout. */
export function hookUrl(endpoint: string, checkout: string, secret: string): string {
  return `${checkoutUrl(endpoint, checkout)}/hook/${encodeURIComponent(secret)}`;
}

/** The longest wait of a long poll (`Prefer: wait`), in seconds. */
export const maxWaitSeconds = 30;
