import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { chooseMethod, findCopyButton, findHeading, sbp } from '../e2e/visit-page.ts';
import { ExampleShop, findFreePort, languages } from '../example-shops/example-shop.ts';
import { secret } from '../example-shops/webhook-vectors.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { until } from '../support/wait-until.ts';
import { CleanMachine } from './clean-machine.ts';
import { openPage, payAtBank } from './example-workspace.ts';

// Buys from the shops of examples/ in a browser, through the checkout server of the packed package and its sandbox.
const adminToken = 'token-of-the-admin-api-1234';

let machine: CleanMachine;
let browser: Browser;
before(async () => {
  machine = await CleanMachine.withPackage();
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

/** Opens the shop and presses its only button; resolves with the identifier of the order. */
async function placeOrder(page: Page, shop: ExampleShop): Promise<string> {
  await page.goto(shop.url);
  await page.getByRole('button', { name: 'Order' }).click();
  await page.locator('pay-invoice').getByRole('radio').first().waitFor();
  return new URL(page.url()).pathname.replace('/orders/', '');
}

describe('a shop that is not written for Node', { timeout: 300_000 }, () => {
  for (const language of languages)
    it(
      `in ${language.name} gets its payment although it is down while the payer pays`,
      { skip: language.reasonToSkip },
      async () => {
        const port = await findFreePort();
        const server = await startCheckoutServer(language.name, `http://127.0.0.1:${port}`);
        const environment = { CHECKOUT_SERVER: server, ADMIN_TOKEN: adminToken };
        const shop = await ExampleShop.start(language, port, environment);
        const { page, browserErrors } = await openPage(browser);
        const id = await placeOrder(page, shop);
        const widget = page.locator('pay-invoice');
        await chooseMethod(widget, sbp);
        await findCopyButton(widget, 'Phone number').waitFor();
        assert.equal(await shop.fetchStatus(id), 'new');

        await shop.kill();
        await payAtBank(browser, await widget.locator('[part=qr-link]').getAttribute('href'));
        await findHeading(widget, 'Payment received').waitFor();
        await shop.restart();
        await until('the outcome is delivered', async () => (await shop.fetchStatus(id)) === 'paid', 60_000);

        await page.reload();
        await findHeading(widget, 'Payment received').waitFor();
        await page.getByText('Status: paid').waitFor();
        assert.doesNotMatch(await (await shop.fetchStaffPage()).text(), new RegExp(id));
        assert.deepEqual(browserErrors, []);
        await page.close();
        await shop.stop();
      },
    );
});
