import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createSandbox } from '../../src/sandbox/create-sandbox.ts';
import { listen } from '../mounts/listen.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import type { Program } from './clean-machine.ts';
import { ExampleWorkspace, openPage, type Mistake } from './example-workspace.ts';
import { payInPage } from './pay-in-page.ts';

// Shops whose backend and pages are one program of a framework, by docs/frameworks.md from the packed package.
const order = 'Order a tea bowl';

/** What the types must not let pass. */
const mistakes: readonly (readonly [name: string, file: string, row: Mistake])[] = [
  ['next', 'app/pay/[order]/pay-invoice.tsx', ['event.checkout.id', 'event.invoice.id', /'invoice' does not exist/]],
  ['nuxt', 'app/components/Checkout.vue', ['event.checkout.id', 'event.invoice.id', /'invoice' does not exist/]],
];

let workspace: ExampleWorkspace;
let browser: Browser;
let sandbox = '';
const undo: (() => unknown)[] = [];

before(async () => {
  workspace = await ExampleWorkspace.build(['next', 'nuxt']);
  undo.push(() => workspace.machine.remove());
  const service = createSandbox({ token: 'sandbox-token' });
  undo.push(() => service.close());
  sandbox = (await service.listen({ port: 0, host: '127.0.0.1' })).url;
  browser = await launchChromium();
  undo.push(() => browser.close());
});
after(async () => {
  for (const step of undo.reverse()) await step();
});

async function freePort(): Promise<string> {
  const { endpoint, close } = await listen(createServer(), '');
  await close();
  return new URL(endpoint).port;
}

/** Starts a shop by a script of its package; `ready` matches what it prints when it listens. */
async function startShop(name: string, script: string, ready: RegExp): Promise<{ program: Program; origin: string }> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const variables = [
    `PORT=${port}`,
    `PUBLIC_URL=${origin}`,
    `INVOICE_BASE_URL=${sandbox}`,
    'NEXT_TELEMETRY_DISABLED=1',
  ];
  const program = workspace.machine.start('env', ...variables, 'npm', 'run', script, '--workspace', name);
  await program.printed(ready);
  return { program, origin };
}

async function placeOrder(page: Page, origin: string): Promise<string> {
  await page.goto(origin, { waitUntil: 'networkidle' }); // a button of a page that is not hydrated yet does nothing
  await page.getByRole('button', { name: order }).click();
  await page.waitForURL(/\/pay\//);
  await page.locator('pay-invoice').getByRole('radio').first().waitFor();
  return (await page.locator('pay-invoice').getAttribute('checkout')) ?? '';
}

/** Whether the frame of the widget is the node that the server's HTML had. */
async function reloadKeepsServerNodes(page: Page): Promise<boolean> {
  await page.addInitScript(() => {
    new MutationObserver(() => {
      const frame = document.querySelector('pay-invoice')?.shadowRoot?.querySelector('[part=base]');
      const { rendered = frame } = globalThis as { rendered?: unknown };
      Object.assign(globalThis, { rendered });
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await page.waitForFunction(() => Reflect.get(document.querySelector('pay-invoice') ?? {}, 'hasUpdated') === true);
  return page.evaluate(() => {
    const { rendered } = globalThis as { rendered?: unknown };
    const frame = document.querySelector('pay-invoice')?.shadowRoot?.querySelector('[part=base]');
    return frame instanceof Element && rendered === frame;
  });
}

describe('a shop in a framework with its own server', { timeout: 580_000 }, () => {
  it('takes a payment: Next, whose first HTML has the payment methods', async () => {
    const { program, origin } = await startShop('next', 'start', /(Ready)/);
    const { page, complaints } = await openPage(browser);
    const checkout = await placeOrder(page, origin);
    const html = await (await fetch(page.url())).text();
    assert.match(html, /<template shadowroot.*(SBP|СБП)/s);
    assert.equal(await reloadKeepsServerNodes(page), true);
    await payInPage(page, sandbox, checkout, 'Continue');
    assert.deepEqual(complaints, []);
    await page.close();
    await program.kill();
  });

  it('hydrates without a warning of React, which only development shows: Next', async () => {
    const { program, origin } = await startShop('next', 'dev', /(Ready)/);
    const { page, complaints } = await openPage(browser);
    await placeOrder(page, origin);
    await page.reload();
    await page.locator('pay-invoice').getByRole('radio').first().waitFor();
    assert.deepEqual(
      complaints.filter((text) => !text.startsWith('Lit is in dev mode')),
      [],
    );
    await page.close();
    await program.kill();
  });

  it('takes a payment: Nuxt', async () => {
    const { program, origin } = await startShop('nuxt', 'start', /(Listening)/);
    const { page, complaints } = await openPage(browser);
    const checkout = await placeOrder(page, origin);
    await page.reload(); // rendered on the server, too
    await payInPage(page, sandbox, checkout, 'Go on');
    assert.deepEqual(complaints, []);
    await page.close();
    await program.kill();
  });

  for (const [name, file, mistake] of mistakes)
    it(`has types that find ${mistake[1]}, and report nothing else: ${name}`, async () => {
      const errors = await workspace.errorsOf(name, file, [mistake]);
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors.join('\n'), mistake[2]);
    });
});
