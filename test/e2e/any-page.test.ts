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
    await frame.locator('[part=copy]').first().click();
    await frame.locator('.done').getByText('Скопировано').first().waitFor();
    await page.locator('textarea').focus();
    await page.keyboard.press('Control+V');
    assert.notEqual(await page.locator('textarea').inputValue(), '');
    await page.close();
  });
});
