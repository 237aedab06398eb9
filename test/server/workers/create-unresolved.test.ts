import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../support/fake-invoice-service.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// A create in doubt is repeated for a day. Then the outcome create_unresolved is delivered to the shop.

const day = 86_400_000;

/** A create that is lost on its way: the service has not processed it, and the shop cannot tell. */
const lostRequest: Fault = { kind: 'fails', failure: 'ambiguous' };

/** Advances the clock in one step, as for a process that was suspended, and then calls the timers that are due. */
async function skipTime(harness: TestCheckoutServer, ms: number): Promise<void> {
  harness.fakeClock.stall(ms - 5000);
  await harness.advance(5000);
}

test('a create that stays in doubt for 24 hours ends as the outcome create_unresolved, with an error in the log', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.createOutage = lostRequest;
  assert.equal((await harness.createInvoice()).status, 202);
  const [attempt] = await harness.loadAttempts();
  assert.ok(attempt);
  const { createdAt: startedAt } = attempt;
  await harness.advance(60_000);
  await skipTime(harness, day - 70_000);
  assert.equal(harness.outcomes.length, 0);
  assert.ok(!harness.loggedEvents().includes('create_unresolved'));
  await harness.advance(20_000);
  const [outcome] = harness.outcomes;
  assert.ok(outcome);
  const { occurredAt, id, kind, invoiceId, amount, mode } = outcome;
  assert.ok(occurredAt - startedAt >= day && occurredAt - startedAt < day + 5000);
  assert.equal(id, `${attempt.externalId}.create_unresolved`);
  assert.deepEqual([kind, invoiceId, amount, mode], ['create_unresolved', null, '1500.00', 'TEST']);
  const unresolvedEntries = harness.logEntries.filter(({ event }) => event === 'create_unresolved');
  assert.deepEqual(
    unresolvedEntries.map(({ level }) => level),
    ['error'],
  );
  const { length } = harness.service.createRequests;
  await skipTime(harness, day);
  assert.equal(harness.service.createRequests.length, length, 'the create is not repeated any more');
  assert.equal(harness.outcomes.length, 1);
});

test('after create_unresolved the checkout stays pending, its create is not repeated any more, and the payer may replace it', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.createOutage = { kind: 'lost' };
  await harness.createInvoice();
  await skipTime(harness, day);
  await harness.advance(10_000);
  const { checkout } = await harness.getCheckout();
  assert.deepEqual([checkout.status, checkout.invoice], ['pending', null]);
  assert.equal((await harness.createInvoice()).status, 202);
  await harness.advance(10_000);
  assert.equal(harness.outcomes.length, 1, 'a repeat adds no outcome');
  harness.service.createOutage = undefined;
  const callCount = harness.service.createRequests.length;
  assert.equal((await harness.createInvoice()).status, 202);
  assert.equal(harness.service.createRequests.length, callCount);
  const { checkout: replaced } = await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  harness.service.setStatus('PAID', replaced.invoice?.id);
  await harness.advance(10_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, sequence }) => [kind, sequence]),
    [
      ['create_unresolved', 1],
      ['paid', 2],
    ],
  );
});

test('an unresolved create does not prevent another invoice of the checkout from being polled and paid', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.createFaults.push(lostRequest);
  await harness.createInvoice();
  await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  harness.service.createOutage = lostRequest;
  for (const ms of [1_000_000, day - 1_000_000, 20_000]) await skipTime(harness, ms);
  assert.deepEqual(harness.outcomeKinds(), ['expired', 'create_unresolved']);
  harness.service.setStatus('PAID', 'inv_1');
  await skipTime(harness, 1.1 * day); // the next poll of an expired invoice comes within this time
  assert.deepEqual(harness.outcomeKinds(), ['expired', 'create_unresolved', 'paid']);
});

test('a closed checkout whose create is unresolved is closed, and its invoice is unresolved, not pending for ever', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.createOutage = lostRequest;
  assert.equal((await harness.createInvoice()).status, 202);
  await harness.server.close(harness.id);
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  await harness.advance(60_000);
  await skipTime(harness, day - 70_000);
  await harness.advance(20_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'closed');
  const invoices = (await harness.server.get(harness.id))?.invoices ?? [];
  assert.deepEqual(
    invoices.map(({ status }) => status),
    ['unresolved'],
  );
});
