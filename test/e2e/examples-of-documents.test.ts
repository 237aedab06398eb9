import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import type { Page } from 'playwright-core';
import { toNodeListener } from '../../src/server.ts';
import { documents } from '../docs/documents.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend, type MerchantBackend } from '../mounts/merchant-backend.ts';
import { chooseMethod, findHeading, openBrowser } from './visit-page.ts';

// The tags, styles and scripts of the documents, each on a page of its own.
const blocksOf = (language: string) =>
  documents.flatMap(({ blocks }) => blocks.filter((block) => block.language === language));
const tags = blocksOf('html').filter(({ code }) => code.includes('<pay-invoice'));
const messageScripts = blocksOf('js').filter(({ code }) => code.includes('.messages ='));

let merchant: MerchantBackend;
const browser = await openBrowser();
let endpoint = '';
let html = '';
const cleanupSteps: (() => unknown)[] = [];

before(async () => {
  const app = express();
  app.get('/favicon.ico', (_request, response) => void response.status(204).end());
  // A picture of a method that cannot be loaded is not shown.
  app.get(
    '/sbp.svg',
    (_request, response) => void response.type('svg').send('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  );
  app.get('/page', (_request, response) => void response.type('html').send(html));
  app.use(express.static('dist/cdn'));
  app.use('/checkout', (request, response) => toNodeListener(merchant.checkouts)(request, response));
  const server = await listen(createServer(app));
  cleanupSteps.push(server.close);
  endpoint = server.endpoint;
  merchant = createMerchantBackend({ endpoint });
  cleanupSteps.push(() => merchant.checkouts.stop());
});
after(async () => {
  for (const step of cleanupSteps.reverse()) await step();
});

/** Opens a page with that tag and a new checkout. The addresses in the tag are replaced by those of this test. */
async function openPage(tag: string): Promise<Page> {
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

/** The declarations of a style sheet, each with its selector. */
const declarationsOf = (css: string): readonly string[] =>
  [...css.matchAll(/(?<![^{}])([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selector = '', body = '']) =>
    [...body.matchAll(/[^;\s][^;]*/g)].map(([declaration]) => `${selector.trim()} { ${declaration.trim()} }`),
  );

/** Runs in the page. Returns all computed styles of the page, the widget and its content with the style sheet. */
function computeStyles(css: string): string {
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
      const page = await openPage(code);
      const slots = [...code.matchAll(/ slot="([\w-]+)"/g)].map(([, slot = '']) => slot);
      const slotsAmong = (...names: readonly string[]) => slots.filter((slot) => names.includes(slot));
      assert.deepEqual(await visibleSlots(page), slotsAmong('logo', 'method-sbp', 'footer'));
      const widget = page.locator('pay-invoice');
      await chooseMethod(widget, 'Transfer to a card');
      await widget.getByText('CANARY HOLDER').waitFor();
      merchant.service.setStatus('FAILED');
      await widget.locator('[part=outcome]').waitFor();
      assert.deepEqual(await visibleSlots(page), slotsAmong('logo', 'failed', 'support', 'footer'));
    });

  for (const { place, code } of blocksOf('css'))
    it(`changes the computed styles by each of its declarations: the style at ${place}`, async () => {
      const page = await openPage('<pay-invoice checkout="chk_…"><p slot="footer">Terms</p></pay-invoice>');
      let css = '';
      let previousStyles = await page.evaluate(computeStyles, css);
      for (const declaration of declarationsOf(code)) {
        css += declaration;
        const styles = await page.evaluate(computeStyles, css);
        assert.ok(styles !== previousStyles, declaration);
        previousStyles = styles;
      }
    });

  for (const { place, code } of messageScripts)
    it(`shows its texts on the page: the script at ${place}`, async () => {
      const page = await openPage('<pay-invoice checkout="chk_…"></pay-invoice>');
      const widget = page.locator('pay-invoice');
      await page.addScriptTag({ content: code });
      await widget.getByRole('radio', { name: 'Transfer to a card', exact: true }).check();
      await widget.getByRole('button', { name: 'Pay', exact: true }).click();
      await widget.getByText('CANARY HOLDER').waitFor();
      merchant.service.setStatus('PAID');
      await findHeading(widget, 'Payment received').waitFor();
      await widget.getByText('Your tea is on its way.').first().waitFor(); // The live region contains the text too.
    });
});
