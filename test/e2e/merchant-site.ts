// A merchant's site for tests of the built widget: pages with any markup and headers, and a backend that shows one checkout.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from '../mounts/listen.ts';
import { makeInvoice, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';

const link =
  'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=150000&cur=RUB&crc=AB75';
// A long poll interval, so that no poll is counted.
export const openCheckout = makeOpenCheckout({ id: 'co_site', options: [sbpOption], poll_after_ms: 60_000 });
export const waitingCheckout = {
  ...openCheckout,
  status: 'pending',
  invoice: makeInvoice({ nspk_url: link, card: { card_number: '2200700112345672' } }),
};

/** The tag, and the script that defines it. */
export const tag = '<pay-invoice lang="ru" checkout="chk_site"></pay-invoice>';
export const script = '<script type="module" src="/pay-invoice.js"></script>';

export interface MerchantSite {
  readonly url: string;
  /** The requests for everything but pages, as `METHOD path`. */
  readonly requests: string[];
  /** The backend's response to a read. */
  checkout: unknown;
  /** Adds a page, and returns its address. */
  readonly addPage: (markup: string, headers?: Readonly<Record<string, string>>) => string;
  readonly addScript: (path: string, code: string) => void;
  readonly close: () => Promise<void>;
}

export async function startMerchantSite(): Promise<MerchantSite> {
  const pages = new Map<string, { markup: string; headers: Readonly<Record<string, string>> }>();
  const scripts = new Map<string, string>();
  const server = createServer(({ url = '/', method = '' }, response) => {
    const page = pages.get(url);
    response.setHeader('cache-control', 'no-store');
    if (page) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers });
      response.end(`<!doctype html><html lang="ru"><link rel="icon" href="/icon.svg" />${page.markup}`);
      return;
    }
    site.requests.push(`${method} ${url}`);
    if (url.startsWith('/checkout/')) {
      if (method === 'POST') site.checkout = waitingCheckout;
      response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json', etag: '"1"' });
      response.end(JSON.stringify(site.checkout));
      return;
    }
    const file = `dist/cdn${url.replace(/\?.*/, '')}`;
    const code = scripts.get(url) ?? (existsSync(file) ? readFileSync(file) : undefined);
    if (code === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' }).end(code);
  });
  const { endpoint: url, close } = await listen(server, '');
  const site: MerchantSite = {
    url,
    requests: [],
    checkout: openCheckout,
    addPage(markup, headers = {}) {
      const path = `/page-${pages.size}`;
      pages.set(path, { markup, headers });
      return url + path;
    },
    addScript: (path, code) => scripts.set(path, code),
    close,
  };
  return site;
}
