import assert from 'node:assert/strict';
import { cp, readFile, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { createSandbox } from '../../src/sandbox/create-sandbox.ts';
import { createInvoiceServiceClient, toNodeListener } from '../../src/server.ts';
import { documentOf, fileIn } from '../docs/documents.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend, type MerchantBackend } from '../mounts/merchant-backend.ts';
import { CleanMachine, pack } from './clean-machine.ts';
import { launchChromium } from '../support/launch-chromium.ts';

// Each folder of test/examples is a page of a merchant of its own, built from the packed package and not from this source.
// The components in them are those of docs/integrating.md.
const guide = documentOf('docs/integrating.md');
const ofGuide = {
  'react/src/Checkout.tsx': 'Checkout.tsx',
  'vue/src/Checkout.vue': 'Checkout.vue',
  'vue/vite.config.js': 'vite.config.js',
  'svelte/src/Checkout.svelte': 'Checkout.svelte',
};
const bundled = ['react', 'vue', 'svelte'];
const served = ['plain', ...bundled];
const examples = [...served, 'lit'];
const pages = ['plain/module.html', 'plain/classic.html', ...bundled.map((name) => `${name}/`)];

/** What the types must not let pass: in which file what is written instead of what, and what the check says of it. */
const mistakes = {
  react: {
    file: 'src/Checkout.tsx',
    rows: [
      ['theme="light"', 'theme="blue"', /"blue"/],
      ['event.checkout.id', 'event.invoice.id', /'invoice' does not exist/],
    ],
  },
  vue: {
    file: 'src/Checkout.vue',
    rows: [
      ['theme="light"', 'theme="blue"', /"blue"/],
      ['event.checkout.id', 'event.invoice.id', /'invoice' does not exist/],
    ],
  },
  svelte: {
    file: 'src/Checkout.svelte',
    rows: [
      ['theme="light"', 'theme="blue"', /"blue"/],
      ['event.checkout.id', 'event.invoice.id', /'invoice' does not exist/],
    ],
  },
  lit: {
    file: 'src/server.ts',
    rows: [
      ["theme: 'light'", "theme: 'blue'", /"blue"/],
      ['outcome.orderId', 'outcome.order', /'order' does not exist/],
    ],
  },
} as const;

const invoices = z.object({ invoices: z.array(z.object({ id: z.string() })) });

let machine: CleanMachine;
let browser: Browser;
let merchant: MerchantBackend;
let origin = '';
let litShop = '';
let sandbox = '';
const undo: (() => unknown)[] = [];

before(async () => {
  machine = await CleanMachine.empty({ 'package.json': JSON.stringify({ private: true, workspaces: examples }) });
  undo.push(() => machine.remove());
  for (const name of examples) await cp(`test/examples/${name}`, join(machine.folder, name), { recursive: true });
  for (const [path, name] of Object.entries(ofGuide)) await machine.write({ [path]: fileIn(guide, name) });
  const { file } = await pack(machine.folder);
  await rename(file, join(machine.folder, 'pay-invoice.tgz'));
  await machine.npm('install');
  await machine.run('npm', 'run', 'build', '--workspaces');

  const service = createSandbox({ token: 'sandbox-token' });
  undo.push(() => service.close());
  sandbox = (await service.listen({ port: 0, host: '127.0.0.1' })).url;
  merchant = createMerchantBackend({
    service: createInvoiceServiceClient({ baseUrl: sandbox, token: 'sandbox-token' }),
  });
  undo.push(() => merchant.checkouts.stop());
  const app = express();
  for (const name of served) app.use(`/${name}`, express.static(join(machine.folder, name, 'dist')));
  app.get('/favicon.ico', (_request, response) => void response.status(204).end());
  app.use(toNodeListener(merchant.checkouts));
  const { endpoint, close } = await listen(createServer(app), '');
  undo.push(close);
  origin = endpoint;
  const shop = machine.start('env', 'PORT=0', `INVOICE_BASE_URL=${sandbox}`, 'node', 'lit/dist/server.js');
  litShop = await shop.printed(/Shop (http:\S+)/);
  browser = await launchChromium();
  undo.push(() => browser.close());
});
after(async () => {
  for (const step of undo.reverse()) await step();
});

/** Chooses the first kind of transfer, pays at the bank, and sees both the widget and the page around it say so. */
async function pay(page: Page, id: string, proceed: string): Promise<void> {
  const widget = page.locator('pay-invoice');
  await widget.getByRole('radio', { name: /СБП/ }).check();
  await widget.getByRole('button', { name: proceed, exact: true }).click();
  await widget.locator('svg[part=qr]').waitFor();
  const held: unknown = await (await fetch(`${sandbox}/sandbox/invoices`)).json();
  const [newest] = invoices.parse(held).invoices;
  await fetch(`${sandbox}/sandbox/invoices/${newest?.id ?? ''}/pay`, { method: 'POST' });
  await widget.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  await page.getByText(`Paid ${id}`, { exact: true }).waitFor();
}

/** A page, and what its console complains of. */
async function open(): Promise<{ page: Page; complaints: readonly string[] }> {
  const page = await browser.newPage({ locale: 'en-GB' });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return { page, complaints };
}

describe('a page that has the package from its tarball', { timeout: 480_000 }, () => {
  for (const path of pages)
    it(`pays: ${path}`, async () => {
      const id = await merchant.open();
      const { page, complaints } = await open();
      await page.goto(`${origin}/${path}?checkout=${id}`);
      await pay(page, id, path.startsWith('plain') ? 'Continue' : 'Go on');
      assert.deepEqual(complaints, []);
      await page.close();
    });

  it('pays where a server has rendered it, and goes on from the nodes that came: lit', async () => {
    const { page, complaints } = await open();
    // The frame as it came, before any module runs.
    await page.addInitScript(() => {
      document.addEventListener('readystatechange', () => {
        const rendered = document.querySelector('pay-invoice')?.shadowRoot?.querySelector('[part=base]');
        if (document.readyState === 'interactive') Object.assign(globalThis, { rendered });
      });
    });
    await page.goto(litShop);
    const order = page.waitForResponse(/\/pay\/chk_/);
    await page.getByRole('button', { name: 'Order a tea bowl' }).click();
    assert.match(await (await order).text(), /<template shadowroot.*СБП/s);
    await page.waitForFunction(() => Reflect.get(document.querySelector('pay-invoice') ?? {}, 'hasUpdated') === true);
    const isKept = await page.evaluate(() => {
      const { rendered } = globalThis as { rendered?: unknown };
      const frame = document.querySelector('pay-invoice')?.shadowRoot?.querySelector('[part=base]');
      return frame instanceof Element && rendered === frame;
    });
    assert.equal(isKept, true);
    await pay(page, new URL(page.url()).pathname.slice('/pay/'.length), 'Continue');
    assert.deepEqual(complaints, []);
    await page.close();
  });

  for (const [name, { file, rows }] of Object.entries(mistakes)) {
    it(`is what its types allow: ${name}`, async () => {
      await machine.run('npm', 'run', 'check', '--workspace', name);
    });

    it(`is held to its types, which find ${rows.map(([, wrong]) => wrong).join(' and ')}: ${name}`, async () => {
      const path = join(name, file);
      const text = await readFile(join(machine.folder, path), 'utf8');
      for (const [right] of rows) assert.ok(text.includes(right), right);
      await machine.write({ [path]: rows.reduce((wrong, row) => wrong.replace(row[0], row[1]), text) });
      const said = await machine.run('npm', 'run', 'check', '--workspace', name).then(
        () => '',
        (error: unknown) => String(error),
      );
      for (const [, , complaint] of rows) assert.match(said, complaint);
      await machine.write({ [path]: text });
    });
  }
});
