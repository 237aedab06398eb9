// The built widget on pages that are not made for it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openForFile } from '../support/open-for-file.ts';
import { openCheckout, script, startMerchantSite, tag, waitingCheckout } from './merchant-site.ts';
import { openBrowser } from './visit-page.ts';

const browser = await openBrowser();
const site = await openForFile(startMerchantSite());

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
  });

  it('is told nothing where the widget is loaded once', async () => {
    const page = await openPage(waitingCheckout, listener + script + script + tag);
    await page.locator('[part=requisites]').first().waitFor();
    await page.waitForLoadState('load');
    assert.deepEqual(await codesOf(page), []);
  });
});

describe('a page with auto-continue', { timeout: 60_000 }, () => {
  it('asks for the invoice once the first two files have come, without waiting for another file', async () => {
    const page = await openPage(openCheckout, script + tag.replace('lang', 'auto-continue lang'));
    await page.locator('[part=requisites]').first().waitFor();
    const create = site.requests.findIndex((request) => request.startsWith('POST'));
    const files = site.requests.slice(0, create).filter((request) => request.endsWith('.js'));
    assert.match(files.join(), /^GET \/pay-invoice\.js,GET \/pay-invoice\.payment-screens-[\w-]+\.js$/);
  });
});

describe('a page that adds a language', { timeout: 60_000 }, () => {
  it('needs only a JSON file of its texts, with the plural forms that Intl.PluralRules names', async () => {
    const texts = ['first', 'second'].map((name) => readFileSync(`src/locales/ru/${name}-file.json`, 'utf8'));
    site.addScript(
      '/texts.json',
      JSON.stringify(Object.assign({}, ...texts.map((text) => JSON.parse(text) as object))),
    );
    const paid = {
      ...waitingCheckout,
      status: 'paid',
      return_urls: { success_url: 'https://shop.example/paid', fail_url: null },
    };
    const page = await openPage(
      paid,
      `<script type="module">
        import { registerLocale } from '/pay-invoice.js';
        registerLocale('uk', async () => (await fetch('/texts.json')).json());
      </script>${tag.replace('lang="ru"', 'lang="uk" return-after="21"')}`,
    );
    await page.getByRole('heading', { name: 'Деньги получены', exact: true }).waitFor();
    await page
      .locator('[role=status]')
      .getByText(/через\s21\sсекунду\./)
      .waitFor();
  });
});
