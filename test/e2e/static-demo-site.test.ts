import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { serveFiles } from '../support/file-server.ts';
import { planOf } from '../simulator/plan.ts';
import { simulate } from '../simulator/simulation.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testPanelButtons } from './developer-panel.ts';
import {
  card,
  chooseMethod,
  findCopyButton,
  findHeading,
  openBrowser,
  placeOrder,
  sbp,
  valueOf,
  visit,
} from './visit-page.ts';
import { openForFile } from '../support/open-for-file.ts';

// `npm run demo:build`: the demo without a backend, on a plain web server, below any path.
const browser = await openBrowser();
const folder = temporaryFolder();
assert.equal(spawnSync('npx', ['tsx', 'scripts/build-if-stale.ts', 'pages']).status, 0);
const { status, stderr } = spawnSync('npx', ['vite', 'build', '--mode', 'site', '--outDir', folder], {
  encoding: 'utf8',
});
assert.equal(status, 0, stderr);
const site = await openForFile(serveFiles(folder, '/pay-invoice/'));

const pressButton = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

describe('the demo as a site without a backend', { timeout: 300_000 }, () => {
  it('takes an order, shows the QR, and is paid in the tab of the bank', async () => {
    const { context, page, widget, browserErrors, origins } = await visit(browser, site.url);
    await placeOrder(page);
    await chooseMethod(widget, sbp);
    await widget.locator('canvas[part=qr]').waitFor();
    const address = (await widget.locator('[part=qr-link]').getAttribute('href')) ?? '';
    assert.match(address, /\/pay-invoice\/demo\/in-page-bank\.html#\/qr\/AD\w{30}\?.*&sum=150000&/);

    const bank = await context.newPage();
    await bank.goto(address);
    await bank.getByText('₽').waitFor();
    await pressButton(bank, 'Pay it');
    await bank.getByText('This invoice is PAID').waitFor();
    await findHeading(widget, 'Paid').waitFor();
    await page.getByText('this order is paid').waitFor();
    assert.deepEqual(browserErrors, []);
    assert.deepEqual([...origins], [new URL(site.url).origin]);
  });

  it('keeps the invoice after a reload', async () => {
    const { page, widget } = await visit(browser, site.url);
    await placeOrder(page);
    await chooseMethod(widget, card);
    const number = await valueOf(widget, 'Card number');
    await page.reload();
    assert.equal(await valueOf(widget, 'Card number'), number);
  });

  it('simulates the whole system with the trace that a terminal has, and starts again with another setting', async () => {
    const { page, browserErrors } = await visit(browser, `${site.url}demo/simulator.html#seed=182&hours=0.2`);
    await page.locator('#speed').fill('10');
    const { trace } = await simulate({ ...planOf(182, 0.2), store: 'memory' });
    await page.getByText(`The trace of this run is ${trace}`).waitFor();
    assert.match(await page.locator('#command').innerText(), /--seed 182 --hours 0.2/);
    await page.locator('#loss').fill('0');
    await page.waitForURL(/loss=0/);
    await page.getByText('Every payment was told once').waitFor();
    assert.equal(await page.locator('#counters div', { hasText: 'Messages lost' }).locator('dd').innerText(), '0');
    assert.deepEqual(browserErrors, []);
  });

  it('has the playground and the gallery without a server', async () => {
    const { page, widget, browserErrors, origins } = await visit(browser, `${site.url}demo/playground.html`);
    await chooseMethod(widget, card);
    await findCopyButton(widget, 'Card number').waitFor();
    await pressButton(page, 'Pay it');
    await findHeading(widget, 'Paid').waitFor();
    await page.getByRole('link', { name: 'All states' }).click();
    await page.getByRole('link', { name: 'Expired', exact: true }).click();
    await findHeading(widget, 'Payment time has run out').waitFor();
    assert.deepEqual(browserErrors, []);
    assert.deepEqual([...origins], [new URL(site.url).origin]);
  });
});

describe('the developer’s panel of the site', { timeout: 300_000 }, () => {
  testPanelButtons(() => visit(browser, site.url));
});
