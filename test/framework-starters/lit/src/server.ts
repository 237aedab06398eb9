// A merchant's server, which renders pages with the payment methods or the requisites in them.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { html, render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import type { Checkout } from 'pay-invoice/checkout-api';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  toNodeListener,
} from 'pay-invoice/server';
import { payInvoiceTemplate } from 'pay-invoice/ssr';

const server = createServer((request, response) => {
  respond(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const checkouts = createCheckoutServer({
  service: createInvoiceServiceClient({
    baseUrl: process.env['INVOICE_BASE_URL'] ?? 'http://127.0.0.1:8081',
    token: process.env['INVOICE_ACCESS_TOKEN'] ?? 'sandbox-token',
  }),
  store: createMemoryStore(),
  endpoint: `${origin}/checkout`,
  mode: 'TEST',
  onOutcome: async (outcome) => console.log(`Order ${outcome.orderId}: ${outcome.kind}`),
});
checkouts.start();
const listener = toNodeListener(checkouts);
console.log(`Shop ${origin}`);

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', origin);
  if (pathname.startsWith('/checkout/')) return listener(request, response);
  if (request.method === 'POST' && pathname === '/orders') {
    const { capability } = await checkouts.create({
      orderId: randomUUID(),
      amount: '1500.00',
      currency: 'RUB',
      description: 'Tea bowl',
    });
    response.writeHead(303, { location: `/pay/${capability}` }).end();
  } else if (pathname === '/') {
    sendPage(response, '<form method="post" action="/orders"><button>Order a tea bowl</button></form>');
  } else if (pathname.startsWith('/pay/')) {
    const checkoutResponse = await checkouts.handle(new Request(`${origin}/checkout/${pathname.slice(5)}`), {
      address: undefined,
    });
    if (checkoutResponse.status !== 200) return void response.writeHead(checkoutResponse.status).end();
    const initial = (await checkoutResponse.json()) as Checkout;
    const tag = await payInvoiceTemplate({ initial, lang: 'en', theme: 'light' });
    sendPage(
      response,
      await collectResult(
        render(
          html`<p id="message"></p>
            ${tag}`,
        ),
      ),
      '/page.js',
    );
  } else if (/^\/(assets\/)?[\w-]+\.js$/.test(pathname)) {
    const script = await readFile(new URL(`public${pathname}`, import.meta.url));
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
  } else response.writeHead(404).end();
}

function sendPage(response: ServerResponse, body: string, script?: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'no-referrer' });
  response.end(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Pay</title>
    <link rel="icon" href="data:," />
    ${script === undefined ? '' : `<script type="module" src="${script}"></script>`}
  </head>
  <body>${body}</body>
</html>`);
}
