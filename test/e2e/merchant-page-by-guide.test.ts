import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { toNodeListener } from '../../src/server.ts';
import { documentOf, fileIn } from '../docs/documents.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend } from '../mounts/merchant-backend.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { until } from '../support/wait-until.ts';

// Follows docs/integrating.md: writes its files into an empty folder and runs them.
const guide = documentOf('docs/integrating.md');
const policy = (guide.blocks.find(({ language }) => language === 'csp')?.code ?? assert.fail()).replaceAll('\n', ' ');

let browser: Browser;
const cleanupSteps: (() => unknown)[] = [];
before(async () => {
  browser = await launchChromium();
});
after(async () => {
  for (const step of cleanupSteps.reverse()) await step();
  await browser.close();
});

/** Starts the guide's shop in a new folder, with the packages of this project. */
async function startShopOfGuide(service: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'own-page-'));
  cleanupSteps.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'public'));
  await mkdir(join(folder, 'node_modules', 'pay-invoice', 'dist'), { recursive: true });
  await symlink(resolve('dist/cdn'), join(folder, 'node_modules', 'pay-invoice', 'dist', 'cdn'));
  const shop = fileIn(guide, 'shop.ts')
    .replaceAll(/'pay-invoice\/([a-z-]+)'/g, (_, name: string) => JSON.stringify(resolve(`src/${name}.ts`)))
    .replaceAll("from 'express'", `from '${import.meta.resolve('express')}'`);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'shop.ts'), shop);
  for (const name of ['public/index.html', 'public/order.js']) await writeFile(join(folder, name), fileIn(guide, name));
  const { endpoint: shopUrl, close } = await listen(createServer(), '');
  await close();
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), 'shop.ts'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: new URL(shopUrl).port, INVOICE_BASE_URL: service },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  cleanupSteps.push(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  await until('the shop answers', async () => (await fetch(shopUrl).catch(() => undefined))?.ok === true, 60_000);
  return shopUrl;
}

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
  cleanupSteps.push(close);
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
  it('the guide leads from an empty folder to a paid order', async () => {
    const sandbox = createSandbox({ token: 'sandbox-token' });
    cleanupSteps.push(() => sandbox.close());
    const { url: service } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
    const shop = await startShopOfGuide(service);
    const { page, browserErrors } = await openPage(shop);
    const orderResponse = page.waitForResponse((response) => response.url().endsWith('/orders'));
    await page.getByRole('button', { name: 'Order a tea bowl' }).click();
    const { order_id } = (await (await orderResponse).json()) as { order_id: string };
    await chooseMethod(page, /SBP|СБП/);
    const bank = await browser.newPage();
    await bank.goto((await widgetOf(page).getByRole('link').first().getAttribute('href')) ?? '');
    await bank.getByRole('button', { name: /^(Pay|Оплатить)/ }).click();
    await widgetOf(page).getByRole('heading', { name: 'Paid', exact: true }).waitFor();
    const fetchOrder = async (): Promise<unknown> => (await fetch(`${shop}/orders/${order_id}`)).json();
    await until(
      'the order is paid',
      async () => ((await fetchOrder()) as { status: string }).status === 'paid',
      30_000,
    );
    assert.deepEqual(await fetchOrder(), { order_id, amount: '1500.00', status: 'paid' });
    assert.deepEqual(browserErrors, []);
  });

  it('a page of an allowed origin completes a payment, under the policy of the guide', async () => {
    let endpoint = '';
    let id = '';
    const pageUrl = await servePage({ host: 'localhost' }, () => endpoint, () => id); // prettier-ignore
    const merchant = createMerchantBackend({ allowedOrigins: [pageUrl] });
    const server = await listen(createServer(toNodeListener(merchant.checkouts)));
    cleanupSteps.push(server.close, () => merchant.checkouts.stop());
    endpoint = server.endpoint;
    id = await merchant.open();
    const { page, browserErrors } = await openPage(pageUrl);
    await chooseMethod(page, /Transfer to a card/);
    await widgetOf(page).getByText('CANARY HOLDER').waitFor();
    merchant.service.setStatus('PAID');
    await widgetOf(page).getByRole('heading', { name: 'Paid', exact: true }).waitFor();
    assert.deepEqual(browserErrors, []);
  });

  it('a page of an origin that is not allowed can neither read nor write', async () => {
    const merchant = createMerchantBackend({ allowedOrigins: ['https://shop.example'] });
    const server = await listen(createServer(toNodeListener(merchant.checkouts)));
    cleanupSteps.push(server.close, () => merchant.checkouts.stop());
    const id = await merchant.open();
    const pageUrl = await servePage({ host: 'localhost' }, () => server.endpoint, () => id); // prettier-ignore
    const { page, browserErrors } = await openPage(pageUrl);
    await until('the browser refuses the read', () => browserErrors.some((text) => text.includes('CORS')));
    assert.equal(await widgetOf(page).getByRole('radio').count(), 0);
    const statuses = await page.evaluate(async (address) => {
      const headers = { 'idempotency-key': 'key-1' };
      const body = '{"payment_method_id":"pm_card"}';
      const requests = [
        fetch(address, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }),
        fetch(address, { method: 'POST', body, mode: 'no-cors' }),
      ];
      return (await Promise.allSettled(requests)).map(({ status }) => status);
    }, `${server.endpoint}/${id}/invoice`);
    assert.deepEqual(statuses, ['rejected', 'fulfilled'], 'the second is sent, and the server refuses it');
    assert.equal(merchant.service.createRequests.length, 0);
  });
});
