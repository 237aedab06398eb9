import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { scan } from './scan-qr.ts';
import { card, chooseMethod, placeOrder, sbp, shopAndBrowser, visit, goodsOf } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();
const secondFile = '**/pay-invoice.payment-screens*';
const encoder = '**/pay-invoice.qr-encoder*';
const late = 'The page did not load completely';

/** Answers as a backend does that sends no QR code. */
const leaveOutQr = (page: Page): Promise<unknown> =>
  page.route(/\/checkout\/chk_/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/,"qr":\{[^}]*\}/, '') });
  });

/** Holds the answers to requests for a file back. Returns the function that lets them go. */
async function stall(page: Page, file: string): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(file, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

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
    const { page, widget } = await visit(browser, goodsOf(shop));
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

  it('keeps its look in a frame and in a popup to which the page moves it, and back again', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await page.route(secondFile, () => new Promise(() => undefined));
    await placeOrder(page);
    await widget.getByRole('radio').first().waitFor();
    const [look, ...others] = await page.evaluate(() => {
      const element = document.querySelector('pay-invoice');
      const home = element?.parentElement;
      element?.style.setProperty('width', '280px'); // the same layout in a narrow frame
      const popup = open('', '', 'popup,width=400,height=600');
      const frame = document.createElement('iframe');
      document.body.append(frame);
      const places = [home, frame.contentDocument?.body, popup?.document.body, home];
      const lookIn = (place: Element | null | undefined): string[] => {
        place?.append(element ?? '');
        return Array.from(element?.shadowRoot?.querySelectorAll('*') ?? [], (one) => {
          const { display, borderRadius, fontWeight } = getComputedStyle(one); // The page sets colours.
          return `${one.tagName} ${display} ${borderRadius} ${fontWeight}`;
        });
      };
      return places.map(lookIn);
    });
    for (const other of others) assert.deepEqual(other, look);
    assert.ok(
      look?.some((one) => one.startsWith('BUTTON flex 12px 600')),
      look?.join('\n'),
    );
  });

  it('says that the page is not complete, and how to go on, where an invoice has only requisites', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await page.route(secondFile, (route) => route.abort());
    await placeOrder(page);
    await chooseMethod(widget, card);
    await widget.getByText('The page did not load completely').waitFor();
    await page.unroute(secondFile);
    await widget.getByRole('button', { name: 'Reload the page' }).click();
    await widget.locator('[part=requisites]').waitFor();
  });

  it('says so too where the file stalls: the request was sent, and the wait has an end', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await page.route(secondFile, () => new Promise(() => undefined));
    await placeOrder(page);
    await chooseMethod(widget, card);
    await widget.getByText('The page did not load completely').waitFor();
    await widget.getByRole('button', { name: 'Reload the page' }).waitFor();
  });

  it('shows the link, and no empty place of a QR, where the backend sends no code', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await leaveOutQr(page);
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
    const { page, widget } = await visit(browser, goodsOf(shop));
    await leaveOutQr(page);
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
    const { page, widget } = await visit(browser, goodsOf(shop));
    const release = await stall(page, secondFile);
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

  for (const [status, code] of [
    [503, 'try_again'],
    [422, 'method_unavailable'],
  ] as const)
    it(`says that the page is not complete where the request for an invoice is refused: ${code}`, async () => {
      const { page, widget } = await visit(browser, goodsOf(shop));
      await page.route(secondFile, (route) => route.abort());
      await page.route('**/invoice', (route) =>
        route.fulfill({
          status,
          contentType: 'application/problem+json',
          json: { type: 'about:blank', title: code, status, code },
        }),
      );
      await placeOrder(page);
      await chooseMethod(widget, sbp);
      await widget.getByText(late).waitFor();
      await widget.getByRole('button', { name: 'Reload the page' }).waitFor();
      assert.equal(await widget.getByRole('radio').count(), 4);
      await page.unroute(secondFile);
      await widget.getByText(late).waitFor({ state: 'detached' });
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });

  it('says so where the typed amount cannot be paid, and only then', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await page.route(secondFile, (route) => route.abort());
    await page.route(/\/checkout\/chk_/, async (route) => {
      const response = await route.fetch();
      const checkout = z.looseObject({}).parse(await response.json());
      const limits = { min_amount: '100.00', max_amount: '5000.00' };
      await route.fulfill({ response, json: { ...checkout, amount: null, amount_limits: limits } });
    });
    await placeOrder(page);
    const amount = widget.locator('#amount');
    await amount.fill('5');
    await widget.getByText(late).waitFor();
    await amount.fill('500');
    await widget.getByText(late).waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

describe('the built widget while the file that draws its QR code does not come', { timeout: 120_000 }, () => {
  it('says that the code loads, and asks nobody to scan it; nothing moves when it comes', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await leaveOutQr(page);
    const release = await stall(page, encoder);
    await placeOrder(page);
    await chooseMethod(widget, sbp);
    await widget.locator('.paper').getByText('Loading').waitFor();
    await widget.getByRole('button', { name: 'Another payment method' }).waitFor();
    const screen = widget.locator('.screen'); // The announcement says it too.
    const instructions = ['Scan with your phone', 'Not scanning?'].map((text) => screen.getByText(text));
    const areVisible = (): Promise<readonly boolean[]> => Promise.all(instructions.map((one) => one.isVisible()));
    assert.deepEqual(await areVisible(), [false, false]);
    const link = widget.getByRole('link', { name: 'Pay on your bank’s site' });
    const [box, layoutShift] = [await link.boundingBox(), await watchLayoutShift(page)];
    release();
    await widget.locator('canvas[part=qr]').waitFor();
    assert.deepEqual(await areVisible(), [true, true]);
    assert.deepEqual(await link.boundingBox(), box);
    assert.equal(await layoutShift(), 0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('says in the unfolded place of the code that it loads, then why it does not come and what to do, and offers to save none', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop), { hasTouch: true, isMobile: true });
    await leaveOutQr(page);
    const release = await stall(page, encoder);
    await placeOrder(page);
    await chooseMethod(widget, sbp);
    const fold = widget.locator('.fold');
    const save = fold.getByRole('button', { name: 'Save the QR code' });
    await fold.locator('summary').tap();
    await fold.getByText('Loading').waitFor();
    assert.equal(await save.count(), 0);
    await fold.getByText(late).waitFor();
    await fold.getByRole('button', { name: 'Reload the page' }).waitFor();
    assert.match((await widget.locator('[role=status]').last().textContent()) ?? '', new RegExp(late));
    assert.equal(await save.count(), 0);
    release();
    await fold.locator('canvas[part=qr]').waitFor();
    await save.waitFor();
    assert.equal(await fold.getByText(late).count(), 0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
