// The pay page without script in browsers that translate pages, or darken them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { Buyer } from '../support/buyer.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { scan } from './scan-qr.ts';
import { openBrowser } from './visit-page.ts';

const server = await openForFile(startStandalone({ OUTCOME_FEED: '1' }));
const browser = await openBrowser();

/** Opens the page as the server renders it: the widget's files do not come. */
async function openWithoutWidget(buyer: Buyer): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 390, height: 844 } });
  await context.route('**/*.js', (route) => route.abort());
  const page = await context.newPage();
  await page.goto(`${server.url}/pay/${buyer.checkoutId}`);
  return page;
}

/** Does to a page what a translator does: changes each text that it may change. Returns what is left as it was. */
const translate = (page: Page): Promise<string> =>
  page.evaluate(() => {
    let kept = '';
    const texts = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      if (text.parentElement?.translate === false) kept += `${text.textContent ?? ''}\n`;
    return kept.replaceAll(/[\s\u00a0\u202f]/g, '');
  });

describe('a translation of the pay page', { timeout: 120_000 }, () => {
  for (const method of ['pm_sbp', 'pm_card', 'pm_bank_transfer'])
    it(`changes nothing that is copied or compared: ${method}, and the receipt`, async () => {
      const buyer = new Buyer(server);
      await buyer.order();
      const { invoice } = await buyer.createInvoice(method);
      const page = await openWithoutWidget(buyer);
      const kept = await translate(page);
      const { sbp, card, bank_transfer: transfer, bank } = invoice ?? assert.fail();
      const values = Object.values({ ...sbp, ...card, ...transfer, bank: bank?.name }).filter(
        (value) => value !== undefined,
      );
      for (const value of [...values, '1,500.00'])
        assert.ok(kept.includes(value.replaceAll(/[\s+]/g, '')), `${value} in ${kept}`);
      // The amount is said in the header, in the rule and in the list.
      assert.equal(kept.split('1,500').length - 1, values.length > 1 ? 3 : 1);
      await buyer.simulate(invoice?.id ?? '', 'pay');
      await buyer.waitFor('paid');
      await page.reload();
      const receipt = await translate(page);
      for (const value of ['1,500', '2026']) assert.ok(receipt.includes(value), receipt);
    });
});

describe('a QR in a browser that darkens pages', { timeout: 120_000 }, () => {
  for (const { title, path } of [
    { title: 'of the payment, on the pay page', path: '' },
    { title: 'of the page, for paper', path: '/qr.svg' },
  ])
    it(`can be scanned: ${title}`, async () => {
      const buyer = new Buyer(server);
      await buyer.order();
      const { invoice } = await buyer.createInvoice();
      const viewport = { width: 600, height: 900 };
      const context = await browser.newContext({ colorScheme: 'dark', viewport });
      await context.route('**/*.js', (route) => route.abort());
      const page = await context.newPage();
      const devtools = await context.newCDPSession(page);
      await devtools.send('Emulation.setAutoDarkModeOverride', { enabled: true });
      await page.setContent('<body style="background: #fff">');
      assert.ok((PNG.sync.read(await page.screenshot()).data[0] ?? 255) < 64, 'the browser does not darken pages');
      const url = `${server.url}/pay/${buyer.checkoutId}`;
      await page.goto(`${url}${path}`);
      assert.equal(scan(await page.screenshot({ fullPage: path === '' })), path === '' ? invoice?.nspk_url : url);
    });
});
