import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { ExampleShop, freePort } from '../example-shops/example-shop.ts';
import { languages } from '../example-shops/languages.ts';
import { secret } from '../example-shops/webhook-vectors.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { until } from '../support/wait-until.ts';
import { choose, copyButton, heading, sbp } from './visit-page.ts';

// Buys from the shops of examples/ in a browser, through the checkout server and its sandbox.
const adminToken = 'token-of-the-admin-api-1234';
const folder = mkdtempSync(join(tmpdir(), 'example-shops-'));
const servers: ChildProcess[] = [];

let browser: Browser;
before(async () => {
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build-if-stale.ts', 'pages'], { stdio: 'inherit' });
  browser = await launchChromium();
});
after(async () => {
  await browser.close();
  for (const server of servers) server.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Starts the program of `npx pay-invoice-server` with its sandbox; resolves with the server's address. */
async function startCheckoutServer(name: string, shop: string): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/bin/server.ts'], {
    env: {
      PATH: process.env['PATH'],
      PORT: await freePort(),
      SANDBOX_PORT: await freePort(),
      DATA_DIR: join(folder, name),
      ADMIN_TOKEN: adminToken,
      OUTCOME_SECRET: secret,
      OUTCOME_URL: `${shop}/outcomes`,
      ALLOWED_ORIGINS: shop,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  servers.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const [, address] = /Checkout server +(http:\S+)/.exec(line) ?? [];
    if (address === undefined) continue;
    child.stdout.resume();
    return address;
  }
  throw new Error('the checkout server did not start');
}

async function payAtBank(address: string | null): Promise<void> {
  const bank = await browser.newPage({ locale: 'en-GB' });
  await bank.goto(address ?? '');
  await bank.getByRole('button', { name: 'Pay' }).click();
  await bank.close();
}

/** Opens the shop and presses its only button; resolves with the identifier of the order. */
async function order(page: Page, shop: ExampleShop): Promise<string> {
  await page.goto(shop.url);
  await page.getByRole('button', { name: 'Order' }).click();
  await page.locator('pay-invoice').getByRole('radio').first().waitFor();
  return new URL(page.url()).pathname.replace('/orders/', '');
}

describe('a shop that is not in Node', { timeout: 300_000 }, () => {
  for (const language of languages)
    it(`sells in ${language.name}, and is down while its buyer pays`, { skip: language.missing }, async () => {
      const port = await freePort();
      const server = await startCheckoutServer(language.name, `http://127.0.0.1:${port}`);
      const environment = { CHECKOUT_SERVER: server, ADMIN_TOKEN: adminToken };
      const shop = await ExampleShop.start(language, port, environment);
      const page = await browser.newPage({ locale: 'en-GB' });
      page.setDefaultTimeout(30_000);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });

      const id = await order(page, shop);
      const widget = page.locator('pay-invoice');
      await choose(widget, sbp);
      await copyButton(widget, 'Phone number').waitFor();
      assert.equal(await shop.status(id), 'new');

      await shop.kill();
      await payAtBank(await widget.locator('[part=qr-link]').getAttribute('href'));
      await heading(widget, 'Paid').waitFor();
      await shop.restart();
      await until('the outcome is delivered', async () => (await shop.status(id)) === 'paid', 60_000);

      await page.reload();
      await heading(widget, 'Paid').waitFor();
      await page.getByText('Status: paid').waitFor();
      assert.doesNotMatch(await (await shop.staffPage()).text(), new RegExp(id));
      assert.deepEqual(complaints, []);
      await page.close();
      await shop.stop();
    });

  it('creates a checkout with the documented curl command, and the same one for the same order', async () => {
    const server = await startCheckoutServer('curl', 'http://127.0.0.1:9');
    const create = async (token: string): Promise<string> => {
      const env = { ...process.env, CHECKOUT_SERVER: server, ADMIN_TOKEN: token };
      const { stdout } = await promisify(execFile)('sh', ['examples/curl/create-checkout.sh'], { env });
      return z.object({ id: z.string().startsWith('chk_') }).parse(JSON.parse(stdout)).id;
    };
    assert.equal(await create(adminToken), await create(adminToken));
    await assert.rejects(create('another-token-of-24-letters'), /401/);
  });
});
