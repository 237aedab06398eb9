import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('a failed delivery is repeated with growing pauses and the same id until the handler succeeds', async () => {
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
  const callsInFirstMinute = calls.length;
  assert.ok(callsInFirstMinute >= 5 && callsInFirstMinute <= 9, `${callsInFirstMinute} calls in the first minute`);
  await harness.advance(240_000);
  assert.ok(
    calls.length - callsInFirstMinute <= 9,
    `${calls.length - callsInFirstMinute} calls in the next four minutes`,
  );
  isUp = true;
  await harness.advance(61_000);
  const { length } = calls;
  await harness.advance(600_000);
  assert.equal(calls.length, length);
  assert.equal(new Set(calls).size, 1);
  assert.equal(harness.outcomes.length, 1);
});

test('an outcome whose delivery failed for deliverForMs is abandoned but kept, and the next outcome of its checkout is delivered', async () => {
  const hour = 3_600_000;
  const harness = await TestCheckoutServer.open({}, { timing: { deliverForMs: hour } });
  harness.onOutcome = ({ kind }) => (kind === 'failed' ? Promise.reject(new Error('no')) : Promise.resolve());
  await harness.createInvoice();
  harness.service.setStatus('FAILED');
  await harness.advance(10_000);
  harness.service.setStatus('PAID');
  await harness.advance(hour - 20_000);
  assert.deepEqual(harness.outcomes, [], 'the second outcome waits for the first');
  assert.equal((await harness.store.countOutcomes()).abandoned, 0);
  await harness.advance(120_000);
  assert.deepEqual(harness.outcomeKinds(), ['paid']);
  assert.equal(harness.logEntries.filter(({ event }) => event === 'outcome_abandoned').length, 1);
  assert.equal((await harness.store.countOutcomes()).abandoned, 1);
  const [abandonedOutcome] = await harness.store.listOutcomes(harness.id);
  assert.ok(abandonedOutcome?.abandonedAt);
  harness.onOutcome = () => Promise.resolve();
  await harness.store.redeliverOutcome(abandonedOutcome.id, harness.clock.now());
  await harness.advance(2000);
  assert.deepEqual(harness.outcomeKinds(), ['paid', 'failed']);
});

test('an outcome is not abandoned after its first failed deliveries, even when deliverForMs is 0', async () => {
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

test('a delivery is repeated when the handler throws synchronously, and when its promise never settles', async () => {
  const harness = await TestCheckoutServer.open();
  let callCount = 0;
  harness.onOutcome = () => {
    callCount += 1;
    if (callCount === 1) throw new Error('thrown synchronously');
    return callCount === 2 ? new Promise(() => undefined) : Promise.resolve();
  };
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(60_000);
  assert.equal(callCount, 3);
  assert.equal(harness.outcomes.length, 1);
});
