// How the built standalone file loads its parts, seen from a server: which requests, how often, in which order.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { makeInvoice, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { until } from '../support/wait-until.ts';

const folder = 'dist/cdn';
const fileOf = (part: string): string =>
  readdirSync(folder).find((name) => name.startsWith(part) && name.endsWith('.js')) ?? '';
const payment = `/${fileOf('pay-invoice.payment')}`;
const qr = `/${fileOf('pay-invoice.qr')}`;

const id = 'chk_loading';
// A long poll interval, so that no poll is counted.
const open = makeOpenCheckout({ id, options: [sbpOption], poll_after_ms: 60_000 });
const link =
  'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=150000&cur=RUB&crc=AB75';
const waiting = { ...open, status: 'pending', invoice: makeInvoice({ nspk_url: link }) };
const tag = `<pay-invoice lang="ru" checkout="${id}"></pay-invoice>`;
const script = '<script type="module" src="/pay-invoice.js"></script>';

/** The events of the element on the page, in their order. */
declare const recorded: string[];
const recordEvents = `<script>
  const recorded = [];
  for (const name of ['ready', 'error']) addEventListener('pay-invoice-' + name, () => recorded.push(name));
</script>`;

interface Site {
  /** The paths of the requests for everything but the page, in their order. */
  readonly requests: string[];
  /** Answers the requests for a path, in place of the file or the checkout. */
  readonly answers: Map<string, (response: ServerResponse) => void>;
  page: string;
  url: string;
  checkout: unknown;
  readonly close: () => void;
}

