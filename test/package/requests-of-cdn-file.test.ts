// Tests which requests the built standalone file sends for its parts, how often and in which order.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { qrCodeOf } from '../../src/server/domain/qr-codes.ts';
import { listen } from '../mounts/listen.ts';
import { makeInvoice, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { until } from '../support/wait-until.ts';

const folder = 'dist/cdn';
const fileOf = (part: string): string =>
  readdirSync(folder).find((name) => name.startsWith(part) && name.endsWith('.js')) ?? '';
const secondPath = `/${fileOf('pay-invoice.payment')}`;
const qrPath = `/${fileOf('pay-invoice.qr')}`;

const id = 'chk_loading';
// A long poll interval, so that no poll is counted.
const openCheckout = makeOpenCheckout({ id, options: [sbpOption], poll_after_ms: 60_000 });
const link =
  'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=150000&cur=RUB&crc=AB75';
/** An invoice whose QR code the widget has to encode, and one with the code, as our backend sends it. */
const codelessCheckout = { ...openCheckout, status: 'pending', invoice: makeInvoice({ nspk_url: link }) };
const waitingCheckout = { ...codelessCheckout, invoice: makeInvoice({ nspk_url: link, qr: qrCodeOf(link) }) };
const tag = `<pay-invoice lang="ru" checkout="${id}"></pay-invoice>`;
const script = '<script type="module" src="/pay-invoice.js"></script>';

/** The element's events that the page has recorded, in their order. */
declare const recorded: string[];
const recordEvents = `<script>
  const recorded = [];
  for (const name of ['ready', 'error']) addEventListener('pay-invoice-' + name, () => recorded.push(name));
</script>`;

async function startSite() {
  const site = {
    /** The paths of the requests for everything but the page, in their order. */
    requests: new Array<string>(),
    /** Functions that respond to the requests for a path, instead of the file or the checkout. */
    responders: new Map<string, (response: ServerResponse) => void>(),
    page: '',
    checkout: openCheckout as unknown,
  };
  const sendResponse = (response: ServerResponse, type: string, body: string | Buffer): void => {
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  };
  const server = createServer(({ url = '/', method }, response) => {
    if (url === '/') {
      sendResponse(
        response,
        'text/html',
        `<!doctype html><html lang="ru"><link rel="icon" href="data:," />${site.page}`,
      );
      return;
    }
    site.requests.push(url);
    const path = url.replace(/\?.*/, '');
    const respond = site.responders.get(url) ?? site.responders.get(path);
    if (respond) respond(response);
    else if (path.startsWith('/checkout')) {
      if (method === 'POST') site.checkout = waitingCheckout;
      sendResponse(response, 'application/json', JSON.stringify(site.checkout));
    } else sendResponse(response, 'text/javascript', readFileSync(folder + path));
  });
  const { endpoint: url, close } = await listen(server, '/');
  return Object.assign(site, { url, close });
}

describe('the standalone file', { timeout: 300_000 }, () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof startSite>>;
  let page: Page;
  const browserErrors: string[] = [];

  before(async () => {
    [browser, site] = await Promise.all([launchChromium(), startSite()]);
  });
  afterEach(() => {
    site.responders.clear();
    return page.close();
  });
  after(async () => {
    await browser.close();
    await site.close();
  });

  /** Opens a page with this markup, in a tab of its own. */
  async function openPage(markup: string, checkout: unknown = openCheckout): Promise<void> {
    browserErrors.length = site.requests.length = 0;
    Object.assign(site, { page: markup, checkout });
    page = await browser.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) browserErrors.push(message.text());
    });
    page.on('pageerror', (error) => browserErrors.push(String(error)));
    await page.goto(site.url);
  }

  const countRequests = (path: string): number => site.requests.filter((url) => url.split('?')[0] === path).length;

  it('requests the checkout first, then the second file, each once, and no encoder where the QR comes with the answer', async () => {
    await openPage(script + tag);
    await page.locator('[part=continue]').click();
    await page.locator('canvas[part=qr]').waitFor();
    await page.locator('[part=requisites]').waitFor();
    const paths = ['/pay-invoice.js', `/checkout/${id}`, secondPath, `/checkout/${id}/invoice`];
    assert.deepEqual(site.requests, paths);
    assert.deepEqual(browserErrors, []);
  });

  it('requests the encoder once where an answer has no QR', async () => {
    await openPage(script + tag, codelessCheckout);
    await page.locator('canvas[part=qr]').waitFor();
    assert.equal(countRequests(qrPath), 1);
    assert.deepEqual(browserErrors, []);
  });

  it('is requested once, whatever its address is, although its second file imports it', async () => {
    for (const address of ['/pay-invoice.js?v=1', '/latest/pay-invoice.js']) {
      site.responders.set('/latest/pay-invoice.js', (response) =>
        response.writeHead(302, { location: '/pay-invoice.js' }).end(),
      );
      await openPage(`<script type="module" src="${address}"></script>${tag}`);
      await page.locator('[part=continue]').click();
      await page.locator('canvas[part=qr]').waitFor();
      assert.equal(countRequests('/pay-invoice.js'), 1, address);
      assert.deepEqual(browserErrors, []);
      await page.close();
    }
  });

  it('uses a preload of the checkout, and sends no second request for it', async () => {
    await openPage(`<link rel="preload" as="fetch" crossorigin href="/checkout/${id}" />${script}${tag}`);
    await page.locator('[part=method]').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(countRequests(`/checkout/${id}`), 1);
    assert.deepEqual(browserErrors, []);
  });

  for (const [pageKind, importMap] of [
    ['a page', ''],
    ['a page with an import map', '<script type="importmap">{"imports":{"a":"/a.js"}}</script>'],
  ] as const)
    it(`requests a second file that failed to load again, under another address, on ${pageKind}`, async () => {
      let requests = 0;
      site.responders.set(secondPath, (response) => {
        requests += 1;
        if (requests === 1) response.writeHead(503).end();
        else response.setHeader('content-type', 'text/javascript').end(readFileSync(folder + secondPath));
      });
      await openPage(importMap + script + tag, waitingCheckout);
      await page.locator('[part=requisites]').waitFor();
      assert.equal(requests, 2);
    });

  it('retries every few seconds to load an encoder that failed to load, and reports the failure once', async () => {
    site.responders.set(qrPath, (response) => response.writeHead(503).end());
    await openPage(recordEvents + tag, codelessCheckout);
    await page.clock.install();
    await page.addScriptTag({ type: 'module', url: '/pay-invoice.js' });
    await page.waitForFunction(() => recorded.includes('error'));
    for (const failures of [4, 6]) {
      await page.clock.fastForward(5000);
      await until('the encoder is loaded again', () => countRequests(qrPath) === failures);
    }
    site.responders.clear();
    await page.clock.fastForward(5000);
    await page.locator('canvas[part=qr]').waitFor();
    assert.equal((await page.evaluate(() => recorded)).filter((name) => name === 'error').length, 1);
  });

  it('dispatches no ready event while an open checkout has no options', async () => {
    await openPage(recordEvents + script + tag, { ...openCheckout, options: [] });
    await page.getByText('Для этой суммы нет способов оплаты').first().waitFor();
    assert.deepEqual(await page.evaluate(() => recorded), []);
    site.checkout = openCheckout;
    await page.getByText('Попробовать снова').click();
    await page.waitForFunction(() => recorded.includes('ready'));
  });

  it('reports and says that neither the checkout nor the second file can be loaded', async () => {
    for (const path of [secondPath, `/checkout/${id}`])
      site.responders.set(path, (response) => response.writeHead(503).end());
    await openPage(recordEvents + script + tag);
    await page.waitForFunction(() => recorded.includes('error'));
    await page.getByText('Страница загрузилась не полностью').first().waitFor();
  });

  it('reads the checkout inside a tag that the parser has not finished when the element is connected', async () => {
    site.responders.set(`/checkout/${id}`, () => undefined);
    const json = `<script type="application/json">${JSON.stringify(openCheckout)}</script>`;
    await openPage(script);
    await page.evaluate(() => customElements.whenDefined('pay-invoice'));
    const [start, end] = [tag.replace('</pay-invoice>', ''), `${json}</pay-invoice>`].map((text) =>
      JSON.stringify(text),
    );
    await page.evaluate(`document.open(); document.write(${start}); document.write(${end}); document.close()`);
    await page.locator('[part=method]').waitFor();
  });

  it('is preloaded by the documented snippet: each file and the checkout are requested once, with their hashes', async () => {
    const snippet = readFileSync(`${folder}/snippet.html`, 'utf8').replaceAll('CHECKOUT', id);
    await openPage(snippet, waitingCheckout);
    await page.locator('canvas[part=qr]').waitFor();
    await page.locator('[part=requisites]').waitFor();
    for (const path of ['/pay-invoice.js', secondPath, `/checkout/${id}`]) assert.equal(countRequests(path), 1, path);
    assert.deepEqual(browserErrors, []);
  });

  it('does not run a file whose hash differs from the one in the snippet', async () => {
    site.responders.set(secondPath, (response) => {
      const text = readFileSync(folder + secondPath, 'utf8');
      response.setHeader('content-type', 'text/javascript').end(`globalThis.changed = true;${text}`);
    });
    const snippet = readFileSync(`${folder}/snippet.html`, 'utf8').replaceAll('CHECKOUT', id);
    await openPage(recordEvents + snippet, waitingCheckout);
    await page.waitForFunction(() => recorded.includes('error'));
    assert.equal(await page.evaluate(() => 'changed' in globalThis), false);
  });
});
