import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { listen } from '../mounts/listen.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { waitForUpdate } from '../support/wait-for-update.ts';
import type { Program } from './clean-machine.ts';
import { ExampleWorkspace, openPage, type Mistake } from './example-workspace.ts';
import { payInPage } from './pay-in-page.ts';

// A shop that is built by docs/frameworks.md from the packed package.
const orderButton = 'Order a tea bowl';

/** A framework, with the facts that the tests of its shop need. */
interface Framework {
  readonly name: 'next' | 'nuxt';
  /** Matches the line that its server prints when it listens. */
  readonly readyPattern: RegExp;
  /** Whether only its development server warns of a mismatch between the server's HTML and its own render. Vue always warns. */
  readonly hasDevelopmentWarnings: boolean;
  /** The file with the listener of an event. */
  readonly page: string;
}

const mistake: Mistake = ['event.checkout.id', 'event.invoice.id', /'invoice' does not exist/];

let workspace: ExampleWorkspace;
let browser: Browser;
let sandbox = '';
const cleanupSteps: (() => unknown)[] = [];

async function startServices(name: string): Promise<void> {
  workspace = await ExampleWorkspace.build([name]);
  cleanupSteps.push(() => workspace.machine.remove());
  const service = createSandbox({ token: 'sandbox-token' });
  cleanupSteps.push(() => service.close());
  sandbox = (await service.listen({ port: 0, host: '127.0.0.1' })).url;
  browser = await launchChromium();
  cleanupSteps.push(() => browser.close());
}

async function findFreePort(): Promise<string> {
  const { endpoint, close } = await listen(createServer(), '');
  await close();
  return new URL(endpoint).port;
}

/** Starts the shop with a script of its package.json. */
async function startShop({ name, readyPattern }: Framework, script: 'start' | 'dev', port: string): Promise<Program> {
  const variables = [
    `PORT=${port}`,
    `PUBLIC_URL=http://localhost:${port}`,
    `INVOICE_BASE_URL=${sandbox}`,
    'NEXT_TELEMETRY_DISABLED=1',
  ];
  const program = workspace.machine.start('env', ...variables, 'npm', 'run', script, '--workspace', name);
  await program.printed(readyPattern);
  return program;
}

/** Places an order; resolves with the identifier of its checkout. */
async function placeOrder(page: Page, port: string): Promise<string> {
  await page.goto(`http://localhost:${port}`);
  await page.getByRole('button', { name: orderButton }).click();
  await page.waitForURL(/\/pay\//);
  await page.locator('pay-invoice').getByRole('radio').first().waitFor();
  return (await page.locator('pay-invoice').getAttribute('checkout')) ?? '';
}

/** Reloads the page. Returns whether the widget's frame is still the node of the server's HTML. */
async function reloadKeepsServerNodes(page: Page): Promise<boolean> {
  await page.addInitScript(() => {
    new MutationObserver(() => {
      const frame = document.querySelector('pay-invoice')?.shadowRoot?.querySelector('[part=base]');
      const { rendered } = globalThis as { rendered?: unknown };
      // While the page is still being parsed, its shadow root may be empty.
      Object.assign(globalThis, { rendered: rendered ?? frame });
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await waitForUpdate(page);
  return page.evaluate(() => {
    const { rendered } = globalThis as { rendered?: unknown };
    const frame = document.querySelector('pay-invoice')?.shadowRoot?.querySelector('[part=base]');
    return frame instanceof Element && rendered === frame;
  });
}

/** Declares the tests of a shop whose backend and pages are one program of a framework. */
export function testFrameworkShop(framework: Framework): void {
  const { name, page: file } = framework;
  before(() => startServices(name));
  after(async () => {
    for (const step of cleanupSteps.reverse()) await step();
  });

  describe(`a shop in a framework with its own server: ${name}`, { timeout: 580_000 }, () => {
    it('renders the payment methods in its first HTML, keeps these nodes, and takes a payment', async () => {
      const port = await findFreePort();
      const program = await startShop(framework, 'start', port);
      const { page, browserErrors } = await openPage(browser);
      const checkout = await placeOrder(page, port);
      const html = await (await fetch(page.url())).text();
      assert.equal(html.match(/<template shadowroot.*?(?:SBP|СБП)/gs)?.length, 1);
      assert.equal(await reloadKeepsServerNodes(page), true);
      await payInPage(page, sandbox, checkout, 'Continue');
      assert.deepEqual(browserErrors, []);
      await page.close();
      await program.kill();
    });

    if (framework.hasDevelopmentWarnings)
      it('hydrates without a warning in development', async () => {
        const port = await findFreePort();
        const program = await startShop(framework, 'dev', port);
        const { page, browserErrors } = await openPage(browser);
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
      const errors = await workspace.findTypeErrors(name, file, [mistake]);
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors.join('\n'), mistake[2]);
    });
  });
}