async function startSite(): Promise<Site> {
  const site: Site = {
    requests: [],
    answers: new Map(),
    page: '',
    url: '',
    checkout: open,
    close: () => server.close(),
  };
  const send = (response: ServerResponse, type: string, body: string | Buffer): void => {
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  };
  const server = createServer(({ url = '/', method }, response) => {
    if (url === '/') {
      send(response, 'text/html', `<!doctype html><html lang="ru"><link rel="icon" href="data:," />${site.page}`);
      return;
    }
    site.requests.push(url);
    const path = url.replace(/\?.*/, '');
    const answer = site.answers.get(url) ?? site.answers.get(path);
    if (answer) answer(response);
    else if (path.startsWith('/checkout')) {
      if (method === 'POST') site.checkout = waiting;
      send(response, 'application/json', JSON.stringify(site.checkout));
    } else send(response, 'text/javascript', readFileSync(folder + path));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return site;
}

describe('the standalone file', { timeout: 300_000 }, () => {
  let browser: Browser;
  let site: Site;
  let page: Page;
  const complaints: string[] = [];

  before(async () => {
    [browser, site] = await Promise.all([launchChromium(), startSite()]);
  });
  after(async () => {
    await browser.close();
    site.close();
  });

  /** Opens a page with this markup, in a tab of its own. */
  async function visit(markup: string, checkout: unknown = open): Promise<void> {
    complaints.length = site.requests.length = 0;
    Object.assign(site, { page: markup, checkout });
    page = await browser.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(site.url);
  }

  const count = (path: string): number => site.requests.filter((url) => url.split('?')[0] === path).length;

  it('requests the checkout first and the payment screens right after it, each once, and the encoder after the options', async () => {
    await visit(script + tag);
    await page.locator('[part=method]').waitFor();
    await page.waitForFunction(
      (path) => performance.getEntriesByType('resource').some(({ name }) => name.endsWith(path)),
      qr,
    );
    // The two chunks may come over two connections.
    assert.deepEqual(site.requests.slice(0, 2), ['/pay-invoice.js', `/checkout/${id}`]);
    assert.deepEqual(site.requests.slice(2).sort(), [payment, qr].sort());
    await page.locator('[part=continue]').click();
    await page.locator('svg[part=qr]').waitFor();
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('requests the encoder at once after a reload of a page on which an invoice waited', async () => {
    await visit(script + tag, waiting);
    await page.locator('svg[part=qr]').waitFor();
    site.requests.length = 0;
    let answer: () => void = () => undefined;
    site.answers.set(`/checkout/${id}`, (response) => {
      answer = () => response.end(JSON.stringify(waiting));
    });
    const encoder = page.waitForRequest((request) => request.url().endsWith(qr));
    await page.reload({ waitUntil: 'commit' });
    await encoder;
    site.answers.clear();
    answer();
    await page.locator('svg[part=qr]').waitFor();
    assert.equal(count(qr), 1);
    await page.close();
  });

  it('requests the encoder before the payment screens where the page has an invoice that waits', async () => {
    const json = `<script type="application/json">${JSON.stringify(waiting)}</script>`;
    await visit(script + tag.replace('</pay-invoice>', `${json}</pay-invoice>`), waiting);
    await page.locator('svg[part=qr]').waitFor();
    assert.deepEqual(site.requests.slice(0, 3), ['/pay-invoice.js', qr, payment]);
    await page.close();
  });

  it('is not loaded again by its payment screens, whatever its own address is', async () => {
    for (const address of ['/pay-invoice.js?v=1', '/latest/pay-invoice.js']) {
      site.answers.set('/latest/pay-invoice.js', (response) =>
        response.writeHead(302, { location: '/pay-invoice.js' }).end(),
      );
      await visit(`<script type="module" src="${address}"></script>${tag}`);
      await page.locator('[part=continue]').click();
      await page.locator('svg[part=qr]').waitFor();
      assert.equal(count('/pay-invoice.js'), 1, address);
      assert.deepEqual(complaints, []);
      await page.close();
    }
    site.answers.clear();
  });

  it('uses a preload of the checkout, and does not request it again', async () => {
    await visit(`<link rel="preload" as="fetch" crossorigin href="/checkout/${id}" />${script}${tag}`);
    await page.locator('[part=method]').waitFor();
    await page.waitForFunction(
      (path) => performance.getEntriesByType('resource').some(({ name }) => name.endsWith(path)),
      qr,
    );
    assert.equal(count(`/checkout/${id}`), 1);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('shows progress after a click until the payment screens are loaded, and then gets the invoice', async () => {
    let send: () => void = () => undefined;
    site.answers.set(payment, (response) => {
      send = () => response.setHeader('content-type', 'text/javascript').end(readFileSync(folder + payment));
    });
    await visit(script + tag);
    await page.locator('[part=continue]').click();
    await page.getByRole('heading', { name: 'Готовим реквизиты' }).waitFor();
    assert.equal(count(`/checkout/${id}/invoice`), 0);
    send();
    await page.locator('svg[part=qr]').waitFor();
    assert.equal(count(`/checkout/${id}/invoice`), 1);
    site.answers.clear();
    await page.close();
  });

  for (const [where, importMap] of [
    ['a page', ''],
    ['a page with an import map', '<script type="importmap">{"imports":{"a":"/a.js"}}</script>'],
  ] as const)
    it(`loads payment screens that failed to load once more under another address on ${where}`, async () => {
      let requests = 0;
      site.answers.set(payment, (response) => {
        requests += 1;
        if (requests === 1) response.writeHead(503).end();
        else response.setHeader('content-type', 'text/javascript').end(readFileSync(folder + payment));
      });
      await visit(importMap + script + tag, waiting);
      await page.locator('svg[part=qr]').waitFor();
      assert.equal(requests, 2);
      site.answers.clear();
      await page.close();
    });

  it('loads an encoder that failed to load again after some seconds, and reports that once', async () => {
    site.answers.set(qr, (response) => response.writeHead(503).end());
    await visit(recordEvents + tag, waiting);
    await page.clock.install();
    await page.addScriptTag({ type: 'module', url: '/pay-invoice.js' });
    await page.waitForFunction(() => recorded.includes('error'));
    for (const failures of [4, 6]) {
      await page.clock.fastForward(5000);
      await until('the encoder is loaded again', () => count(qr) === failures);
    }
    site.answers.clear();
    await page.clock.fastForward(5000);
    await page.locator('svg[part=qr]').waitFor();
    assert.equal((await page.evaluate(() => recorded)).filter((name) => name === 'error').length, 1);
    await page.close();
  });

  it('is not ready while an open checkout has no options', async () => {
    let send: () => void = () => undefined;
    site.answers.set(payment, (response) => {
      send = () => response.setHeader('content-type', 'text/javascript').end(readFileSync(folder + payment));
    });
    await visit(recordEvents + script + tag, { ...open, options: [] });
    await page.getByRole('strong').getByText('Для этой суммы нет способов оплаты').waitFor();
    assert.deepEqual(await page.evaluate(() => recorded), []);
    site.checkout = open;
    send();
    await page.getByText('Попробовать снова').click();
    await page.waitForFunction(() => recorded.includes('ready'));
    site.answers.clear();
    await page.close();
  });

  it('reports and announces that neither the checkout nor the payment screens can be loaded', async () => {
    site.answers.set(payment, (response) => response.writeHead(503).end());
    site.answers.set(`/checkout/${id}`, (response) => response.writeHead(503).end());
    await visit(recordEvents + script + tag);
    await page.waitForFunction(() => recorded.includes('error'));
    await page.getByRole('status').getByText('Нет связи').waitFor();
    site.answers.clear();
    await page.close();
  });

  it('reads the checkout inside a tag that the parser has not finished when the element is connected', async () => {
    site.answers.set(`/checkout/${id}`, () => undefined);
    const json = `<script type="application/json">${JSON.stringify(open)}</script>`;
    await visit(
      `<script src="/${fileOf('pay-invoice.iife')}"></script>${tag.replace('</pay-invoice>', `${json}</pay-invoice>`)}`,
    );
    await page.locator('[part=method]').waitFor();
    site.answers.clear();
    await page.close();
  });

  it('is announced by the documented snippet: each file and the checkout are requested once, with their hashes', async () => {
    const snippet = readFileSync(`${folder}/snippet.html`, 'utf8').replaceAll('CHECKOUT', id);
    await visit(snippet, waiting);
    await page.locator('svg[part=qr]').waitFor();
    for (const path of ['/pay-invoice.js', payment, qr, `/checkout/${id}`]) assert.equal(count(path), 1, path);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('does not run a file whose hash differs from the one in the snippet', async () => {
    site.answers.set(payment, (response) => {
      const text = readFileSync(folder + payment, 'utf8');
      response.setHeader('content-type', 'text/javascript').end(`globalThis.changed = true;${text}`);
    });
    await visit(readFileSync(`${folder}/snippet.html`, 'utf8').replaceAll('CHECKOUT', id), waiting);
    await page.getByRole('heading', { name: 'Нет связи' }).waitFor();
    assert.equal(await page.evaluate(() => 'changed' in globalThis), false);
    site.answers.clear();
    await page.close();
  });
});
