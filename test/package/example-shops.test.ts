import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { choose, copyButton, heading, sbp } from '../e2e/visit-page.ts';
import { ExampleShop, freePort } from '../example-shops/example-shop.ts';
import { languages } from '../example-shops/languages.ts';
import { secret } from '../example-shops/webhook-vectors.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { until } from '../support/wait-until.ts';
import { CleanMachine } from './clean-machine.ts';

// Buys from the shops of examples/ in a browser, through the checkout server of the packed package and its sandbox.
const adminToken = 'token-of-the-admin-api-1234';

let machine: CleanMachine;
let browser: Browser;
before(async () => {
  machine = await CleanMachine.make('libsql', 'kysely');
  browser = await launchChromium();
});
after(async () => {
  await browser.close();
  await machine.remove();
});

/** Starts `npx pay-invoice-server` with its sandbox; resolves with the server's address. */
async function startCheckoutServer(name: string, shop: string): Promise<string> {
  const variables = [
    'PORT=0',
    'SANDBOX_PORT=0',
    `DATA_DIR=${name}`,
    `ADMIN_TOKEN=${adminToken}`,
    `OUTCOME_SECRET=${secret}`,
    `OUTCOME_URL=${shop}/outcomes`,
    `ALLOWED_ORIGINS=${shop}`,
  ];
  const program = machine.start('env', ...variables, 'npx', '--no-install', 'pay-invoice-server');
  return program.printed(/Checkout server +(http:\S+)/);
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
    it(
      `in ${language.name} gets its payment although it is down while the payer pays`,
      { skip: language.missing },
      async () => {
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
      },
    );

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
