// The built widget on pages that are not made for it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../support/launch-chromium.ts';
import { script, startMerchantSite, tag, waitingCheckout, type MerchantSite } from './merchant-site.ts';

let browser: Browser;
let site: MerchantSite;

before(async () => {
  [browser, site] = await Promise.all([launchChromium(), startMerchantSite()]);
});
after(async () => {
  await browser.close();
  site.close();
});

async function openPage(checkout: unknown, markup: string): Promise<Page> {
  Object.assign(site, { checkout });
  site.requests.length = 0;
  const page = await browser.newPage();
  await page.goto(site.addPage(markup));
  return page;
}

describe('a widget in a frame of another origin', { timeout: 60_000 }, () => {
  it('copies a value although the page gives the frame no clipboard permission', async () => {
    const frameUrl = site.addPage(script + tag).replace('127.0.0.1', 'localhost');
    const page = await openPage(
      waitingCheckout,
      `<iframe src="${frameUrl}" width="500" height="900"></iframe><textarea></textarea>`,
    );
    const frame = page.frameLocator('iframe');
    await frame.locator('[part~=copy]').first().click();
    await frame.locator('.done').getByText('Скопировано').first().waitFor();
    await page.locator('textarea').focus();
    await page.keyboard.press('Control+V');
    assert.notEqual(await page.locator('textarea').inputValue(), '');
    await page.close();
  });
});

describe('a page that loads the widget twice', { timeout: 60_000 }, () => {
  const listener = `<script>
    globalThis.codes = [];
    addEventListener('pay-invoice-error', ({ error }) => codes.push(error.code));
  </script>`;
  const codesOf = (page: Page): Promise<unknown> => page.evaluate('codes');

  it('is told so by an error event, and the widget works', async () => {
    const secondScript = '<script type="module" src="/pay-invoice.js?v=2"></script>';
    const page = await openPage(waitingCheckout, listener + script + secondScript + tag);
    await page.locator('[part=requisites]').first().waitFor();
    await page.waitForFunction('codes.length > 0', undefined, { timeout: 5000 });
    assert.deepEqual(await codesOf(page), ['second_copy']);
    await page.close();
  });

  it('is told nothing where the widget is loaded once', async () => {
    const page = await openPage(waitingCheckout, listener + script + script + tag);
    await page.locator('[part=requisites]').first().waitFor();
    await page.waitForLoadState('load');
    assert.deepEqual(await codesOf(page), []);
    await page.close();
  });
});
