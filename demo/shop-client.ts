// The shop's server over HTTP, as `npm start` runs it.

/** A product of the shop's catalogue: the price is a decimal string in roubles, the picture the name of a drawing. */
export interface Product {
  readonly sku: string;
  readonly name: { readonly ru: string; readonly en: string };
  readonly price: string;
  readonly picture: string;
}

/** A line of a cart. It has no price: the server uses the catalogue's. */
interface CartItem {
  readonly sku: string;
  readonly quantity: number;
}

/** An order as the shop's server returns it. */
export interface Order {
  readonly order_id: string;
  readonly status: 'new' | 'paid';
  /** Payments that a person at the shop has to check. */
  readonly other_payments?: readonly { readonly kind: string; readonly mode: string; readonly amount: string }[];
}

/** The response to a placed order: the order's id, and the capability of its checkout. */
export interface PlacedOrder {
  readonly order_id: string;
  readonly checkout: string;
}

/** A request that the page made, and its response. */
export interface RequestFacts {
  readonly method: string;
  /** The path without the capability, such as `/checkout/…/invoice`. */
  readonly path: string;
  /** The HTTP status; 0 when there was no response, undefined where the browser does not tell. */
  readonly status: number | undefined;
  /** In ms of `performance.now()`. */
  readonly start: number;
  /** In ms. */
  readonly duration: number;
}

/** What the shop's page needs from the shop's server. */
export interface Shop {
  /** The text that says whether money moves. */
  readonly lead: 'lead' | 'leadTest' | 'leadLive';
  readonly products: readonly Product[];
  placeOrder(items: readonly CartItem[]): Promise<PlacedOrder>;
  fetchOrder(orderId: string): Promise<Order>;
  /** Sends a request to the sandbox's control API. Resolves with whether it succeeded. null where there is no sandbox. */
  readonly control: ((method: string, path: string, body?: unknown) => Promise<boolean>) | null;
}

async function fetchJson<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, init);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return (await response.json()) as T;
}

/** Connects to the shop's server. Rejects where there is none. */
export async function connectShop(): Promise<Shop> {
  const [{ products }, { sandbox, test }] = await Promise.all([
    fetchJson<{ products: readonly Product[] }>('/shop/products'),
    fetchJson<{ sandbox: string | null; test: boolean }>('/config.json'),
  ]);
  return {
    products,
    lead: sandbox !== null ? 'lead' : test ? 'leadTest' : 'leadLive',
    placeOrder: (items) =>
      fetchJson('/shop/orders', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ items }),
      }),
    fetchOrder: (orderId) => fetchJson(`/shop/orders/${encodeURIComponent(orderId)}`),
    control: sandbox === null ? null : (method, path, body) => controlSandbox(sandbox, method, path, body),
  };
}

async function controlSandbox(sandbox: string, method: string, path: string, body?: unknown): Promise<boolean> {
  const init =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${sandbox}/sandbox/${path}`, { method, ...init }).catch(() => undefined);
  return response?.ok === true;
}

/**
 * Calls back for each request that the page makes to the shop's server, with the browser's own measurements. They lack the HTTP
 * method, which is derived from the path.
 */
export function watchRequests(listener: (request: RequestFacts) => void): void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!(entry instanceof PerformanceResourceTiming) || !entry.name.startsWith(`${location.origin}/`)) continue;
      const path = pathWithoutSecret(entry.name);
      if (!/^\/(?:checkout|shop)\//.test(path)) continue;
      const { startTime: start, duration } = entry;
      const status = 'responseStatus' in entry ? entry.responseStatus : undefined;
      listener({ method: /\/(?:invoice|orders)$/.test(path) ? 'POST' : 'GET', path, status, start, duration });
    }
  });
  observer.observe({ type: 'resource', buffered: true });
}

/** The path and query of a URL, without the capability in it. */
function pathWithoutSecret(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.replace(/\/chk_[\w-]+/, '/…') + search;
}
