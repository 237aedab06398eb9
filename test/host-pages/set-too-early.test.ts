// What a page sets on the tag before the built widget is loaded: nothing is requested from anywhere else first.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { script, startMerchantSite, tag, waitingCheckout } from '../e2e/merchant-site.ts';
import { openBrowser } from '../e2e/visit-page.ts';
import { openForFile } from '../support/open-for-file.ts';

const browser = await openBrowser();
const site = await openForFile(startMerchantSite());
const read = 'GET /checkout/eu/chk_site';
const preload = '<link rel="preload" as="fetch" crossorigin href="/checkout/eu/chk_site" />';

describe('a widget whose properties were set before it was defined', { timeout: 120_000 }, () => {
  for (const [title, head, assignment, expected] of [
    ['the endpoint', '', `tag.endpoint = '/checkout/eu'`, [read]],
    ['the endpoint of a preloaded response', preload, `tag.endpoint = '/checkout/eu'`, [read]],
    ['the checkout too', '', `tag.checkout = 'chk_2'; tag.endpoint = '/checkout/eu'`, ['GET /checkout/eu/chk_2']],
    [
      'a transport',
      '',
      `tag.transport = { read: async () => ({ kind: 'checkout', checkout: ${JSON.stringify(waitingCheckout)} }), createInvoice: () => new Promise(() => {}) }`,
      [],
    ],
  ] as const)
    it(`asks nobody else: ${title}`, async () => {
      const page = await browser.newPage();
      site.requests.length = 0;
      site.checkout = waitingCheckout;
      const early = `<script>{ const tag = document.querySelector('pay-invoice'); ${assignment} }</script>`;
      await page.goto(site.addPage(head + tag + early + script));
      await page.getByRole('img', { name: 'QR-код' }).waitFor();
      const requests = site.requests.filter((request) => request.includes('/checkout/'));
      assert.deepEqual([...new Set(requests)], expected);
    });
});
