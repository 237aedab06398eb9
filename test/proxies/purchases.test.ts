// A purchase on the pay page, with the built widget, through the proxies that shops put in front of the server.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { findFreePort } from '../example-shops/example-shop.ts';
import { chooseMethod, findHeading, openBrowser, sbp, visit } from '../e2e/visit-page.ts';
import { Buyer } from '../support/buyer.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { until } from '../support/wait-until.ts';
import { apacheFile, nginxFile, skipWithout, startProxy, type ProxyName } from './start-proxy.ts';

const browser = await openBrowser();

/** A read of the checkout by the widget. */
interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Purchase {
  /** The checkout's address. */
  readonly url: string;
  readonly reads: readonly Read[];
}

interface Row {
  readonly title: string;
  readonly program: ProxyName;
  /** The proxy's file: it listens on `port`, and the server on `serverPort`. */
  readonly configure: (port: string, serverPort: string, folder: string) => string;
  /** Runs while the payer waits, before he pays. */
  readonly whileWaiting: (purchase: Purchase) => Promise<void>;
  /** How soon after the payment the payer reads that he has paid, in milliseconds. */
  readonly paidWithinMs: number;
}

const nginx =
  (directives: string) =>
  (port: string, serverPort: string, folder: string): string =>
    nginxFile(
      folder,
      `server {
         listen 127.0.0.1:${port};
         ${directives}
         location / {
           proxy_pass http://127.0.0.1:${serverPort};
           proxy_set_header Host $http_host;
           proxy_set_header X-Forwarded-For $remote_addr;
         }
       }`,
    );

const apache = (port: string, serverPort: string, folder: string): string =>
  apacheFile(port, serverPort, folder, 'AddOutputFilterByType DEFLATE application/json');

const haproxy = (port: string, serverPort: string): string => `
defaults
  mode http
  option http-keep-alive
  option forwardfor
  timeout connect 5s
  timeout client 60s
  timeout server 5s
frontend payers
  bind 127.0.0.1:${port}
  default_backend server
backend server
  server one 127.0.0.1:${serverPort}
`;

/** As the documents say it. */
const varnishRule = /```vcl\n([^`]*)```/.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? assert.fail();
const varnish =
  (rules = '') =>
  (_: string, serverPort: string): string => `
    vcl 4.1;
    backend default { .host = "127.0.0.1"; .port = "${serverPort}"; }
    ${rules}
  `;

/** Reads until the validator that came through the proxy matches, at once and in a long poll. */
const checkCompressed =
  (etagPattern: RegExp) =>
  async ({ url }: Purchase): Promise<void> => {
    const whole = await fetch(url);
    assert.equal(whole.headers.get('content-encoding'), 'gzip');
    const etag = whole.headers.get('etag') ?? '';
    assert.match(etag, etagPattern);
    const headers = { 'if-none-match': etag };
    assert.equal((await fetch(url, { headers })).status, 304);
    const startedAt = performance.now();
    const held = await fetch(url, { headers: { ...headers, prefer: 'wait=1' } });
    assert.ok(held.status === 304 && performance.now() - startedAt >= 990, 'a long poll is not held');
  };

const waitForTwoCuts = ({ reads }: Purchase): Promise<void> =>
  until('two long polls are cut', () => reads.filter(({ status }) => status === 504).length === 2, 60_000);

/** One identifier of Varnish: the answer is for this request alone. With a second one, it comes from the cache. */
const checkUncached = ({ reads }: Purchase): void => {
  assert.ok(reads.length > 0);
  for (const { headers } of reads) assert.match(headers['x-varnish'] ?? '', /^\d+$/);
};

const rows: readonly Row[] = [
  {
    title: 'nginx that compresses JSON, and makes validators weak',
    program: 'nginx',
    configure: nginx('gzip on; gzip_types application/json; gzip_proxied any;'),
    whileWaiting: checkCompressed(/^W\/"/),
    paidWithinMs: 5000,
  },
  {
    title: 'Apache with the site of the documents that compresses JSON, and adds -gzip to validators',
    program: 'apache2',
    configure: apache,
    whileWaiting: checkCompressed(/-gzip"$/),
    paidWithinMs: 5000,
  },
  {
    title: 'nginx that cuts each long poll after 5 s',
    program: 'nginx',
    configure: nginx('proxy_read_timeout 5s;'),
    whileWaiting: waitForTwoCuts,
    paidWithinMs: 7000,
  },
  {
    title: 'HAProxy that cuts each long poll after 5 s',
    program: 'haproxy',
    configure: haproxy,
    whileWaiting: waitForTwoCuts,
    paidWithinMs: 7000,
  },
  {
    title: 'Varnish as it is installed, which forgets If-None-Match and holds nothing',
    program: 'varnish',
    configure: varnish(),
    async whileWaiting(purchase) {
      await until('three reads are answered', () => purchase.reads.length >= 3);
      checkUncached(purchase);
    },
    paidWithinMs: 7000,
  },
  {
    title: 'Varnish with the rule of the documents, which holds long polls',
    program: 'varnish',
    configure: varnish(varnishRule),
    async whileWaiting({ url }) {
      const headers = { 'if-none-match': (await fetch(url)).headers.get('etag') ?? '', prefer: 'wait=1' };
      const held = await fetch(url, { headers });
      assert.deepEqual([held.status, held.headers.get('preference-applied')], [304, 'wait=1']);
    },
    paidWithinMs: 5000,
  },
];

/** Starts the server behind the proxy, and places an order. */
async function placeOrder(
  t: TestContext,
  { program, configure }: Row,
): Promise<{ readonly publicUrl: string; readonly buyer: Buyer; readonly proxyOutput: () => string }> {
  const [port, serverPort] = [await findFreePort(), await findFreePort()];
  const publicUrl = `http://127.0.0.1:${port}`;
  const server = await startStandalone({
    PORT: serverPort,
    OUTCOME_FEED: '1',
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: '1',
  });
  t.after(() => server.close());
  const proxyOutput = await startProxy(t, program, port, (folder) => configure(port, serverPort, folder));
  const buyer = new Buyer(server);
  await buyer.order();
  return { publicUrl, buyer, proxyOutput };
}

