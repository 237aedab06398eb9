import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('delivers a payment once, with all members of the outcome', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(60_000);
  const [attempt] = await harness.loadAttempts();
  assert.ok(attempt);
  const { occurredAt, ...outcome } = harness.outcomes[0] ?? {};
  assert.ok(occurredAt);
  assert.deepEqual(outcome, {
    id: `${attempt.externalId}.paid`,
    kind: 'paid',
    orderId: 'order-1',
    checkoutId: harness.id,
    externalId: attempt.externalId,
    invoiceId: 'inv_1',
    amount: '1500.00',
    expectedAmount: '1500.00',
    mode: 'TEST',
    sequence: 1,
  });
  assert.equal(harness.outcomes.length, 1);
});

test('repeats a failed delivery with growing pauses and the same id until the handler succeeds', async () => {
  const harness = await TestCheckoutServer.open();
  const calls: string[] = [];
  let isUp = false;
  harness.onOutcome = ({ id }) => {
    calls.push(id);
    return isUp ? Promise.resolve() : Promise.reject(new Error('the shop is closed'));
  };
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(60_000);
  const early = calls.length;
  assert.ok(early >= 5 && early <= 9, `${early} calls in the first minute`);
  await harness.advance(240_000);
  assert.ok(calls.length - early <= 9, `${calls.length - early} calls in the next four minutes`);
  isUp = true;
  await harness.advance(61_000);
  const { length } = calls;
  await harness.advance(600_000);
  assert.equal(calls.length, length);
  assert.equal(new Set(calls).size, 1);
  assert.equal(harness.outcomes.length, 1);
});

test('gives up an outcome after deliverForMs, keeps it, and delivers the next one of its checkout', async () => {
  const hour = 3_600_000;
  const harness = await TestCheckoutServer.open({}, { timing: { deliverForMs: hour } });
  harness.onOutcome = ({ kind }) => (kind === 'failed' ? Promise.reject(new Error('no')) : Promise.resolve());
  await harness.createInvoice();
  harness.service.setStatus('FAILED');
  await harness.advance(10_000);
  harness.service.setStatus('PAID');
  await harness.advance(hour - 20_000);
  assert.deepEqual(harness.outcomes, [], 'the second one waits for the first');
  assert.equal(await harness.store.countAbandonedOutcomes(), 0);
  await harness.advance(120_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind }) => kind),
    ['paid'],
  );
  assert.equal(harness.logEntries.filter(({ event }) => event === 'outcome_abandoned').length, 1);
  assert.equal(await harness.store.countAbandonedOutcomes(), 1);
  const [first] = await harness.store.listOutcomes(harness.id);
  assert.ok(first?.abandonedAt);
  harness.onOutcome = () => Promise.resolve();
  await harness.store.redeliverOutcome(first.id, harness.clock.now());
  await harness.advance(2000);
  assert.deepEqual(
    harness.outcomes.map(({ kind }) => kind),
    ['paid', 'failed'],
  );
});

test('an outcome is delivered after the receiver was down for an hour', async () => {
  const harness = await TestCheckoutServer.open(
    {},
    { timing: { deliverForMs: 3 * 24 * 3_600_000, deliverSlowestMs: 300_000 } },
  );
  let isUp = false;
  harness.onOutcome = () => (isUp ? Promise.resolve() : Promise.reject(new Error('down')));
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(3_600_000);
  assert.deepEqual(harness.outcomes, []);
  isUp = true;
  await harness.advance(301_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind }) => kind),
    ['paid'],
  );
});

test('an old outcome that fails for the first time is not given up at once', async () => {
  const harness = await TestCheckoutServer.open({}, { timing: { deliverForMs: 0 } });
  let tries = 0;
  harness.onOutcome = () => {
    tries += 1;
    return tries < 10 ? Promise.reject(new Error('no')) : Promise.resolve();
  };
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(600_000);
  assert.deepEqual([tries, harness.outcomes.length], [10, 1]);
});

test('a delivery is repeated when the handler throws at once or never settles', async () => {
  const harness = await TestCheckoutServer.open();
  let times = 0;
  harness.onOutcome = () => {
    times += 1;
    if (times === 1) throw new Error('at once');
    return times === 2 ? new Promise(() => undefined) : Promise.resolve();
  };
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(60_000);
  assert.equal(times, 3);
  assert.equal(harness.outcomes.length, 1);
});

test('an outcome whose delivery fails does not delay the others', async () => {
  const harness = await TestCheckoutServer.open();
  harness.onOutcome = ({ orderId }) => (orderId === 'order-1' ? Promise.reject(new Error('no')) : Promise.resolve());
  await harness.createInvoice();
  const { params } = await harness.loadRecord();
  for (let n = 2; n < 40; n += 1) {
    harness.id = await harness.createCheckout({ ...params, orderId: `order-${n}` });
    await harness.createInvoice();
  }
  for (const id of harness.service.invoices.keys()) harness.service.setStatus('PAID', id);
  await harness.advance(60_000);
  assert.equal(harness.outcomes.length, 38);
});

test('an outcome is delivered by another process when the first one dies after the commit', async () => {
  const harness = await TestCheckoutServer.open();
  let isFirst = true;
  harness.onOutcome = () => {
    const answer = isFirst ? new Promise<void>(() => undefined) : Promise.resolve();
    isFirst = false;
    return answer;
  };
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(3000);
  assert.equal(harness.outcomes.length, 0);
  harness.crash();
  await harness.advance(5000);
  assert.deepEqual(new Set(harness.outcomes.map(({ kind }) => kind)), new Set(['paid']));
});

test('a slow delivery is not made by two processes at once', async () => {
  const harness = await TestCheckoutServer.open();
  const calls: string[] = [];
  const deliverSlowly = async ({ kind }: Outcome): Promise<void> => {
    calls.push(kind);
    await new Promise<void>((resolve) => harness.clock.schedule(7000, resolve));
  };
  harness.onOutcome = deliverSlowly;
  const other = new TestCheckoutServer({ store: harness.store, service: harness.service, clock: harness.clock });
  other.onOutcome = deliverSlowly;
  other.server.start();
  await harness.createInvoice();
  await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  for (const id of harness.service.invoices.keys()) harness.service.setStatus('PAID', id);
  await harness.advance(60_000);
  assert.deepEqual(calls, ['paid', 'duplicate_payment']);
});

test('delivers failed and expired for the current invoice, not for a replaced one', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  harness.service.setStatus('FAILED', 'inv_1');
  await harness.advance(20_000);
  assert.deepEqual(harness.outcomes, []);
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  harness.service.setStatus('FAILED', 'inv_2');
  await harness.advance(20_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'failed');
  assert.deepEqual(
    harness.outcomes.map(({ kind, invoiceId }) => [kind, invoiceId]),
    [['failed', 'inv_2']],
  );
});

test('after a failure the payer may try again, and both outcomes are delivered', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  harness.service.setStatus('FAILED');
  await harness.advance(3000);
  const failed = await harness.getCheckout();
  assert.equal(failed.checkout.status, 'failed');
  assert.equal(failed.checkout.options.length, 2);
  assert.equal((await harness.createInvoice()).checkout.status, 'failed', 'the same key gets the same invoice');
  const again = await harness.createInvoice({ key: 'key-2' });
  assert.equal(again.status, 201);
  assert.equal(again.checkout.status, 'pending');
  harness.service.setStatus('PAID');
  await harness.advance(3000);
  assert.deepEqual(
    harness.outcomes.map(({ kind }) => kind),
    ['failed', 'paid'],
  );
});
