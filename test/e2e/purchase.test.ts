import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import {
  card,
  chooseMethod,
  findHeading,
  placeOrder,
  sbp,
  valueOf,
  shopAndBrowser,
  visit,
  goodsOf,
} from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

/** Pays at the bank, in a tab of its own. A page that is closed before its response would take the payment with it. */
async function payAtBank(page: Page, address: string): Promise<void> {
  const bank = await page.context().newPage();
  await bank.goto(address);
  const response = bank.waitForResponse((candidate) => candidate.request().method() === 'POST');
  await bank.getByRole('button', { name: /^Pay/ }).click();
  await response;
  await bank.close();
}

describe('a purchase in a browser', { timeout: 300_000 }, () => {
  it('leads from the cart to a paid order by the link of the QR, and dispatches the paid event once', async () => {
    const { page, widget, browserErrors, origins } = await visit(browser, goodsOf(shop));
    await placeOrder(page);
    await chooseMethod(widget, sbp);
    await widget.locator('canvas[part=qr]').waitFor();
    const address = (await widget.getByRole('link', { name: 'Pay on your bank’s site' }).getAttribute('href')) ?? '';
    assert.match(address, /\/qr\/A[SD]\w{30,}\?/);

    await payAtBank(page, address);
    await findHeading(widget, 'Payment received').waitFor();
    const stored = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
    assert.deepEqual(stored, [0, 0, '']); // as docs/page.md says
    await page.getByText('this order is paid').waitFor();
    await page.getByRole('heading', { name: 'Thank you for your order' }).waitFor();
    const events = await page.locator('#log b').allTextContents();
    assert.equal(events.filter((name) => name === 'paid').length, 1);
    assert.deepEqual(browserErrors, []);
    assert.deepEqual([...origins].sort(), [shop.url, shop.sandbox].sort());
  });

  it('shows the order beside the widget without moving the button that the payer is about to press', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    for (const later of ['**/shop/orders/*', '**/pay-invoice.payment-screens*'])
      await page.route(later, async (route) => {
        await delay(500);
        await route.continue();
      });
    await placeOrder(page);
    const topOfButton = async (): Promise<number | undefined> =>
      (await widget.locator('[part=continue]').boundingBox())?.y;
    const topBefore = await topOfButton();
    assert.equal(await page.locator('#payment-title').textContent(), '');
    await page.getByRole('heading', { name: 'Pay for your order' }).waitFor();
    await page.getByText('Order number').first().waitFor();
    assert.equal(await topOfButton(), topBefore);
  });

  it('has the focus on the heading after the order was placed by keyboard, and after the way back to the shop', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await page.getByRole('button', { name: 'Add: Tea bowl' }).press('Enter');
    await page.getByRole('button', { name: 'Place the order' }).press('Enter');
    const focused = page.locator(':focus');
    await page.waitForFunction(() => document.activeElement?.id === 'payment-title');
    assert.equal(await focused.textContent(), 'Pay for your order');
    await widget.getByRole('radio').first().waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await widget.evaluate((element) => element.matches(':focus-within')), true);
    await page.getByRole('button', { name: 'Back to the shop' }).press('Enter');
    assert.equal(await focused.textContent(), 'Tea and things to drink it from');
  });

  it('has room for the widget beside or above the developer’s panel, with a font of 400 % too', async () => {
    for (const [width, rootFontSize] of [
      [1280, '400%'],
      [1280, '100%'],
      [320, '100%'],
    ] as const) {
      const { page, widget } = await visit(browser, goodsOf(shop), { viewport: { width, height: 900 } });
      await page.evaluate((size) => (document.documentElement.style.fontSize = size), rootFontSize);
      await placeOrder(page);
      await widget.getByRole('radio').first().waitFor();
      const [box, panel] = await Promise.all([widget.boundingBox(), page.locator('.developer').boundingBox()]);
      assert.ok(box && panel);
      assert.ok(box.width >= Math.min(480, width - 40), `${width} px, ${rootFontSize}: ${box.width} px`);
      assert.ok(box.y + box.height <= panel.y || box.x + box.width <= panel.x, JSON.stringify({ box, panel }));
    }
  });

  it('keeps the invoice after a reload, and after the backend was killed and restarted', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await placeOrder(page);
    await chooseMethod(widget, card);
    const number = await valueOf(widget, 'Card number');
    assert.match(number, /^\d{16}$/);

    await page.reload();
    assert.equal(await valueOf(widget, 'Card number'), number);

    await shop.restart();
    await page.getByRole('button', { name: 'Pay it' }).click();
    await findHeading(widget, 'Payment received').waitFor();
    await page.getByText('this order is paid').waitFor();
  });

  it('leads to the QR on a phone by touch, in Russian, with the link to the bank above the QR', async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: 'ru-RU' };
    const { page, widget, browserErrors } = await visit(browser, goodsOf(shop), phone);
    await page.getByRole('button', { name: 'Добавить: Пиала', exact: true }).tap();
    await page.getByRole('status').filter({ hasText: 'Пиала: В заказе: 1' }).waitFor();
    const cartButton = page.getByRole('button', { name: 'Посмотреть заказ (1)' });
    const cartButtonBox = await cartButton.boundingBox();
    assert.ok(
      cartButtonBox && cartButtonBox.y > 600 && cartButtonBox.y + cartButtonBox.height <= 740,
      'the bar is at the bottom of the screen',
    );
    await cartButton.tap();
    await cartButton.waitFor({ state: 'hidden' }); // the cart itself is on the screen
    await page.getByRole('button', { name: 'Оформить заказ', exact: true }).tap();
    await page.getByRole('heading', { name: 'Оплатите заказ' }).waitFor();
    await widget.getByRole('radio', { name: sbp }).check();
    await widget.getByRole('button', { name: 'Оплатить через СБП', exact: true }).tap();

    const qr = widget.locator('canvas[part=qr]');
    await widget.getByText('Показать QR-код').tap();
    await qr.waitFor();
    const linkBox = await widget.getByRole('link', { name: 'Открыть приложение банка' }).boundingBox();
    assert.ok(linkBox);
    assert.ok(linkBox.y + linkBox.height <= ((await qr.boundingBox())?.y ?? 0));
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow}px`);
    assert.deepEqual(browserErrors, []);
  });
});
