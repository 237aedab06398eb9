// The built widget in a frame of another origin: payers leave the frame for their bank and for the shop.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { openForFile } from '../support/open-for-file.ts';
import { script, startMerchantSite, tag, waitingCheckout } from './merchant-site.ts';
import { openBrowser } from './visit-page.ts';

const browser = await openBrowser();
const site = await openForFile(startMerchantSite());

const shopUrl = 'https://shop.example/thanks';
const paidCheckout = {
  ...waitingCheckout,
  status: 'paid',
  return_urls: { success_url: shopUrl, fail_url: null },
};

const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };

/** Opens a page of one site with the widget in a frame of another, on a phone by default. Other sites answer with an empty page. */
async function openFrame(
  checkout: unknown,
  {
    sandbox,
    attributes = '',
    device = phone,
  }: { readonly sandbox?: string; readonly attributes?: string; readonly device?: BrowserContextOptions } = {},
): Promise<{ readonly page: Page; readonly frame: FrameLocator }> {
  Object.assign(site, { checkout });
  const frameUrl = site.addPage(script + tag.replace('lang', `${attributes} lang`)).replace('127.0.0.1', 'localhost');
  const context = await browser.newContext(device);
  context.setDefaultTimeout(15_000);
  await context.route(/^https:/, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>elsewhere</h1>' }));
  const page = await context.newPage();
  const limits = sandbox === undefined ? '' : `sandbox="${sandbox}"`;
  await page.goto(site.addPage(`<iframe ${limits} src="${frameUrl}" width="380" height="800"></iframe>`));
  return { page, frame: page.frameLocator('iframe') };
}

describe('a widget in a frame', { timeout: 120_000 }, () => {
  const links = [
    {
      title: 'the bank’s link',
      checkout: waitingCheckout,
      name: /приложени/i,
      url: waitingCheckout.invoice.nspk_url ?? '',
    },
    { title: '“back to the shop”', checkout: paidCheckout, name: /Вернуться/, url: shopUrl },
  ];
  const scripted = 'allow-scripts allow-same-origin';
  for (const { title, checkout, name, url } of links) {
    for (const sandbox of [undefined, `${scripted} allow-top-navigation-by-user-activation`])
      it(`leaves the frame by ${title} (sandbox: ${sandbox ?? 'none'})`, async () => {
        const { page, frame } = await openFrame(checkout, sandbox === undefined ? {} : { sandbox });
        await frame.getByRole('link', { name }).first().tap();
        await page.getByRole('heading', { name: 'elsewhere' }).waitFor();
        assert.equal(page.url(), url);
      });

    it(`opens a new tab by ${title} where the frame may not leave`, async () => {
      const { page, frame } = await openFrame(checkout, { sandbox: `${scripted} allow-popups` });
      const opening = page.waitForEvent('popup');
      await frame.getByRole('link', { name }).first().tap();
      const tab = await opening;
      await tab.waitForURL(url);
      await frame.locator('pay-invoice').waitFor();
    });
  }

  const { invoice } = waitingCheckout;
  const pageOnly = {
    ...waitingCheckout,
    invoice: { ...invoice, nspk_url: undefined, payment_url: 'https://pay.example/1' },
  };
  const presses = [
    { title: 'the bank’s link', checkout: waitingCheckout, device: {}, name: 'Оплатить на сайте банка' },
    { title: 'the payment page', checkout: pageOnly, device: {}, name: 'Открыть страницу оплаты' },
    { title: 'the payment page', checkout: pageOnly, device: phone, name: 'Открыть страницу оплаты' },
  ];
  for (const { title, checkout, device, name } of presses) {
    const place = device === phone ? 'a phone' : 'a desktop';
    it(`offers ${title} to copy where the frame may open nothing (${place})`, async () => {
      const { frame } = await openFrame(checkout, { sandbox: scripted, device });
      const status = frame.locator('.status');
      const statusBefore = await status.innerText();
      await frame.getByRole('link', { name }).click();
      await frame.getByRole('button', { name: 'Скопировать ссылку' }).waitFor();
      await frame.getByText('Не открылось?').first().waitFor();
      assert.equal(await status.innerText(), statusBefore);
      assert.equal(await frame.getByText('Открыть приложение').count(), 0);
    });
  }

  it('offers nothing to copy where the link opens a tab, nor on a page without a frame', async () => {
    const { page, frame } = await openFrame(waitingCheckout, { device: {} });
    // A browser without a window shows all of its tabs, and each has the focus.
    await frame.locator('pay-invoice').evaluate(() => (document.hasFocus = () => false));
    await frame.getByRole('link', { name: 'Оплатить на сайте банка' }).click();
    const own = await page.context().newPage();
    await own.goto(site.addPage(script + tag));
    await own.getByRole('link', { name: 'Оплатить на сайте банка' }).click();
    await delay(3000); // The help comes after 2.5 s.
    for (const place of [frame, own])
      assert.equal(await place.getByRole('button', { name: 'Скопировать ссылку' }).count(), 0);
  });

  it('does not go back to the shop by itself, because only the payer’s tap leaves the frame', async () => {
    const { page, frame } = await openFrame(paidCheckout, { attributes: 'return-after="20"' });
    await frame.getByRole('link', { name: 'Вернуться в магазин', exact: true }).waitFor();
    assert.equal(await frame.getByRole('button', { name: /Остаться/ }).count(), 0);
    assert.equal(page.frames()[1]?.url().includes('localhost'), true);
  });

  it('says what the matter is where its frame has no origin, instead of a word about the internet', async () => {
    const { frame } = await openFrame(waitingCheckout, { sandbox: 'allow-scripts' });
    await frame.getByRole('heading', { name: 'Отсюда заплатить нельзя' }).waitFor();
    assert.doesNotMatch(await frame.locator('pay-invoice').innerText(), /интернет/i);
  });
});
