import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { toNodeListener } from '../../src/server.ts';
import { documents } from '../docs/documents.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend, type MerchantBackend } from '../mounts/merchant-backend.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { choose, heading } from './visit-page.ts';

// The tags, styles and scripts of the documents, each on a page of its own.
const blocksOf = (language: string) =>
  documents.flatMap(({ blocks }) => blocks.filter((block) => block.language === language));
const tags = blocksOf('html').filter(({ code }) => code.includes('<pay-invoice'));
const wording = blocksOf('js').filter(({ code }) => code.includes('.messages ='));

let merchant: MerchantBackend;
let browser: Browser;
let endpoint = '';
let html = '';
const undo: (() => unknown)[] = [];

before(async () => {
  const app = express();
  app.get('/favicon.ico', (_request, response) => void response.status(204).end());
  app.get('/page', (_request, response) => void response.type('html').send(html));
  app.use(express.static('dist/cdn'));
  app.use('/checkout', (request, response) => toNodeListener(merchant.checkouts)(request, response));
  const mounted = await listen(createServer(app));
  undo.push(mounted.close);
  endpoint = mounted.endpoint;
  merchant = createMerchantBackend({ endpoint });
  undo.push(() => merchant.checkouts.stop());
  browser = await launchChromium();
  undo.push(() => browser.close());
});
after(async () => {
  for (const step of undo.reverse()) await step();
});

/** Opens a page with that tag and a new checkout. The addresses in the tag are replaced by those of this test. */
async function open(tag: string): Promise<Page> {
  const script = tag.includes('<script') ? '' : '<script type="module" src="/pay-invoice.js"></script>';
  const localTag = tag
    .replace('chk_…', await merchant.open())
    .replace(/https?:[^"]*\/checkout/, endpoint)
    .replace(/https?:[^"]*\/pay-invoice\.js/, '/pay-invoice.js');
  html = `<!doctype html><html lang="en"><meta charset="utf-8" />${script}${localTag}</html>`;
  const page = await browser.newPage({ locale: 'en-GB' });
  page.setDefaultTimeout(30_000);
  await page.goto(endpoint.replace(/checkout$/, 'page'));
  await page.locator('pay-invoice').getByRole('radio').first().waitFor();
  return page;
}

const visibleSlots = (page: Page): Promise<readonly string[]> =>
  page.locator('[slot]').evaluateAll((all) => all.filter((one) => one.checkVisibility()).map(({ slot }) => slot));

/** Each declaration of a style as a style of its own. */
const declarationsOf = (css: string): readonly string[] =>
  [...css.matchAll(/([^{}]+)\{([^}]*)\}/g)].flatMap(([, selector = '', body = '']) =>
    [...body.matchAll(/[^;\s][^;]*/g)].map(([declaration]) => `${selector.trim()} { ${declaration.trim()} }`),
  );

/** Runs in the page. Returns all computed styles of the page, the widget and its content under that style sheet. */
function computed(css: string): string {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
  const widget = document.querySelector('pay-invoice');
  const elements = [document.documentElement, widget, ...(widget?.shadowRoot?.querySelectorAll('*') ?? [])];
  return elements
    .flatMap((element) => (element === null ? [] : [getComputedStyle(element)]))
    .map((style) => [...style].map((name) => style.getPropertyValue(name)).join())
    .join('\n');
}

describe('an example of a page in the documents', { timeout: 300_000 }, () => {
  for (const { place, code } of tags)
    it(`shows the checkout: the tag at ${place}`, async () => {
      const page = await open(code);
      const slots = [...code.matchAll(/ slot="(\w+)"/g)].map(([, slot = '']) => slot);
      const withNames = (...names: readonly string[]) => slots.filter((slot) => names.includes(slot));
      assert.deepEqual(await visibleSlots(page), withNames('footer'));
      const widget = page.locator('pay-invoice');
      await choose(widget, 'Карта');
      await widget.getByText('CANARY HOLDER').waitFor();
      merchant.service.setStatus('FAILED');
      await widget.locator('[part=outcome]').waitFor();
      assert.deepEqual(await visibleSlots(page), withNames('failed', 'footer'));
      await page.close();
    });

  for (const { place, code } of blocksOf('css'))
    it(`takes effect in each declaration: the style at ${place}`, async () => {
      const page = await open('<pay-invoice checkout="chk_…"><p slot="footer">Terms</p></pay-invoice>');
      let style = '';
      let before = await page.evaluate(computed, style);
      for (const declaration of declarationsOf(code)) {
        style += declaration;
        const after = await page.evaluate(computed, style);
        assert.ok(after !== before, declaration);
        before = after;
      }
      await page.close();
    });

  for (const { place, code } of wording)
    it(`shows its texts on the page: the script at ${place}`, async () => {
      const page = await open('<pay-invoice checkout="chk_…"></pay-invoice>');
      const widget = page.locator('pay-invoice');
      await page.addScriptTag({ content: code });
      await widget.getByRole('radio', { name: 'Карта', exact: true }).check();
      await widget.getByRole('button', { name: 'Pay', exact: true }).click();
      await widget.getByText('CANARY HOLDER').waitFor();
      merchant.service.setStatus('PAID');
      await heading(widget, 'Paid').waitFor();
      await widget.getByText('Your tea is on its way.').first().waitFor(); // The live region contains it too.
      await page.close();
    });
});
