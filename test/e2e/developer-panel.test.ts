import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { faultGroups } from '../../demo/fault-buttons.ts';
import { until } from '../support/wait-until.ts';
import { breakWith, faultsOfRules, testPanelButtons, press, repair, stateOf } from './developer-panel.ts';
import { shopAndBrowser } from './shop-and-browser.ts';
import { choose, copyButton, heading, order, sbp, visit, type Visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

const faultList = z.object({ faults: z.array(z.looseObject({ kind: z.string(), fired: z.number() })) });

async function faultsOfSandbox(): Promise<z.output<typeof faultList>['faults']> {
  return faultList.parse(await (await fetch(`${shop.sandbox}/sandbox/faults`)).json()).faults;
}

/** Waits until the sandbox has returned an unknown status: it counts how often each fault was applied. */
async function untilUnknownStatus(): Promise<void> {
  await until('an unknown status was returned', async () =>
    (await faultsOfSandbox()).some(({ kind, fired }) => kind === 'unknown_status' && fired > 0),
  );
}

async function statusOfLatest(): Promise<string | undefined> {
  const response = await fetch(`${shop.sandbox}/sandbox/invoices?limit=1`);
  return z.object({ invoices: z.array(z.object({ status: z.string() })) }).parse(await response.json()).invoices[0]
    ?.status;
}

/** What the payer reads after a fault was set and a method was chosen. */
type Effect = (visit: Visit) => Promise<void>;

const hasRequisites =
  (label: string, withinMs = 10_000): Effect =>
  ({ widget }) =>
    copyButton(widget, label).waitFor({ timeout: withinMs });
const isPaid: Effect = async (one) => {
  await hasRequisites('Card number')(one);
  await press(one.page, 'Pay it');
  await heading(one.widget, 'Paid').waitFor();
};
const hasNoQr: Effect = async (one) => {
  await hasRequisites('Phone number')(one);
  assert.equal(await one.widget.locator('[part=qr], [part=qr-link]').count(), 0);
};
const amountIsChecked: Effect = async (one) => {
  await hasRequisites('Card number')(one);
  await press(one.page, 'Pay it');
  await heading(one.widget, 'The shop is checking the amount').waitFor();
  assert.equal(await copyButton(one.widget, 'Card number').count(), 0);
};
const hasCountdown =
  (expected: boolean): Effect =>
  async (one) => {
    await hasRequisites('Card number')(one);
    await until('the state is shown', async () => (await stateOf(one.page)).includes('"card_number"'));
    assert.equal((await stateOf(one.page)).includes('"expires_in_ms"'), expected);
  };

const effects: Readonly<Record<string, { readonly method: string | RegExp; readonly reads: Effect }>> = {
  'Empty values': { method: 'Карта', reads: isPaid },
  'No bank available': { method: 'Карта', reads: isPaid },
  'QR: 400': { method: sbp, reads: hasNoQr },
  'QR: 503, nested': { method: sbp, reads: hasNoQr },
  'QR: 503, empty': { method: sbp, reads: hasNoQr },
  'QR: 500': { method: sbp, reads: hasNoQr },
  '504, made 10 s later': { method: 'Карта', reads: isPaid },
  'Lost, then a second one': { method: 'Карта', reads: isPaid },
  'No way to pay': {
    method: 'Карта',
    async reads({ widget }) {
      await widget.locator('[part=error]', { hasText: 'That did not work' }).waitFor();
      assert.equal(await copyButton(widget, 'Card number').count(), 0);
    },
  },
  'Times without a zone': { method: 'Карта', reads: hasCountdown(false) },
  'Times with +0300': { method: 'Карта', reads: hasCountdown(true) },
  'Amount changes later': { method: 'Карта', reads: amountIsChecked },
  'Another amount is paid': { method: 'Карта', reads: amountIsChecked },
  'Batches refused': { method: 'Карта', reads: isPaid },
  'No answer, 3 times': {
    method: 'Карта',
    reads: hasRequisites('Card number', 60_000),
  },
};

/** The options may be known already, and whether a batch has several invoices depends on the other payers. */
const dependsOnOthers = ['No bank available', 'Batches refused'];

describe('the developer’s panel of the shop', { timeout: 480_000 }, () => {
  testPanelButtons(() => visit(browser, shop.url), untilUnknownStatus);

  it('adds the faults of each button to the sandbox', async () => {
    const { context, page } = await visit(browser, shop.url);
    const expected = faultGroups.flatMap(({ buttons }) => buttons.map(({ faults }) => faults.map(({ kind }) => kind)));
    const buttons = page.locator('#fault-actions button');
    await buttons.first().waitFor();
    assert.equal(await buttons.count(), expected.length + 1); // the last one removes all faults
    const labels = await buttons.allTextContents();
    assert.deepEqual(labels.slice(0, -1).sort(), [...faultsOfRules, ...Object.keys(effects)].sort());
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

  for (const [fault, { method, reads }] of Object.entries(effects))
    it(`shows what the payer reads after “${fault}”`, async () => {
      const one = await visit(browser, shop.url);
      await order(one.page);
      await one.widget.getByRole('radio').first().waitFor();
      await breakWith(one.page, fault);
      await choose(one.widget, method);
      await reads(one);
      const fired = (await faultsOfSandbox()).reduce((sum, { fired: times }) => sum + times, 0);
      assert.ok(fired > 0 || dependsOnOthers.includes(fault), 'the fault was applied');
      await repair(one.page);
      await one.context.close();
    });

  it('sets any status word of an invoice', async () => {
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
