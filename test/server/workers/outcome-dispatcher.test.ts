import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeOutcome } from '../../support/make-checkout-records.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('a failed delivery is repeated with growing pauses and the same id until the handler succeeds', async () => {
  const harness = await TestCheckoutServer.open();
  const calls: string[] = [];
  let isUp = false;
  harness.onOutcome = ({ id }) => {
    calls.push(id);
    if (!isUp) throw new Error('the shop is closed'); // synchronously
    return Promise.resolve();
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
  const entry = harness.logEntries.find(({ event }) => event === 'outcome_not_delivered');
  assert.equal(entry?.level, 'error');
  assert.match(JSON.stringify(entry.facts), /"message":"the shop is closed","stack":"Error: the shop is closed/);
  isUp = true;
  await harness.advance(61_000);
  const { length } = calls;
  await harness.advance(600_000);
  assert.equal(calls.length, length);
  assert.equal(new Set(calls).size, 1);
  assert.equal(harness.outcomes.length, 1);
});

test('a shop that has been closed for hours is asked every few minutes', async () => {
  const harness = await TestCheckoutServer.open();
  let calls = 0;
  harness.onOutcome = () => {
    calls += 1;
    return Promise.reject(new Error('the shop is closed'));
  };
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(2 * 3_600_000);
  const earlierCalls = calls;
  await harness.advance(3_600_000);
  const callsInThirdHour = calls - earlierCalls;
  assert.ok(callsInThirdHour >= 12 && callsInThirdHour <= 25, `${callsInThirdHour} calls in the third hour`);
});

test('a delivery with a warning is delivered, and the warning is in its delivery and once in the log', async () => {
  const harness = await TestCheckoutServer.open();
  harness.onOutcome = () => Promise.resolve({ status: 200, warning: 'answered_with_html' });
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(60_000);
  const [outcome = assert.fail()] = await harness.store.listOutcomes(harness.id);
  assert.notEqual(outcome.deliveredAt, null);
  assert.deepEqual(
    outcome.deliveries.map(({ status, error }) => [status, error]),
    [[200, 'answered_with_html']],
  );
  const warnings = harness.logEntries.filter(({ event }) => event === 'outcome_delivery_doubtful');
  assert.deepEqual(
    warnings.map(({ level }) => level),
    ['warn'],
  );
  assert.match(JSON.stringify(warnings[0]?.facts), /"outcome":".*"warning":"answered_with_html"/);
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

// Outcomes of one checkout are delivered in order, and a handler that hangs or rejects delays no other checkout.

const neverSettle = (): Promise<never> => new Promise(() => undefined);

/** Makes the first invoice of the checkout fail, and pays a second invoice. */
async function failThenPay(harness: TestCheckoutServer): Promise<void> {
  await harness.createInvoice();
  harness.service.setStatus('FAILED');
  await harness.advance(2500);
  await harness.until(harness.createInvoice({ key: 'key-2' }));
  harness.service.setStatus('PAID', 'inv_2');
  await harness.advance(2500);
}

/** Adds checkouts of other orders, and pays their invoices. */
async function payOthers(harness: TestCheckoutServer, name: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    harness.id = await harness.createCheckout({ orderId: `${name}-${n}` });
    const { checkout } = await harness.createInvoice();
    harness.service.setStatus('PAID', checkout.invoice?.id);
  }
}

test('paid is not delivered before failed, also while the handler hangs for failed', async () => {
  const harness = await TestCheckoutServer.open();
  let isOpen = false;
  const deliveredKinds: string[] = [];
  harness.onOutcome = ({ kind }) => {
    deliveredKinds.push(kind);
    return kind === 'failed' && !isOpen ? neverSettle() : Promise.resolve();
  };
  await failThenPay(harness);
  await harness.advance(30_000);
  assert.deepEqual(new Set(deliveredKinds), new Set(['failed']));
  assert.ok(deliveredKinds.length > 1);
  isOpen = true;
  await harness.advance(60_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, sequence }) => [kind, sequence]),
    [
      ['failed', 1],
      ['paid', 2],
    ],
  );
});

