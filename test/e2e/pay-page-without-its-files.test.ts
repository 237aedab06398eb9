// The pay page with JavaScript, where a file of the widget does not come: it goes on as without JavaScript. In Chromium, on the built
// files and the sandbox.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { z } from 'zod';
import { adminToken } from '../support/buyer.ts';
import { keepPicture } from '../support/keep-picture.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { until } from '../support/wait-until.ts';

const browser = await openForFile(launchChromium());
const server = await openForFile(startStandalone());

/** When the page no longer waits for its script, and some time for the frame to load, in ms. */
const lateMs = 8000;

let orders = 0;

/** Creates a checkout whose invoice waits to be paid. `pay` pays it in the sandbox's bank, and resolves when the server knows. */
async function createInvoice() {
  orders += 1;
  const response = await fetch(`${server.url}/admin/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: `order-${orders}`, amount: '1500.00', currency: 'RUB' }),
  });
  const { url } = z.object({ url: z.string() }).parse(await response.json());
  await fetch(url, { method: 'POST', body: new URLSearchParams({ key: 'k', payment_method_id: 'pm_card' }) });
  const api = url.replace('/pay/', '/checkout/');
  const read = async () =>
    z
      .object({ status: z.string(), invoice: z.object({ payment_url: z.string() }) })
      .parse(await (await fetch(`${api}?check=1`)).json());
  return {
    url,
    pay: async (): Promise<void> => {
      const { invoice } = await read();
      await fetch(invoice.payment_url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
      await until('the server knows of the payment', async () => (await read()).status === 'paid');
    },
  };
}

/** Opens a page, in which `fault` answers for the files that match. `statusRequests` are those of the frame that follows the status. */
async function open(url: string, files = /^$/, fault: (route: Route) => unknown = () => undefined) {
  const page = await browser.newPage({ locale: 'ru-RU', viewport: { width: 390, height: 844 } });
  const statusRequests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('status=')) statusRequests.push(request.url());
  });
  await page.addInitScript(() => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ('value' in entry) sum += Number(entry.value);
      document.documentElement.dataset['shift'] = String(sum);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.route(files, fault);
  await page.goto(url, { waitUntil: 'commit' });
  return { page, statusRequests };
}

const readShift = (page: Page): Promise<number> =>
  page.evaluate(() => Number(document.documentElement.dataset['shift'] ?? 0));

const firstFile = /\/pay-invoice\.js/;
const secondFile = /pay-invoice\.payment-screens/;
const script = (body: string) => (route: Route) => route.fulfill({ contentType: 'text/javascript', body });
const faults: Readonly<Record<string, readonly [files: RegExp, fault: (route: Route) => unknown]>> = {
  'the first file is refused': [firstFile, (route) => route.abort()],
  'the first file stalls': [firstFile, () => undefined],
  'a server answers 503 for the first file': [firstFile, (route) => route.fulfill({ status: 503, body: 'busy' })],
  'the first file is empty': [firstFile, script('')],
  'a filter has replaced the first file': [firstFile, script('(function(){})();')],
  'a filter has replaced the second file': [secondFile, script('(function(){})();')],
  'the second file stalls': [secondFile, () => undefined],
  // As a proxy of the shop may: both policies hold. It knows neither scripts in the page nor the files.
  'a proxy adds a policy that allows no script': [
    /\/pay\/chk_[\w-]+$/,
    async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      const policy = `${headers['content-security-policy'] ?? ''}, script-src 'none'`;
      await route.fulfill({ response, headers: { ...headers, 'content-security-policy': policy } });
    },
  ],
};

describe('the pay page whose files do not come', { timeout: 300_000, concurrency: true }, () => {
  for (const [name, [files, fault]] of Object.entries(faults))
    it(`tells that the money has come, and leads to the receipt: ${name}`, async () => {
      const { url, pay } = await createInvoice();
      const { page, statusRequests } = await open(url, files, fault);
      await page.locator('[slot=markup] .status').waitFor();
      const shift = await readShift(page);
      const status = page.frameLocator('iframe');
      await status.getByText('Оплаты пока не видно.').waitFor({ timeout: lateMs });
      await status.getByText('Осталось времени:').waitFor();
      // Beside the frame nothing tells the time left: it would not be true for long.
      assert.doesNotMatch(await page.locator('[slot=markup]').innerText(), /Осталось/);
      assert.deepEqual([statusRequests.length, await readShift(page)], [1, shift]);
      await keepPicture(page, `pay-page-late-${name.replaceAll(' ', '-')}`);
      await pay();
      const news = status.getByRole('link', { name: 'Деньги получены. Обновить' });
      // A widget without its second file says itself that there is news.
      const reload = page.getByRole('button', { name: 'Обновить страницу' });
      await until('the page tells', async () => (await news.isVisible()) || reload.isVisible());
      await ((await reload.isVisible()) ? reload : news).click();
      await page.getByRole('heading', { name: 'Деньги получены' }).first().waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.close();
    });

  it('is taken over when its file comes after all: nothing moves, and only the widget asks for the status then', async () => {
    const { url, pay } = await createInvoice();
    let release: () => unknown = () => undefined;
    const { page, statusRequests } = await open(url, firstFile, (route) => (release = () => route.continue()));
    await page.frameLocator('iframe').getByText('Оплаты пока не видно.').waitFor({ timeout: lateMs });
    const shift = await readShift(page);
    await release();
    await page.locator('pay-invoice [part=requisites]').waitFor();
    assert.equal(await page.locator('iframe').count(), 0);
    const count = statusRequests.length;
    await page.waitForTimeout(12_000); // The frame would have loaded itself again.
    assert.deepEqual([statusRequests.length, await readShift(page)], [count, shift]);
    await pay();
    await page.locator('pay-invoice[status=paid]').waitFor({ timeout: 30_000 });
    await page.close();
  });

  it('keeps its news while the first file has come late and the second has not: what the page said at first is older', async () => {
    const { url } = await createInvoice();
    let release: () => unknown = () => undefined;
    const { page } = await open(url, firstFile, (route) => (release = () => route.continue()));
    await page.route(secondFile, () => undefined);
    await page.frameLocator('iframe').getByText('Оплаты пока не видно.').waitFor({ timeout: lateMs });
    await release();
    await page.locator('pay-invoice[status=pending]').waitFor();
    assert.ok(await page.locator('iframe').isVisible());
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  });

  it('sends no request more where its script comes in time', async () => {
    const { url } = await createInvoice();
    const { page, statusRequests } = await open(url);
    await page.locator('pay-invoice [part=requisites]').waitFor();
    await page.waitForTimeout(lateMs);
    assert.deepEqual(statusRequests, []);
    await page.close();
  });
});
