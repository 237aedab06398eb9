import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// Outcomes of one checkout are delivered in order, and a handler that hangs or rejects delays no other checkout (row 44).

const never = (): Promise<never> => new Promise(() => undefined);

/** A checkout whose first invoice failed and whose second one was paid. */
async function failThenPay(harness: TestCheckoutServer): Promise<void> {
  await harness.createInvoice();
  harness.service.setStatus('FAILED');
  await harness.advance(2500);
  await harness.createInvoice({ key: 'key-2' });
  harness.service.setStatus('PAID', 'inv_2');
  await harness.advance(2500);
}

/** Adds checkouts of other orders whose invoices are paid. */
async function payOthers(harness: TestCheckoutServer, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    harness.id = await harness.createCheckout({ orderId: `other-${n}` });
    const { checkout } = await harness.createInvoice();
    harness.service.setStatus('PAID', checkout.invoice?.id);
  }
}

for (const [fault, refuse] of Object.entries({
  rejects: () => Promise.reject(new Error('the shop is closed')),
  hangs: never,
}))
  test(`paid is not delivered before failed, also while the handler ${fault} for failed`, async () => {
    const harness = await TestCheckoutServer.open();
    let isOpen = false;
    const called: string[] = [];
    harness.onOutcome = ({ kind }) => {
      called.push(kind);
      return kind === 'failed' && !isOpen ? refuse() : Promise.resolve();
    };
    await failThenPay(harness);
    await harness.advance(30_000);
    assert.deepEqual(new Set(called), new Set(['failed']));
    assert.ok(called.length > 1);
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

test('two processes deliver the outcomes of one checkout in order', async () => {
  const harness = await TestCheckoutServer.open();
  const finished: string[] = [];
  const deliverSlowly = async ({ kind }: Outcome): Promise<void> => {
    await new Promise<void>((resolve) => harness.clock.schedule(kind === 'failed' ? 7000 : 10, resolve));
    finished.push(kind);
  };
  harness.onOutcome = deliverSlowly;
  const other = new TestCheckoutServer({ store: harness.store, service: harness.service, clock: harness.clock });
  other.onOutcome = deliverSlowly;
  other.server.start();
  await failThenPay(harness);
  await harness.advance(60_000);
  assert.deepEqual(finished, ['failed', 'paid']);
});

test('an outcome that is saved right after another one does not wait for the next poll of the outbox', async () => {
  const harness = await TestCheckoutServer.open();
  const claimOutcomes = harness.store.claimOutcomes.bind(harness.store);
  let polls = 0;
  harness.store.claimOutcomes = (...args) => {
    polls += 1;
    return claimOutcomes(...args);
  };
  await harness.createInvoice();
  await harness.advance(10_000);
  const before = polls;
  const { id, version, ...record } = await harness.loadRecord();
  const [attempt] = record.attempts;
  assert.ok(attempt);
  const outcome = {
    id: 'now',
    kind: 'paid',
    orderId: 'order-1',
    checkoutId: id,
    externalId: attempt.externalId,
    invoiceId: 'inv_1',
    amount: '1500.00',
    expectedAmount: '1500.00',
    mode: 'TEST',
    occurredAt: harness.clock.now(),
  } as const;
  await harness.store.save({ ...record, id, version: version + 1 }, []);
  await harness.advance(1);
  assert.deepEqual([polls - before, harness.outcomes], [0, []], 'a save without outcomes does not wake the dispatcher');
  await harness.store.save({ ...record, id, version: version + 2 }, [outcome]);
  await harness.advance(1);
  assert.deepEqual(harness.outcomes, [{ ...outcome, sequence: 1 }]);
});

test('more handlers that hang than there are slots delay the other checkouts by at most 3 s', async () => {
  const harness = await TestCheckoutServer.open();
  const hung = new Set<string>();
  harness.onOutcome = ({ orderId }) => {
    if (orderId.startsWith('other')) return Promise.resolve();
    hung.add(orderId);
    return never();
  };
  for (let n = 0; n < 60; n += 1) {
    harness.id = await harness.createCheckout({ orderId: `hangs-${n}` });
    const { checkout } = await harness.createInvoice();
    harness.service.setStatus('PAID', checkout.invoice?.id);
  }
  await harness.advance(3000);
  await payOthers(harness, 10);
  await harness.advance(2500 + 3000); // the poller finds the payments within a tick
  assert.equal(hung.size, 60);
  assert.equal(harness.outcomes.length, 10);
});

test('the signal of a handler aborts after deliverMs, and the call is repeated', async () => {
  const harness = await TestCheckoutServer.open();
  const reasons: string[] = [];
  harness.onOutcome = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reasons.push('aborted');
        reject(new Error('the query was cancelled'));
      });
    });
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(2500 + 7000);
  assert.deepEqual(reasons, []);
  await harness.advance(1100);
  assert.deepEqual(reasons, ['aborted']);
  assert.ok(
    harness.logEntries.some(
      ({ level, event, facts }) =>
        level === 'error' && event === 'outcome_not_delivered' && 'result' in facts && facts.result === 'timeout',
    ),
  );
  harness.onOutcome = () => Promise.resolve();
  await harness.advance(10_000);
  assert.equal(harness.outcomes.length, 1);
});

test('stop waits for a handler, then aborts its signal, and the next process delivers the outcome', async () => {
  const harness = await TestCheckoutServer.open();
  let signal: AbortSignal | undefined;
  harness.onOutcome = (_, context) => {
    ({ signal } = context);
    return never();
  };
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(3000);
  const stopped = harness.server.stop();
  await harness.advance(1000);
  assert.equal(signal?.aborted, false);
  await harness.until(stopped);
  assert.equal(signal.aborted, true);
  const next = new TestCheckoutServer({ store: harness.store, service: harness.service, clock: harness.clock });
  next.server.start();
  await harness.advance(1500);
  assert.deepEqual(
    next.outcomes.map(({ kind }) => kind),
    ['paid'],
  );
});
