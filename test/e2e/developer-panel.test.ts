import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { faultGroups } from '../../demo/fault-buttons.ts';
import { until } from '../support/wait-until.ts';
import { panelRules } from './developer-panel.ts';
import { shopAndBrowser } from './shop-and-browser.ts';
import { choose, copyButton, order, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

/** The sandbox counts how often each fault struck. */
async function untilUnknownStatus(): Promise<void> {
  await until('an unknown status was given', async () => {
    const { faults } = (await (await fetch(`${shop.sandbox}/sandbox/faults`)).json()) as {
      faults: readonly { readonly kind: string; readonly fired: number }[];
    };
    return faults.some(({ kind, fired }) => kind === 'unknown_status' && fired > 0);
  });
}

const faultList = z.object({ faults: z.array(z.looseObject({ kind: z.string(), fired: z.number() })) });

async function faultsOfSandbox(): Promise<z.output<typeof faultList>['faults']> {
  return faultList.parse(await (await fetch(`${shop.sandbox}/sandbox/faults`)).json()).faults;
}

async function statusOfLatest(): Promise<string | undefined> {
  const response = await fetch(`${shop.sandbox}/sandbox/invoices?limit=1`);
  return z.object({ invoices: z.array(z.object({ status: z.string() })) }).parse(await response.json()).invoices[0]
    ?.status;
}

describe('the developer’s panel of the shop', { timeout: 240_000 }, () => {
  panelRules(() => visit(browser, shop.url), untilUnknownStatus);

  it('adds the faults of each button to the sandbox', async () => {
    const { context, page } = await visit(browser, shop.url);
    const expected = faultGroups.flatMap(({ buttons }) => buttons.map(({ faults }) => faults.map(({ kind }) => kind)));
    const buttons = page.locator('#fault-actions button');
    await buttons.first().waitFor();
    assert.equal(await buttons.count(), expected.length + 1); // the last one removes all faults
    for (const [at, kinds] of expected.entries()) {
      await buttons.nth(at).click();
      await page.getByText(`Set: ${(await buttons.nth(at).textContent()) ?? ''}`, { exact: true }).waitFor();
      assert.deepEqual(
        (await faultsOfSandbox()).map(({ kind }) => kind),
        kinds,
      );
      await buttons.last().click();
      await page.getByText('Everything works again.').waitFor();
    }
    await context.close();
  });

  it('gives an invoice any status word', async () => {
    const { context, page, widget } = await visit(browser, shop.url);
    await order(page);
    await choose(widget, 'Карта');
    await copyButton(widget, 'Card number').waitFor();
    await page.getByLabel('Status', { exact: true }).fill('HELD_BY_BANK');
    await page.getByRole('button', { name: 'Set the status' }).click();
    await until('the word is set', async () => (await statusOfLatest()) === 'HELD_BY_BANK');
    await context.close();
  });
});
