import { pathWithoutSecret, type Product, type RequestFacts, type ShopServer } from './shop-server-interface.ts';

async function fetchJson<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, init);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return (await response.json()) as T;
}

/** The shop's server over HTTP, as `npm start` runs it. */
export async function connectShop(): Promise<ShopServer> {
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
    transportOf: () => undefined,
    control: sandbox === null ? null : (method, path, body) => controlSandbox(sandbox, method, path, body),
    watchRequests,
  };
}

async function controlSandbox(sandbox: string, method: string, path: string, body?: unknown): Promise<boolean> {
  const init =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${sandbox}/sandbox/${path}`, { method, ...init }).catch(() => undefined);
  return response?.ok === true;
}

/** Reports the browser's own measurements of requests. They lack the HTTP method, which is derived from the path. */
function watchRequests(listener: (request: RequestFacts) => void): void {
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
