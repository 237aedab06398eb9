import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { faultGroups } from '../../demo/fault-buttons.ts';
import { until } from '../support/wait-until.ts';
import { testPanelButtons } from './developer-panel.ts';
import { card, chooseMethod, findCopyButton, placeOrder, shopAndBrowser, visit } from './visit-page.ts';

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

describe('the developer’s panel of the shop', { timeout: 480_000 }, () => {
  testPanelButtons(() => visit(browser, shop.url));

  it('lists a request without its status where the browser does not tell it', async () => {
    const { context, page, widget } = await visit(browser, 'about:blank');
    await context.addInitScript(() => Reflect.deleteProperty(PerformanceResourceTiming.prototype, 'responseStatus'));
    await page.goto(shop.url);
    await placeOrder(page);
    await widget.getByRole('radio').first().waitFor();
    const line = page.locator('#requests li', { hasText: '/checkout/…' }).first();
    assert.match((await line.textContent()) ?? '', /GET \/checkout\/…, [\d.]+\sm?s$/);
  });

  it('adds the faults of each button to the sandbox', async () => {
    const { page } = await visit(browser, shop.url);
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
    const { page, widget } = await visit(browser, shop.url);
    await placeOrder(page);
    await chooseMethod(widget, card);
    await findCopyButton(widget, 'Card number').waitFor();
    await page.getByLabel('Status', { exact: true }).fill('HELD_BY_BANK');
    await page.getByRole('button', { name: 'Set the status' }).click();
    await until('the word is set', async () => (await statusOfLatestInvoice()) === 'HELD_BY_BANK');
  });
});
