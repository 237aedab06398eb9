import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { documentOf, fileIn } from '../docs/documents.ts';
import { choose, copyButton, heading } from '../e2e/visit.ts';
import { listen } from '../mounts/listen.ts';
import { launchBrowser } from '../support/launch-browser.ts';
import { Machine, pack } from './machine.ts';

// What a stranger does: an empty folder, the package, the files of docs/integrating.md as they are, and a payment.
const guide = documentOf('docs/integrating.md');
const sandboxGuide = documentOf('docs/sandbox.md');

/** The words of a command that a document has. */
const commandOf = ({ blocks }: typeof guide, start: string): readonly string[] => {
  const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ code }) => code.trim().split('\n'));
  return (lines.find((line) => line.startsWith(start)) ?? assert.fail(`there is no ${start}`)).split(' ');
};

let machine: Machine;
let browser: Browser;
before(async () => {
  const names = ['shop.ts', 'public/index.html', 'public/order.js'];
  const files = Object.fromEntries(names.map((name) => [name, fileIn(guide, name)]));
  machine = await Machine.empty(files);
  const [, command = '', ...packages] = commandOf(guide, 'npm install');
  const { file } = await pack(machine.folder);
  await machine.npm(command, ...packages.map((name) => (name === 'pay-invoice' ? file : name)));
  browser = await launchBrowser();
});
after(async () => {
  await browser.close();
  await machine.remove();
});

describe('the guide, in a folder with nothing but the package', { timeout: 240_000 }, () => {
  it('ends with an order that is paid', async () => {
    const [npx = '', ...sandboxCommand] = commandOf(guide, 'npx pay-invoice-sandbox');
    const sandbox = await machine.start(npx, ...sandboxCommand, '--port', '0').said(/Sandbox +(http:\S+)/);
    const { endpoint: shop, close } = await listen(createServer(), '');
    await close();
    const [, ...shopCommand] = commandOf(guide, 'npx tsx');
    machine.start('env', `PORT=${new URL(shop).port}`, `INVOICE_BASE_URL=${sandbox}`, npx, ...shopCommand);

    const page = await browser.newPage({ locale: 'en-GB' });
    page.setDefaultTimeout(30_000);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    while (
      !(await page.goto(shop).then(
        (answer) => answer?.ok() === true,
        () => false,
      ))
    )
      await page.waitForTimeout(100);
    const placed = page.waitForResponse((response) => response.url().endsWith('/orders'));
    await page.getByRole('button', { name: 'Order a tea bowl' }).click();
    const { order_id } = (await (await placed).json()) as { order_id: string };
    const widget = page.locator('pay-invoice');
    await choose(widget, 'СБП');
    await copyButton(widget, 'Phone number').waitFor();

    const bank = await browser.newPage({ locale: 'en-GB' });
    await bank.goto((await widget.locator('[part=qr-link]').getAttribute('href')) ?? '');
    await bank.getByRole('button', { name: 'Pay' }).click();
    await heading(widget, 'Paid').waitFor();
    const order = async (): Promise<unknown> => (await fetch(`${shop}/orders/${order_id}`)).json();
    while (((await order()) as { status: string }).status !== 'paid') await page.waitForTimeout(100);
    assert.deepEqual(complaints, []);
  });

  it('breaks and mends the sandbox with the commands that its document has', async () => {
    const sandbox = await machine.start('npx', 'pay-invoice-sandbox', '--port', '0').said(/Sandbox +(http:\S+)/);
    const curls = sandboxGuide.blocks.flatMap(({ code }) => code.match(/^curl .*$/gm) ?? []);
    const faults = async (): Promise<unknown> => (await fetch(`${sandbox}/sandbox/faults`)).json();
    const kinds: string[] = [];
    for (const curl of curls) {
      await machine.run('sh', '-c', curl.replace('http://127.0.0.1:8081', sandbox).replace('curl', 'curl --fail'));
      kinds.push(/"kind":"(\w+)"/.exec(JSON.stringify(await faults()))?.[1] ?? 'none');
    }
    assert.deepEqual(kinds, ['lost', 'none']);
  });
});
