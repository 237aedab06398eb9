import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { faultGroups } from '../../demo/fault-buttons.ts';
import { until } from '../support/wait-until.ts';
import {
  card,
  chooseMethod,
  findCopyButton,
  findHeading,
  openDeveloperPanel,
  placeOrder,
  pressButton,
  shopAndBrowser,
  valueOf,
  visit,
  type Visit,
  goodsOf,
} from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

const faultList = z.object({ faults: z.array(z.looseObject({ kind: z.string() })) });

async function readSandboxFaults(): Promise<z.output<typeof faultList>['faults']> {
  return faultList.parse(await (await fetch(`${shop.sandbox}/sandbox/faults`)).json()).faults;
}

async function statusOfLatestInvoice(): Promise<string | undefined> {
  const response = await fetch(`${shop.sandbox}/sandbox/invoices?limit=1`);
  return z.object({ invoices: z.array(z.object({ status: z.string() })) }).parse(await response.json()).invoices[0]
    ?.status;
}

const readLines = (page: Page, log: 'requests' | 'log'): Promise<string[]> =>
  page.locator(`#${log} li`).allTextContents();
const readState = async (page: Page): Promise<string> => (await page.locator('#state').textContent()) ?? '';

describe('the developer’s panel of the shop', { timeout: 480_000 }, () => {
  const openOptions = async (): Promise<Visit> => {
    const visited = await visit(browser, goodsOf(shop));
    await placeOrder(visited.page);
    await visited.widget.getByRole('radio').first().waitFor();
    // The event is dispatched after the first paint, which may come after the radio is found.
    await until('the panel lists the ready event', async () => (await readLines(visited.page, 'log')).length > 0);
    return visited;
  };
  const openRequisites = async (): Promise<Visit & { readonly number: string }> => {
    const visited = await openOptions();
    await chooseMethod(visited.widget, card);
    return { ...visited, number: await valueOf(visited.widget, 'Card number') };
  };

  it('is folded, and the things to try are not', async () => {
    const { page } = await openOptions();
    assert.equal(await page.locator('#log').isVisible(), false);
    const things = page.getByRole('region', { name: 'Three things to try' });
    assert.equal(await things.getByRole('button', { name: 'Pay it' }).isVisible(), true);
    await openDeveloperPanel(page);
    assert.equal(await page.locator('#log').isVisible(), true);
  });

  it('shows the events, the state, and each request with its time but without the capability', async () => {
    const { page, widget, number } = await openRequisites();
    await until('the state is shown', async () => (await readState(page)).includes(`"card_number": "${number}"`));
    assert.equal(await page.locator('#state-name').textContent(), 'waiting');
    await pressButton(page, 'Pay it');
    await findHeading(widget, 'Payment received').waitFor();
    const events = (await readLines(page, 'log')).map((line) => line.split(' ')[1]);
    // Only "ready" waits for the widget's files.
    for (const name of ['ready', 'created', 'status', 'paid'])
      assert.ok(events.includes(name), `${name}: ${events.join(', ')}`);
    const requests = await readLines(page, 'requests');
    const isListed = (pattern: RegExp): boolean => requests.some((line) => pattern.test(line));
    assert.ok(isListed(/GET \/checkout\/… → 200, [\d.]+\sm?s/), requests.join('\n'));
    assert.ok(isListed(/POST \/checkout\/…\/invoice → 201, [\d.]+\sm?s/), requests.join('\n'));
    assert.ok(!isListed(/chk_/));
  });

  it('refuses a payment, and lets the next invoice expire, as the bank would', async () => {
    const { page, widget, number } = await openRequisites();
    await openDeveloperPanel(page);
    await pressButton(page, 'Refuse it');
    await findHeading(widget, 'Payment failed').waitFor();
    await page.getByRole('heading', { name: 'Your order is not paid yet' }).waitFor();
    assert.equal(await page.getByText('Thank you').count(), 0);
    await widget.getByRole('button', { name: 'Try again' }).click();
    await chooseMethod(widget, card);
    assert.notEqual(await valueOf(widget, 'Card number'), number);
    await pressButton(page, 'Let it expire');
    await findHeading(widget, 'Payment time has run out').waitFor();
  });

  it('lists a request without its status where the browser does not tell it', async () => {
    const { context, page, widget } = await visit(browser, 'about:blank');
    await context.addInitScript(() => Reflect.deleteProperty(PerformanceResourceTiming.prototype, 'responseStatus'));
    await page.goto(goodsOf(shop));
    await placeOrder(page);
    await widget.getByRole('radio').first().waitFor();
    const line = page.locator('#requests li', { hasText: '/checkout/…' }).first();
    assert.match((await line.textContent()) ?? '', /GET \/checkout\/…, [\d.]+\sm?s$/);
  });

  it('adds the faults of each button to the sandbox', async () => {
    const { page } = await visit(browser, goodsOf(shop));
    await openDeveloperPanel(page);
    const expected = faultGroups.flatMap(({ buttons }) => buttons.map(({ faults }) => faults.map(({ kind }) => kind)));
    const buttons = page.locator('#fault-actions button');
    await buttons.first().waitFor();
    assert.equal(await buttons.count(), expected.length + 1); // the last button removes all faults
    for (const [index, kinds] of expected.entries()) {
      await buttons.nth(index).click();
      await page.getByText(`Set: ${(await buttons.nth(index).textContent()) ?? ''}`, { exact: true }).waitFor();
      assert.deepEqual(
        (await readSandboxFaults()).map(({ kind }) => kind),
        kinds,
      );
      await buttons.last().click();
      await page.getByText('Everything works again.').waitFor();
    }
  });

  it('sets the status of an invoice to any word', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await placeOrder(page);
    await chooseMethod(widget, card);
    await findCopyButton(widget, 'Card number').waitFor();
    await openDeveloperPanel(page);
    await page.getByLabel('Status', { exact: true }).fill('HELD_BY_BANK');
    await page.getByRole('button', { name: 'Set the status' }).click();
    await until('the word is set', async () => (await statusOfLatestInvoice()) === 'HELD_BY_BANK');
  });
});
