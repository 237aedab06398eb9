import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { documentOf, fileIn, shellIn } from '../docs/documents.ts';
import { chooseMethod, findCopyButton, findHeading, sbp } from '../e2e/visit-page.ts';
import { findFreePort } from '../example-shops/example-shop.ts';
import { testOutcomes } from '../example-shops/outcome-table.ts';
import { openSqliteFile } from '../../src/stores/sqlite-file.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { until } from '../support/wait-until.ts';
import { postgresDatabases } from '../stores/databases.ts';
import { CleanMachine, pack, type Program } from './clean-machine.ts';
import { findKindsForPerson, openPage, payAtBank } from './example-workspace.ts';

// Follows docs/integrating.md in an empty folder: installs the package, writes the files as they are, and takes a payment.
const guide = documentOf('docs/integrating.md');

let machine: CleanMachine;
let browser: Browser;
before(async () => {
  const names = ['shop.ts', 'public/index.html', 'public/order.js'];
  machine = await CleanMachine.empty(Object.fromEntries(names.map((name) => [name, fileIn(guide, name)])));
  const { file } = await pack(machine.folder);
  await runShell(shellIn(guide, 'npm install').replace('pay-invoice', file));
  browser = await launchChromium();
});
after(async () => {
  await browser.close();
  await machine.remove();
});

const runShell = (code: string): Promise<string> =>
  machine.run('env', 'npm_config_prefer_offline=true', 'npm_config_audit=false', 'sh', '-ec', code);

const sandboxAddressPattern = /Sandbox +(http:\S+)/;
const startSandbox = (): Promise<string> =>
  machine
    .start('sh', '-c', `${shellIn(guide, 'npx pay-invoice-sandbox').trim()} --port 0`)
    .printed(sandboxAddressPattern);

/** The settings of a service: the sandbox at its own address. */
const serviceOf = (sandbox: string) => ({
  INVOICE_BASE_URL: sandbox,
  INVOICE_ACCESS_TOKEN: 'sandbox-token',
  INVOICE_MODE: 'TEST',
});

/** Starts the guide's shop. Resolves once it listens. */
async function startShop(
  address: string,
  sandbox: string,
  moreVariables: Readonly<Record<string, string>>,
): Promise<Program> {
  const variablesByName = { PORT: new URL(address).port, ...serviceOf(sandbox), ...moreVariables };
  const variables = Object.entries(variablesByName).map(([name, value]) => `${name}=${value}`);
  const program = machine.start('env', ...variables, 'sh', '-c', shellIn(guide, 'node shop.ts'));
  await program.printed(/(http:\S+)/);
  return program;
}

async function placeOrder(page: Page): Promise<{ readonly order_id: string; readonly checkout: string }> {
  const orderResponse = page.waitForResponse((response) => response.url().endsWith('/orders'));
  await page.getByRole('button', { name: 'Order a tea bowl' }).click();
  return (await (await orderResponse).json()) as { order_id: string; checkout: string };
}

/** Buys in the shop of the guide. The shop is killed between the invoice and the payment, and started again. */
async function buyThroughCrash(variables: Readonly<Record<string, string>> = {}): Promise<void> {
  const shop = `http://127.0.0.1:${await findFreePort()}`;
  const sandbox = await startSandbox();
  const firstRun = await startShop(shop, sandbox, variables);
  const { page, browserErrors } = await openPage(browser);
  await page.goto(shop);
  const { order_id } = await placeOrder(page);
  const widget = page.locator('pay-invoice');
  await chooseMethod(widget, sbp);
  await findCopyButton(widget, 'Phone number').waitFor();
  assert.deepEqual(browserErrors, []);
  await firstRun.kill();
  await payAtBank(browser, await widget.locator('[part=qr-link]').getAttribute('href'));
  const secondRun = await startShop(shop, sandbox, variables);
  await findHeading(widget, 'Payment received').waitFor();
  const fetchOrder = async (): Promise<unknown> => (await fetch(`${shop}/orders/${order_id}`)).json();
  await until('the order is paid', async () => ((await fetchOrder()) as { status: string }).status === 'paid', 30_000);
  await page.close();
  await secondRun.kill();
}

