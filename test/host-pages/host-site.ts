// A shop's site for pages that are not made for the widget: the built widget, and a backend with a checkout for each page.
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Checkout, CheckoutInvoice } from '../../src/checkout-api.ts';
import { links, makeEndedCheckout, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { encodeQr } from '../../src/base/qr-encoder.ts';
import { listen } from '../mounts/listen.ts';
import { cardOption, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';

/** A file of a package of this folder, which `npm ci` in it installs. */
export const fieldFile = (path: string): string => readFileSync(`test/host-pages/node_modules/${path}`, 'utf8');

/** The address in the QR. */
export const payAddress = links.nspk_url;

/** A page of a shop; `{widget}` stands for the widget's tag. */
export interface HostPage {
  /** Markup before the body. */
  readonly head?: string;
  readonly body: string;
  /** More attributes of the tag. */
  readonly attributes?: string;
  /** What there is to pay to; by default SBP with a QR. */
  readonly payTo?: Partial<CheckoutInvoice>;
}

export interface HostSite {
  readonly url: string;
  /** Adds a page with a new checkout. Returns its address. */
  readonly addPage: (page: HostPage) => string;
  /** The payment of a page's checkout arrives. */
  readonly pay: (pageUrl: string) => void;
  readonly close: () => Promise<void>;
}

const sendCheckout = (response: ServerResponse, status: number, checkout: Checkout): void => {
  response.writeHead(status, { 'content-type': 'application/json', etag: `"${checkout.status}"` });
  response.end(JSON.stringify(checkout));
};

export async function startHostSite(): Promise<HostSite> {
  const pages: HostPage[] = [];
  const checkouts = new Map<string, Checkout>();

  const answerPage = (number: number, response: ServerResponse): void => {
    const page = pages[number];
    const id = `chk_page_${number}`;
    // A page that is loaded again shows the same checkout.
    if (!checkouts.has(id))
      checkouts.set(id, makeOpenCheckout({ id, options: [sbpOption, cardOption], poll_after_ms: 1000 }));
    const tag = `<pay-invoice lang="en" checkout="${id}"${page?.attributes ?? ''}></pay-invoice>`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width">
      <link rel="icon" href="data:,">
      <script>document.addEventListener('pay-invoice-paid', () => { globalThis.heardPaid = true })</script>${page?.head ?? ''}</head>
      <body>${page?.body.replace('{widget}', tag)}<script type="module" src="/pay-invoice.js"></script></body></html>`);
  };

  const answerApi = (id: string, checkout: Checkout, method: string | undefined, response: ServerResponse): void => {
    const { payTo = { ...sbp, ...links, qr: encodeQr(payAddress) } } = pages[Number(id.replace('chk_page_', ''))] ?? {};
    const pending = { ...makePendingCheckout(payTo), id, poll_after_ms: 1000 };
    if (method === 'POST') checkouts.set(id, pending);
    sendCheckout(response, method === 'POST' ? 201 : 200, method === 'POST' ? pending : checkout);
  };

  const answer = ({ method, url = '/' }: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('cache-control', 'no-store');
    const [, number] = /^\/page-(\d+)$/.exec(url) ?? [];
    const [, id = ''] = /^\/checkout\/(\w+)/.exec(url) ?? [];
    const checkout = checkouts.get(id);
    const file = `dist/cdn${url.replace(/\?.*/, '')}`;
    if (number !== undefined) answerPage(Number(number), response);
    else if (checkout !== undefined) answerApi(id, checkout, method, response);
    else if (!existsSync(file)) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(file));
  };

  const { endpoint: url, close } = await listen(createServer(answer), '');
  return {
    url,
    addPage: (page) => `${url}/page-${pages.push(page) - 1}`,
    pay(pageUrl) {
      const id = pageUrl.replace(/^.*page-/, 'chk_page_');
      checkouts.set(id, { ...makeEndedCheckout('paid'), id, poll_after_ms: 1000 });
    },
    close,
  };
}