test('an outcome is delivered right after its save, without waiting for the next poll of the outbox', async () => {
  const harness = await TestCheckoutServer.open();
  const claimOutcomes = harness.store.claimOutcomes.bind(harness.store);
  let polls = 0;
  harness.store.claimOutcomes = (...args) => {
    polls += 1;
    return claimOutcomes(...args);
  };
  await harness.createInvoice();
  await harness.advance(10_000);
  const pollsBefore = polls;
  const record = await harness.loadRecord();
  const externalId = record.attempts[0]?.externalId ?? assert.fail();
  const ids = { checkoutId: record.id, orderId: 'order-1', externalId, invoiceId: 'inv_1' };
  const outcome = makeOutcome('now', { ...ids, occurredAt: harness.clock.now() });
  await harness.store.save({ ...record, version: record.version + 1 }, []);
  await harness.advance(1);
  assert.deepEqual([polls - pollsBefore, harness.outcomes.length], [0, 0], 'a save without outcomes wakes nobody');
  await harness.store.save({ ...record, version: record.version + 2 }, [outcome]);
  await harness.advance(1);
  assert.deepEqual(
    harness.outcomes.map(({ id, sequence }) => [id, sequence]),
    [['now', 1]],
  );
});

test('sixty hanging handlers, which are more than may run at a time, delay the other checkouts by at most 3 s', async () => {
  const harness = await TestCheckoutServer.open();
  const hangingOrders = new Set<string>();
  harness.onOutcome = ({ orderId }) => {
    if (orderId.startsWith('other')) return Promise.resolve();
    hangingOrders.add(orderId);
    return neverSettle();
  };
  await payOthers(harness, 'hangs', 60);
  await harness.advance(3000);
  await payOthers(harness, 'other', 10);
  await harness.advance(2500 + 3000); // the poller finds the payments within a tick
  assert.equal(hangingOrders.size, 60);
  assert.equal(harness.outcomes.length, 10);
});

test('the signal of a handler aborts after ten seconds, and the call is repeated', async () => {
  const harness = await TestCheckoutServer.open();
  const aborts: string[] = [];
  harness.onOutcome = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborts.push('aborted');
        reject(new Error('the query was cancelled'));
      });
    });
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(2500 + 9000);
  assert.deepEqual(aborts, []);
  await harness.advance(1100);
  assert.deepEqual(aborts, ['aborted']);
  const entry = harness.logEntries.find(({ event }) => event === 'outcome_not_delivered');
  assert.equal(entry?.level, 'error');
  // The error would be that of the signal: its stack says nothing about the handler.
  assert.match(JSON.stringify(entry.facts), /"result":"timeout","failures":1,"message":"timeout"\}$/);
  harness.onOutcome = () => Promise.resolve();
  await harness.advance(10_000);
  assert.equal(harness.outcomes.length, 1);
});

test('stop waits for a handler, then aborts its signal, and the next process delivers the outcome', async () => {
  const harness = await TestCheckoutServer.open();
  let signal: AbortSignal | undefined;
  harness.onOutcome = (_, context) => {
    ({ signal } = context);
    return neverSettle();
  };
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(3000);
  const stopping = harness.server.stop();
  await harness.advance(1000);
  assert.equal(signal?.aborted, false);
  await harness.until(stopping);
  assert.equal(signal.aborted, true);
  const nextProcess = harness.otherProcess();
  nextProcess.server.start();
  await harness.advance(1500);
  assert.deepEqual(nextProcess.outcomeKinds(), ['paid']);
});

for (const isAccepted of [true, false])
  test(`an outcome that is delivered again while a call of it runs is delivered after that call, which ${isAccepted ? 'succeeds' : 'fails'}`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    const calls = { running: 0, most: 0, total: 0 };
    let end: () => void = () => undefined;
    harness.onOutcome = async () => {
      calls.total += 1;
      calls.running += 1;
      calls.most = Math.max(calls.most, calls.running);
      await new Promise<void>((resolve) => (end = resolve));
      calls.running -= 1;
      if (!isAccepted && calls.total === 1) throw new Error('no');
    };
    harness.service.setStatus('PAID');
    while (calls.total === 0) await harness.advance(500);
    const [outcome] = await harness.store.listOutcomes(harness.id);
    for (let request = 0; request < 3; request += 1) {
      await harness.server.redeliver(outcome?.id ?? '');
      await harness.advance(2000);
    }
    assert.deepEqual(calls, { running: 1, most: 1, total: 1 });
    end();
    await harness.advance(100);
    assert.deepEqual(calls, { running: 1, most: 1, total: 2 }, 'at once after the first call');
    end();
    await harness.advance(60_000);
    assert.deepEqual(calls, { running: 0, most: 1, total: 2 });
  });
