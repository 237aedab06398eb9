import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../support/wait-until.ts';
import { card, chooseMethod, findHeading, placeOrder, valueOf, type Visit } from './visit-page.ts';

/** Presses a button of the page outside of the widget. */
export async function pressButton(page: Page, name: string): Promise<void> {
  await page.getByRole('complementary').getByRole('button', { name, exact: true }).click();
}

/** Presses the button of a fault, and waits until the sandbox has the fault. */
export async function setFault(page: Page, fault: string): Promise<void> {
  await pressButton(page, fault);
  await page.getByText(`Set: ${fault}`, { exact: true }).waitFor();
}

export async function removeFaults(page: Page): Promise<void> {
  await pressButton(page, 'Repair everything');
  await page.getByText('Everything works again.').waitFor();
}

const readLines = (page: Page, log: 'requests' | 'log'): Promise<string[]> =>
  page.locator(`#${log} li`).allTextContents();
export const readState = async (page: Page): Promise<string> => (await page.locator('#state').textContent()) ?? '';

/** Tests of the developer's panel, for the example server and for the demo without one. */
export function testPanelButtons(visitShop: () => Promise<Visit>): void {
  const openOptions = async (): Promise<Visit> => {
    const visit = await visitShop();
    await placeOrder(visit.page);
    await visit.widget.getByRole('radio').first().waitFor();
    // The event is dispatched after the first paint, which may come after the radio is found.
    await until('the panel lists the ready event', async () => (await readLines(visit.page, 'log')).length > 0);
    return visit;
  };
  const openRequisites = async (): Promise<Visit & { readonly number: string }> => {
    const visit = await openOptions();
    await chooseMethod(visit.widget, card);
    return { ...visit, number: await valueOf(visit.widget, 'Card number') };
  };

  it('shows the events, the state, and each request with its time but without the capability', async () => {
    const { page, widget, number } = await openRequisites();
    await until('the state is shown', async () => (await readState(page)).includes(`"card_number": "${number}"`));
    assert.equal(await page.locator('#state-name').textContent(), 'waiting');
    await pressButton(page, 'Pay it');
    await findHeading(widget, 'Paid').waitFor();
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
}