/** Records the reads of the checkout, and in `seen` each request of the page with its result and its time. */
function recordRequests(page: Page): { readonly reads: readonly Read[]; readonly seen: readonly string[] } {
  const reads: Read[] = [];
  const seen: string[] = [];
  const note = (request: Request, result: number | string): void => {
    const { pathname } = new URL(request.url());
    seen.push(`${Math.round(performance.now())} ms: ${request.method()} ${pathname} ${result}`);
  };
  page.on('request', (request) => note(request, 'begins'));
  page.on('requestfailed', (request) => note(request, request.failure()?.errorText ?? 'fails'));
  page.on('console', (message) => seen.push(message.text()));
  page.on('response', (response) => {
    note(response.request(), response.status());
    if (response.request().method() !== 'GET' || !response.url().includes('/checkout/')) return;
    reads.push({ status: response.status(), headers: response.headers() });
  });
  return { reads, seen };
}

async function buyThrough(
  row: Row,
  { publicUrl, buyer }: { readonly publicUrl: string; readonly buyer: Buyer },
  page: Page,
  reads: readonly Read[],
): Promise<number> {
  const widget = page.locator('pay-invoice');
  await page.goto(`${publicUrl}/pay/${buyer.checkoutId}`);
  await chooseMethod(widget, sbp);
  await widget.getByRole('img', { name: 'QR code to pay' }).waitFor();
  await row.whileWaiting({ url: `${publicUrl}/checkout/${buyer.checkoutId}`, reads });
  const { invoice } = await buyer.readCheckout();
  const paidAt = performance.now();
  await buyer.simulate(invoice?.id ?? '', 'pay');
  await findHeading(widget, 'Payment received').waitFor({ timeout: row.paidWithinMs });
  return performance.now() - paidAt;
}

describe('a purchase through a proxy', { timeout: 600_000 }, () => {
  for (const row of rows)
    it(row.title, { skip: skipWithout(row.program) }, async (t) => {
      const order = await placeOrder(t, row);
      const { page, widget } = await visit(browser, 'about:blank');
      const { reads, seen } = recordRequests(page);
      try {
        const paidAfterMs = await buyThrough(row, order, page, reads);
        t.diagnostic(`paid after ${Math.round(paidAfterMs)} ms`);
        assert.ok(reads.every(({ status }) => [200, 304, 504].includes(status)));
      } catch (error) {
        const shown = await widget.ariaSnapshot().catch(String);
        t.diagnostic([`at ${Math.round(performance.now())} ms:`, shown, ...seen, order.proxyOutput()].join('\n'));
        throw error;
      }
    });
});
