import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { faultGroups } from '../../demo/fault-buttons.ts';
import { until } from '../support/wait-until.ts';
import { setFault, faultsOfRules, testPanelButtons, pressButton, removeFaults, readState } from './developer-panel.ts';
import { shopAndBrowser } from './shop-and-browser.ts';
import { card, chooseMethod, findCopyButton, findHeading, placeOrder, sbp, visit, type Visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

const faultList = z.object({ faults: z.array(z.looseObject({ kind: z.string(), fired: z.number() })) });

async function readSandboxFaults(): Promise<z.output<typeof faultList>['faults']> {
  return faultList.parse(await (await fetch(`${shop.sandbox}/sandbox/faults`)).json()).faults;
}

/** Waits until the sandbox has returned an unknown status. The sandbox counts how often it applied each fault. */
async function waitForUnknownStatus(): Promise<void> {
  await until('an unknown status was returned', async () =>
    (await readSandboxFaults()).some(({ kind, fired }) => kind === 'unknown_status' && fired > 0),
  );
}

async function statusOfLatestInvoice(): Promise<string | undefined> {
  const response = await fetch(`${shop.sandbox}/sandbox/invoices?limit=1`);
  return z.object({ invoices: z.array(z.object({ status: z.string() })) }).parse(await response.json()).invoices[0]
    ?.status;
}

/** Checks what the payer sees after a fault was set and a method was chosen. */
type EffectCheck = (payer: Visit) => Promise<void>;

const expectRequisites =
  (label: string, withinMs = 10_000): EffectCheck =>
  ({ widget }) =>
    findCopyButton(widget, label).waitFor({ timeout: withinMs });
const expectPaid: EffectCheck = async (payer) => {
  await expectRequisites('Card number')(payer);
  await pressButton(payer.page, 'Pay it');
  await findHeading(payer.widget, 'Paid').waitFor();
};
const expectNoQr: EffectCheck = async (payer) => {
  await expectRequisites('Phone number')(payer);
  assert.equal(await payer.widget.locator('[part=qr], [part=qr-link]').count(), 0);
};
const expectAmountCheck: EffectCheck = async (payer) => {
  await expectRequisites('Card number')(payer);
  await pressButton(payer.page, 'Pay it');
  await findHeading(payer.widget, 'Another amount arrived').waitFor();
  assert.equal(await findCopyButton(payer.widget, 'Card number').count(), 0);
};
const expectCountdown =
  (isExpected: boolean): EffectCheck =>
  async (payer) => {
    await expectRequisites('Card number')(payer);
    await until('the state is shown', async () => (await readState(payer.page)).includes('"card_number"'));
    assert.equal((await readState(payer.page)).includes('"expires_in_ms"'), isExpected);
  };

const effects: Readonly<Record<string, { readonly method: string | RegExp; readonly expectEffect: EffectCheck }>> = {
  'Empty values': { method: card, expectEffect: expectPaid },
  'No bank available': { method: card, expectEffect: expectPaid },
  'QR: 400': { method: sbp, expectEffect: expectNoQr },
  'QR: 503, nested': { method: sbp, expectEffect: expectNoQr },
  'QR: 503, empty': { method: sbp, expectEffect: expectNoQr },
  'QR: 500': { method: sbp, expectEffect: expectNoQr },
  '504, made 10 s later': { method: card, expectEffect: expectPaid },
  'Lost, then a second one': { method: card, expectEffect: expectPaid },
  'No way to pay': {
    method: card,
    async expectEffect({ widget }) {
      await widget.locator('[part=error]', { hasText: 'This method isn’t available now' }).waitFor();
      assert.equal(await findCopyButton(widget, 'Card number').count(), 0);
    },
  },
  'Times without a zone': { method: card, expectEffect: expectCountdown(false) },
  'Times with +0300': { method: card, expectEffect: expectCountdown(true) },
  'Amount changes later': { method: card, expectEffect: expectAmountCheck },
  'Another amount is paid': { method: card, expectEffect: expectAmountCheck },
  'Batches refused': { method: card, expectEffect: expectPaid },
  'No answer, 3 times': {
    method: card,
    expectEffect: expectRequisites('Card number', 60_000),
  },
};

/** Faults that may not be applied: the shop may have the options already, and a batch may have one invoice only. */
const faultsWithoutCertainUse = ['No bank available', 'Batches refused'];

describe('the developer’s panel of the shop', { timeout: 480_000 }, () => {
  testPanelButtons(() => visit(browser, shop.url), waitForUnknownStatus);

  it('adds the faults of each button to the sandbox', async () => {
    const { context, page } = await visit(browser, shop.url);
    const expected = faultGroups.flatMap(({ buttons }) => buttons.map(({ faults }) => faults.map(({ kind }) => kind)));
    const buttons = page.locator('#fault-actions button');
    await buttons.first().waitFor();
    assert.equal(await buttons.count(), expected.length + 1); // the last button removes all faults
    const labels = await buttons.allTextContents();
    assert.deepEqual(labels.slice(0, -1).sort(), [...faultsOfRules, ...Object.keys(effects)].sort());
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
    await context.close();
  });

  for (const [fault, { method, expectEffect }] of Object.entries(effects))
    it(`applies the fault “${fault}”, and the payer sees its effect`, async () => {
      const payer = await visit(browser, shop.url);
      await placeOrder(payer.page);
      await payer.widget.getByRole('radio').first().waitFor();
      await setFault(payer.page, fault);
      await chooseMethod(payer.widget, method);
      await expectEffect(payer);
      const timesApplied = (await readSandboxFaults()).reduce((sum, { fired }) => sum + fired, 0);
      assert.ok(timesApplied > 0 || faultsWithoutCertainUse.includes(fault), 'the fault was applied');
      await removeFaults(payer.page);
      await payer.context.close();
    });

  it('sets the status of an invoice to any word', async () => {
    const { context, page, widget } = await visit(browser, shop.url);
    await placeOrder(page);
    await chooseMethod(widget, card);
    await findCopyButton(widget, 'Card number').waitFor();
    await page.getByLabel('Status', { exact: true }).fill('HELD_BY_BANK');
    await page.getByRole('button', { name: 'Set the status' }).click();
    await until('the word is set', async () => (await statusOfLatestInvoice()) === 'HELD_BY_BANK');
    await context.close();
  });
});
