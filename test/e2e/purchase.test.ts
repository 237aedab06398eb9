import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../support/launch-browser.ts';
import { RunningShop } from '../support/running-shop.ts';

let shop: RunningShop;
let browser: Browser;

before(async () => {
  [shop, browser] = await Promise.all([RunningShop.start(), launchBrowser()]);
});

after(async () => {
  await browser.close();
  await shop.stop();
});

/** A page that keeps what the browser complains of: errors, and anything that its security policy refused. */
async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(shop.url);
  return { page, complaints };
}

/** Puts a tea bowl for 1,500 roubles in the cart and orders it. */
async function order(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Add: Tea bowl|Добавить: Пиала)$/ }).click();
  await page.getByRole('button', { name: /^(Place the order|Оформить заказ)$/ }).click();
}

async function askForRequisites(page: Page, method: string | RegExp): Promise<void> {
  await page.getByRole('radio', { name: method, exact: true }).check();
  await page.getByRole('button', { name: /^(Continue|Продолжить|Pay|Оплатить|К оплате)/ }).click();
}

/** The events that the page heard, in order. */
function eventsOf(page: Page): Promise<string[]> {
  return page.locator('#log b').allTextContents();
}

async function pay(page: Page, address: string): Promise<void> {
  const bank = await page.context().newPage();
  await bank.goto(address);
  await bank.getByRole('button', { name: /^(Pay|Оплатить)/ }).click();
  await bank.close();
}

describe('a purchase in a browser', { timeout: 120_000 }, () => {
  it('goes from the cart to paid by the link of the QR, and tells paid once', async () => {
    const { page, complaints } = await open();
    await order(page);
    await askForRequisites(page, /SBP|СБП/);
    const link = page.locator('pay-invoice').getByRole('link', { name: 'Pay by link' });
    await page.locator('pay-invoice').getByRole('img').first().waitFor();
    const address = await link.getAttribute('href');
    assert.match(address ?? '', /\/qr\/A[SD]\w{30,}\?/);

    await pay(page, address ?? '');
    await page
      .locator('pay-invoice')
      .getByRole('heading', { name: /paid|оплачено/i })
      .waitFor();
    await page.getByText('this order is paid').waitFor();
    assert.equal((await eventsOf(page)).filter((name) => name === 'paid').length, 1);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('keeps the invoice over a reload, and over a killed and restarted backend', async () => {
    const { page } = await open();
    await order(page);
    await askForRequisites(page, 'Карта');
    const copy = page
      .locator('pay-invoice')
      .getByRole('button', { name: /^(Copy card number|Скопировать номер карты)/i });
    await copy.waitFor();
    const before = await page
      .locator('pay-invoice')
      .getByText(/^(\d{4}\s?){4}$/)
      .textContent();

    await page.reload();
    await copy.waitFor();
    assert.equal(
      await page
        .locator('pay-invoice')
        .getByText(/^(\d{4}\s?){4}$/)
        .textContent(),
      before,
    );

    await shop.restart();
    await page.getByRole('button', { name: 'Pay it' }).click();
    await page
      .locator('pay-invoice')
      .getByRole('heading', { name: /paid|оплачено/i })
      .waitFor();
    await page.getByText('this order is paid').waitFor();
    await page.context().close();
  });

  it('works on a phone in Russian by touch, the link of the bank before the QR', async () => {
    const { page, complaints } = await open({
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
      locale: 'ru-RU',
    });
    await order(page);
    await askForRequisites(page, /СБП/);
    const widget = page.locator('pay-invoice');
    const link = await widget.getByRole('link', { name: /банк/i }).first().boundingBox();
    const qr = widget.getByRole('img').first();
    if (await qr.isVisible()) assert.ok((link?.y ?? 0) < ((await qr.boundingBox())?.y ?? 0));
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow}px`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
});