describe('the guide, in a folder with only the package', { timeout: 300_000 }, () => {
  it('keeps the order and its payment through a crash of the shop', () => buyThroughCrash());

  it('keeps the order and its payment through a crash of the shop with PostgreSQL, after the change of step 5', async (t) => {
    const databases = await postgresDatabases();
    if (databases === undefined) {
      t.skip('PostgreSQL is not installed');
      return;
    }
    t.after(() => databases.end());
    const { databaseUrl = '' } = await databases.fresh();
    await runShell('npm install pg');
    const postgresCode =
      guide.blocks.find(({ code }) => code.startsWith('import { createPostgresStore'))?.code ?? assert.fail();
    const [importLine = '', storeLine = ''] = postgresCode.split('\n').filter((line) => line !== '');
    const shopWithPostgres = fileIn(guide, 'shop.ts')
      .replace(/^import .* from 'pay-invoice\/sqlite';$/m, importLine)
      .replace(/^const store = .*$/m, storeLine);
    assert.ok(!shopWithPostgres.includes('Sqlite'));
    await machine.write({ 'shop.ts': shopWithPostgres });
    await buyThroughCrash({ DATABASE_URL: databaseUrl });
  });

  it('runs the shop that the README copies, whose order is paid on the pay page', async () => {
    const copy = shellIn(documentOf('README.md'), 'npm install pay-invoice hono').split('\n');
    const example = copy.find((line) => line.startsWith('cp ')) ?? assert.fail();
    await runShell(
      `npm install hono @hono/node-server; mkdir example; cd example; ${example.replace('node_modules', '../node_modules')}`,
    );
    const program = machine.start('sh', '-c', 'cd example; PORT=0 SANDBOX_PORT=0 node main.ts');
    const { page, browserErrors } = await openPage(browser);
    await page.goto(await program.printed(/Shop +(http:\S+)/));
    await page.getByRole('button', { name: /Tea bowl/ }).click();
    const widget = page.locator('pay-invoice');
    await chooseMethod(widget, sbp);
    await payAtBank(browser, await widget.locator('[part=qr-link]').getAttribute('href'));
    await findHeading(widget, 'Payment received').waitFor();
    assert.deepEqual(browserErrors, []);
    await page.close();
    await program.kill();
  });

  it('has a test of a shop that passes', async () => {
    await machine.write({ 'shop.test.ts': fileIn(guide, 'shop.test.ts') });
    assert.match(await runShell('node --test shop.test.ts'), /pass 1/);
  });
});

describe('the outcomes in the shop of the guide, in Express', { timeout: 300_000 }, () => {
  testOutcomes(async () => {
    await machine.write({ 'shop.ts': fileIn(guide, 'shop.ts') });
    const server = `http://127.0.0.1:${await findFreePort()}`;
    const sandbox = await startSandbox();
    const program = await startShop(server, sandbox, {});
    return {
      server,
      sandbox,
      checkoutsFile: join(machine.folder, '.data/shop.db'),
      order: () => fetch(`${server}/orders`, { method: 'POST' }),
      isPaid: async (orderId) =>
        (await (await fetch(`${server}/orders/${orderId}`)).text()).includes('"status":"paid"'),
      listForPerson: (orderId) => findKindsForPerson(program, orderId),
    };
  });
});

describe('the outcomes in the shop that the README copies, in hono', { timeout: 300_000 }, () => {
  testOutcomes(async () => {
    const program = machine.start('sh', '-c', 'cd example; DATA_DIR=.outcomes PORT=0 SANDBOX_PORT=0 node main.ts');
    const server = await program.printed(/Shop +(http:\S+)/);
    const sandbox = await program.printed(/Sandbox +(http:\S+)/);
    const checkoutsFile = join(machine.folder, 'example/.outcomes/checkouts.db');
    return {
      server,
      sandbox,
      checkoutsFile,
      order: () =>
        fetch(`${server}/orders`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ sku: 'cup' }) }),
      isPaid(orderId) {
        const database = openSqliteFile(checkoutsFile);
        const paid = 'select order_id from leaf_orders where paid_at is not null and order_id = ?';
        try {
          return database.prepare(paid).all([orderId]).length === 1;
        } finally {
          database.close();
        }
      },
      listForPerson: (orderId) => findKindsForPerson(program, orderId),
    };
  });
});
