import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { scan } from './scan-qr.ts';
import { card, chooseMethod, placeOrder, sbp, shopAndBrowser, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();
const secondFile = '**/pay-invoice.payment-screens*';

/** Watches the layout shifts from now on. Returns a function for their sum. */
async function watchLayoutShift(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ('value' in entry) sum += Number(entry.value);
      document.documentElement.dataset['shift'] = String(sum);
    }).observe({ type: 'layout-shift' });
  });
  return () => page.evaluate(() => Number(document.documentElement.dataset['shift'] ?? 0));
}

describe('the built widget while its second file does not come', { timeout: 120_000 }, () => {
  it('asks for an invoice, and shows the QR with the amount, the time and the link', async () => {
    const { page, widget } = await visit(browser, shop.url);
    await page.route(secondFile, () => new Promise(() => undefined)); // It stalls.
    const encoders: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('qr-encoder')) encoders.push(request.url());
    });
    await placeOrder(page);
    const post = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/invoice'));
    await chooseMethod(widget, sbp);
    await post;
    const link = await widget.getByRole('link', { name: 'Pay on your bank’s site' }).getAttribute('href');
    assert.equal(scan(await widget.locator('canvas[part=qr]').screenshot()), link);
    assert.match((await widget.getByRole('timer').textContent()) ?? '', /^\d+:\d\d$/);
    assert.match((await widget.locator('[part=amount]').textContent()) ?? '', /\d/);
    assert.deepEqual(encoders, []);
    await page.getByRole('button', { name: 'Pay it' }).click();
    // The amount's heading, and the title of the text that follows when the file has stalled for long.
    await widget.getByRole('heading', { name: 'Paid' }).first().waitFor();
  });

  it('says that the page is not complete, and how to go on, where an invoice has only requisites', async () => {
    const { page, widget } = await visit(browser, shop.url);
    await page.route(secondFile, (route) => route.abort());
    await placeOrder(page);
    await chooseMethod(widget, card);
    await widget.getByText('The page did not load completely').waitFor();
    await page.unroute(secondFile);
    await widget.getByRole('button', { name: 'Reload the page' }).click();
    await widget.locator('[part=requisites]').waitFor();
  });

  it('says so too where the file stalls: the request was sent, and the wait has an end', async () => {
    const { page, widget } = await visit(browser, shop.url);
    await page.route(secondFile, () => new Promise(() => undefined));
    await placeOrder(page);
    await chooseMethod(widget, card);
    await widget.getByText('The page did not load completely').waitFor();
    await widget.getByRole('button', { name: 'Reload the page' }).waitFor();
  });

  it('shows the link, and no empty place of a QR, where the backend sends no code', async () => {
    const { page, widget } = await visit(browser, shop.url);
    await page.route(/\/checkout\/chk_/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/,"qr":\{[^}]*\}/, '') });
    });
    await page.route(secondFile, (route) => route.abort());
    await placeOrder(page);
    await chooseMethod(widget, sbp);
    await widget.getByRole('link', { name: 'Pay on your bank’s site' }).waitFor();
    await widget.locator('.paper').waitFor({ state: 'detached' });
    await page.unroute(secondFile);
    await widget.locator('canvas[part=qr]').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' }); // A read may be under way.
  });

  it('draws a QR that the backend did not send once its encoder can be loaded, also after the element was removed meanwhile', async () => {
    const { page, widget } = await visit(browser, shop.url);
    const encoder = '**/pay-invoice.qr-encoder*';
    await page.route(/\/checkout\/chk_/, async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace(/,"qr":\{[^}]*\}/, '');
      await route.fulfill({ response, body: text });
    });
    await page.route(encoder, (route) => route.abort());
    await placeOrder(page);
    await chooseMethod(widget, sbp);
    await widget.getByRole('link', { name: 'Pay on your bank’s site' }).waitFor();
    await page.evaluate(() => {
      const element = document.querySelector('pay-invoice');
      const parent = element?.parentElement;
      element?.remove();
      addEventListener('add again', () => element && parent?.append(element));
    });
    await page.unroute(encoder);
    await page.waitForTimeout(6000); // The delay before the file is loaded again has passed while the element is not in the page.
    await page.evaluate(() => dispatchEvent(new Event('add again')));
    await widget.locator('canvas[part=qr]').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' }); // A read may be under way.
  });

  it('moves nothing of the QR, and nothing in the footer of the page, when the second file comes', async () => {
    const { page, widget } = await visit(browser, shop.url);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(secondFile, async (route) => {
      await released;
      await route.continue();
    });
    await placeOrder(page);
    await chooseMethod(widget, sbp);
    const qr = widget.locator('canvas[part=qr]');
    await qr.waitFor();
    await widget.evaluate((element) =>
      element.append(
        Object.assign(document.createElement('div'), { slot: 'footer', textContent: 'Terms of the shop' }),
      ),
    );
    const footerStyles = (): Promise<readonly string[]> =>
      widget.locator('[slot=footer]').evaluate((footer) => {
        const { padding, borderTop, height } = getComputedStyle(footer);
        return [padding, borderTop, height];
      });
    const styles = await footerStyles();
    const [box, layoutShift] = [await qr.boundingBox(), await watchLayoutShift(page)];
    release();
    await widget.getByRole('button', { name: 'Another payment method' }).waitFor();
    assert.deepEqual(await qr.boundingBox(), box);
    assert.deepEqual(await footerStyles(), styles);
    assert.notEqual(styles[0], '0px');
    const shift = await layoutShift();
    assert.ok(shift <= 0.02, `layout shift ${shift}`);
  });
});
