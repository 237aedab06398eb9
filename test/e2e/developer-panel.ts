import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../support/wait-until.ts';
import { choose, copyButton, heading, order, sbp, valueOf, type Visit } from './visit-page.ts';

/** Presses a button of the page outside of the widget. */
export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('complementary').getByRole('button', { name, exact: true }).click();
}

/** Presses the button of a fault, and waits until the sandbox has it. */
export async function breakWith(page: Page, fault: string): Promise<void> {
  await press(page, fault);
  await page.getByText(`Set: ${fault}`, { exact: true }).waitFor();
}

export async function repair(page: Page): Promise<void> {
  await press(page, 'Repair everything');
  await page.getByText('Everything works again.').waitFor();
}

const linesOf = (page: Page, log: 'requests' | 'log'): Promise<string[]> =>
  page.locator(`#${log} li`).allTextContents();
export const stateOf = async (page: Page): Promise<string> => (await page.locator('#state').textContent()) ?? '';

/** The faults whose effects `testPanelButtons` tests. */
export const faultsOfRules = ['Slow: 3 s', '503 for the QR', 'Lost answer', 'Wrong amount', 'Unknown status', 'Outage'];

/**
 * Tests of every button of the developer's panel, for the example server and for the demo without one. `untilUnknownStatus`
 * waits until the service has returned an unknown status, which changes nothing on the page.
 */
export function testPanelButtons(
  visitShop: () => Promise<Visit>,
  untilUnknownStatus: (page: Page) => Promise<unknown>,
): void {
  const ordered = async (): Promise<Visit> => {
    const visit = await visitShop();
    await order(visit.page);
    await visit.widget.getByRole('radio').first().waitFor();
    // The event is dispatched after the first paint, for which a test does not wait otherwise.
    await until('the panel lists the ready event', async () => (await linesOf(visit.page, 'log')).length > 0);
    return visit;
  };
  const waiting = async (): Promise<Visit & { readonly number: string }> => {
    const visit = await ordered();
    await choose(visit.widget, 'Карта');
    return { ...visit, number: await valueOf(visit.widget, 'Card number') };
  };

  it('shows the events, the state, and each request with its time but without the capability', async () => {
    const { context, page, widget, number } = await waiting();
    await until('the state is shown', async () => (await stateOf(page)).includes(`"card_number": "${number}"`));
    assert.equal(await page.locator('#state-name').textContent(), 'waiting');
    await press(page, 'Pay it');
    await heading(widget, 'Paid').waitFor();
    const events = (await linesOf(page, 'log')).map((line) => line.split(' ')[1]);
    assert.deepEqual(events.slice(0, 1), ['ready']);
    for (const name of ['created', 'status', 'paid']) assert.ok(events.includes(name), `${name}: ${events.join(', ')}`);
    const requests = await linesOf(page, 'requests');
    const listed = (pattern: RegExp): boolean => requests.some((line) => pattern.test(line));
    assert.ok(listed(/GET \/checkout\/… → 200, [\d.]+\sm?s/), requests.join('\n'));
    assert.ok(listed(/POST \/checkout\/…\/invoice → 201, [\d.]+\sm?s/), requests.join('\n'));
    assert.ok(!listed(/chk_/));
    await context.close();
  });

  it('refuses a payment, and lets the next invoice expire, as the bank would', async () => {
    const { context, page, widget, number } = await waiting();
    await press(page, 'Refuse it');
    await heading(widget, 'Payment failed').waitFor();
    await page.getByRole('heading', { name: 'Your order is not paid yet' }).waitFor();
    assert.equal(await page.getByText('Thank you').count(), 0);
    await widget.getByRole('button', { name: 'Try again' }).click();
    await choose(widget, 'Карта');
    assert.notEqual(await valueOf(widget, 'Card number'), number);
    await press(page, 'Let it expire');
    await heading(widget, 'Time to pay is over').waitFor();
    await context.close();
  });

  it('makes the service slow: the payer sees that the invoice is being created', async () => {
    const { context, page, widget } = await ordered();
    await breakWith(page, 'Slow: 3 s');
    await choose(widget, 'Карта');
    await heading(widget, 'Getting the payment details').waitFor();
    await copyButton(widget, 'Card number').waitFor();
    await repair(page);
    await context.close();
  });

  it('makes the QR fail: the payer gets the requisites without it', async () => {
    const { context, page, widget } = await ordered();
    await breakWith(page, '503 for the QR');
    await choose(widget, sbp);
    await copyButton(widget, 'Phone number').waitFor();
    assert.equal(await widget.locator('[part=qr], [part=qr-link]').count(), 0);
    await repair(page);
    await context.close();
  });

  it('loses an answer: the payer waits, and gets requisites that can be paid', async () => {
    const { context, page, widget } = await ordered();
    await breakWith(page, 'Lost answer');
    await choose(widget, 'Карта');
    await copyButton(widget, 'Card number').waitFor();
    await press(page, 'Pay it');
    await heading(widget, 'Paid').waitFor();
    await context.close();
  });

  it('changes the amount: the payer never sees that invoice', async () => {
    const { context, page, widget } = await ordered();
    await breakWith(page, 'Wrong amount');
    await choose(widget, 'Карта');
    await widget.locator('[part=error]', { hasText: 'That did not work' }).waitFor();
    assert.equal(await copyButton(widget, 'Card number').count(), 0);
    await repair(page);
    await context.close();
  });

  it('sets an unknown status: the payer goes on waiting, and reads “paid” once the status is PAID', async () => {
    const { context, page, widget, number } = await waiting();
    const unknownStatusShown = untilUnknownStatus(page);
    await breakWith(page, 'Unknown status');
    await unknownStatusShown;
    assert.equal(await valueOf(widget, 'Card number'), number);
    await widget.getByRole('paragraph').filter({ hasText: 'Waiting for your payment' }).waitFor();
    await repair(page);
    await press(page, 'Pay it');
    await heading(widget, 'Paid').waitFor();
    await context.close();
  });

  // This test is the last one, because after an outage the shop calls the service less often for a while.
  it('simulates an outage: the invoice stays on the screen, and is paid when the service is back', async () => {
    const { context, page, widget, number } = await waiting();
    await breakWith(page, 'Outage');
    const note = widget.locator('[part=error]', { hasText: 'The connection was lost' });
    await until(
      'the note is shown',
      async () => {
        await page.evaluate(() => window.dispatchEvent(new Event('focus')));
        return note.isVisible();
      },
      30_000,
    );
    assert.equal(await valueOf(widget, 'Card number'), number);
    await repair(page);
    await press(page, 'Pay it');
    await heading(widget, 'Paid').waitFor();
    await context.close();
  });
}
