/** The address of a checkout under the endpoint that the merchant mounted. */
export function checkoutUrl(endpoint: string, checkout: string): string {
  return `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(checkout)}`;
}

/** The address that requisites are asked from. */
export function invoiceUrl(endpoint: string, checkout: string): string {
  return `${checkoutUrl(endpoint, checkout)}/invoice`;
}

/** The address that the service's notifications are sent to. */
export function hookUrl(endpoint: string, checkout: string, secret: string): string {
  return `${checkoutUrl(endpoint, checkout)}/hook/${encodeURIComponent(secret)}`;
}

/** The longest time that an answer is held back for `Prefer: wait`, in seconds. */
export const maxWaitSeconds = 30;
