import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { findFreePort } from '../example-shops/example-shop.ts';
import { testOutcomes } from '../example-shops/outcome-table.ts';
import { openSqliteFile } from '../../src/stores/sqlite-file.ts';
import type { Program } from './clean-machine.ts';
import {
  ExampleWorkspace,
  findKindsForPerson,
  openPage,
  payInPage,
  startBrowserAndSandbox,
  type Mistake,
} from './example-workspace.ts';

// Shops in a framework with its own server, built by docs/frameworks.md from the packed package.
const frameworks = [
  // `readyPattern` matches the line that its server prints when it listens; `page` is the file with the listener of an event.
  { name: 'next', readyPattern: /(Ready)/, page: 'app/orders/[order]/payment.tsx' },
  { name: 'nuxt', readyPattern: /(Listening)/, page: 'app/pages/orders/[order].vue' },
] as const;
type Framework = (typeof frameworks)[number];

const mistake: Mistake = ['event.checkout.reference', 'event.invoice.reference', /'invoice' does not exist/];

let workspace: ExampleWorkspace;
let services: Awaited<ReturnType<typeof startBrowserAndSandbox>>;
before(async () => {
  workspace = await ExampleWorkspace.build(frameworks.map(({ name }) => name));
  services = await startBrowserAndSandbox();
});
after(async () => {
  await services.close();
  await workspace.machine.remove();
});

/** Starts the shop with a script of its package.json. */
async function startShop({ name, readyPattern }: Framework, script: 'start' | 'dev', port: string): Promise<Program> {
  const variables = [
    `PORT=${port}`,
    `PUBLIC_URL=http://localhost:${port}`,
    `INVOICE_BASE_URL=${services.sandbox}`,
    'INVOICE_ACCESS_TOKEN=sandbox-token',
    'INVOICE_MODE=TEST',
    'NEXT_TELEMETRY_DISABLED=1',
  ];
  const program = workspace.machine.start('env', ...variables, 'npm', 'run', script, '--workspace', name);
  await program.printed(readyPattern);
  return program;
}

/** Places an order, and waits for its methods. */
async function placeOrder(page: Page, port: string): Promise<void> {
  await page.goto(`http://localhost:${port}`);
  await page.getByRole('button', { name: 'Order a tea bowl' }).click();
  await page.waitForURL(/\/orders\//);
  await page.locator('pay-invoice').getByRole('radio').first().waitFor();
}

/** Whether the table of orders that docs/frameworks.md makes has the order as paid. */
function isPaid({ name }: Framework, orderId: string): boolean {
  const database = openSqliteFile(join(workspace.folderOf(name), 'orders.db'));
  try {
    return database.prepare("select id from orders where status = 'paid' and id = ?").all([orderId]).length === 1;
  } finally {
    database.close();
  }
}

/** The response to the script of the pay page. */
async function widgetOf(page: Page): Promise<{ status: number; body: string }> {
  const source = await page.locator('script[type=module]').getAttribute('src');
  const response = await fetch(new URL(source ?? '', page.url()));
  return { status: response.status, body: await response.text() };
}

for (const framework of frameworks)
  describe(`a shop in a framework with its own server: ${framework.name}`, { timeout: 580_000 }, () => {
    it('has the payment methods in its first HTML, and takes a payment', async () => {
      const port = await findFreePort();
      const program = await startShop(framework, 'start', port);
      const { page, browserErrors } = await openPage(services.browser);
      await placeOrder(page, port);
      const html = await (await fetch(page.url())).text();
      assert.equal(
        html.match(/<pay-invoice[^>]*><style>[^<]*<\/style>\s*<div slot="markup".*?(?:SBP|СБП)/gs)?.length,
        1,
      );
      await page.reload();
      await payInPage(page, services.sandbox, 'Pay by SBP');
      assert.deepEqual(browserErrors, []);
      await page.close();
      await program.kill();
    });

    it('leads to the pay page where the payer continues before the scripts have come', async () => {
      const port = await findFreePort();
      const program = await startShop(framework, 'start', port);
      const page = await services.browser.newPage({ locale: 'en-GB' });
      await page.route('**/*.js', (route) => route.abort());
      await placeOrder(page, port);
      await page.getByRole('button', { name: 'Pay by SBP' }).click();
      await page.waitForURL(/\/pay\/chk_/);
      await page.getByRole('img', { name: 'QR' }).waitFor();
      const { body, status } = await widgetOf(page);
      assert.equal(status, 200);
      assert.match(body, /pay-invoice/);
      await page.close();
      await program.kill();
    });

    // Vue warns of a mismatch between the server's HTML and its own render in production too.
    if (framework.name === 'next')
      it('hydrates without a warning in development', async () => {
        const port = await findFreePort();
        const program = await startShop(framework, 'dev', port);
        const { page, browserErrors } = await openPage(services.browser);
        await placeOrder(page, port);
        await page.reload();
        await page.locator('pay-invoice').getByRole('radio').first().waitFor();
        assert.deepEqual(
          browserErrors.filter((text) => !text.startsWith('Lit is in dev mode')),
          [],
        );
        await page.close();
        await program.kill();
      });

    it(`has types that reject ${mistake[1]}, and report nothing else`, async () => {
      const errors = await workspace.findTypeErrors(framework.name, framework.page, [mistake]);
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors.join('\n'), mistake[2]);
    });
  });

for (const framework of frameworks)
  describe(`the outcomes in a shop in a framework with its own server: ${framework.name}`, { timeout: 300_000 }, () => {
    let program: Program;
    after(() => program.kill());
    testOutcomes(async () => {
      const port = await findFreePort();
      program = await startShop(framework, 'start', port);
      const server = `http://localhost:${port}`;
      return {
        server,
        sandbox: services.sandbox,
        checkoutsFile: join(workspace.folderOf(framework.name), '.data/checkouts.db'),
        order: () => fetch(`${server}/orders`, { method: 'POST', redirect: 'manual' }),
        isPaid: (orderId) => isPaid(framework, orderId),
        listForPerson: (orderId) => findKindsForPerson(program, orderId),
      };
    });
  });
