import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, describe, it } from 'node:test';
import express from 'express';
import type { Page } from 'playwright-core';
import { toNodeListener } from '../../src/server.ts';
import { documentOf } from '../docs/documents.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend } from '../mounts/merchant-backend.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';

// Pages of other origins than the backend, under the policy of docs/integrating.md.
const guide = documentOf('docs/integrating.md');
const policy = (guide.blocks.find(({ language }) => language === 'csp')?.code ?? assert.fail()).replaceAll('\n', ' ');

const browser = await openForFile(launchChromium());

/** Opens a page, and collects the errors that the browser reports. */
async function openPage(url: string): Promise<{ readonly page: Page; readonly browserErrors: readonly string[] }> {
  const page = await browser.newPage({ locale: 'en-GB' });
  const browserErrors: string[] = [];
  page.on('pageerror', (error) => browserErrors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.location().url.includes('favicon')) browserErrors.push(message.text());
  });
  await page.goto(url);
  return { page, browserErrors };
}

/** A page with the widget and nothing else, under the guide's policy. */
async function servePage(origin: { host: string }, endpointOf: () => string, id: () => string): Promise<string> {
  const app = express();
  app.get('/favicon.ico', (_request, response) => void response.status(204).end());
  app.use(express.static('dist/cdn'));
  app.get('/', (_request, response) => {
    const endpoint = endpointOf();
    response.setHeader(
      'content-security-policy',
      policy.replace("connect-src 'self'", `connect-src ${new URL(endpoint).origin}`),
    );
    response.type('html').send(`<!doctype html><html lang="en"><script type="module" src="/pay-invoice.js"></script>
      <pay-invoice endpoint="${endpoint}" checkout="${id()}"></pay-invoice></html>`);
  });
  const { endpoint, close } = await listen(createServer(app), '');
  after(close);
  return endpoint.replace('127.0.0.1', origin.host);
}

const widgetOf = (page: Page) => page.locator('pay-invoice');
const chooseMethod = async (page: Page, method: RegExp): Promise<void> => {
  await widgetOf(page).getByRole('radio', { name: method }).check();
  await widgetOf(page)
    .getByRole('button', { name: /continue|pay/i })
    .click();
};

describe('a merchant’s own page and backend', { timeout: 300_000 }, () => {
  it('a page of an allowed origin completes a payment, under the policy of the guide', async () => {
    let endpoint = '';
    let id = '';
    const pageUrl = await servePage({ host: 'localhost' }, () => endpoint, () => id); // prettier-ignore
    const merchant = createMerchantBackend({ allowedOrigins: [pageUrl] });
    const server = await listen(createServer(toNodeListener(merchant.checkouts)));
    after(async () => {
      await merchant.checkouts.stop();
      await server.close();
    });
    endpoint = server.endpoint;
    id = await merchant.open();
    const { page, browserErrors } = await openPage(pageUrl);
    await chooseMethod(page, /Transfer to a card/);
    await widgetOf(page).getByText('CANARY HOLDER').waitFor();
    merchant.service.setStatus('PAID');
    await widgetOf(page).getByRole('heading', { name: 'Paid', exact: true }).waitFor();
    assert.deepEqual(browserErrors, []);
  });
});
