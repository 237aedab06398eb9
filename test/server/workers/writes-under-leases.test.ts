import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import type { Reschedule } from '../../../src/server-internals.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// A process may be suspended between a claim and its write, and another process may hold the lease by then. So each write of a
// schedule carries the claimed lease, and the store drops the write when the lease has ended.

test('a write of a schedule carries the lease of the claim: after a fetch, a failed fetch, and beside a create under way', async () => {
  const memory = createMemoryStore();
  const leases = new Map<string, number>();
  let writes = 0;
  const store: CheckoutStore = {
    ...memory,
    async claimDueAttempts(...args) {
      const due = await memory.claimDueAttempts(...args);
      for (const { externalId, claimedUntil } of due) leases.set(externalId, claimedUntil);
      return due;
    },
    reschedule(changes) {
      writes += changes.length;
      for (const { externalId, claimedUntil } of changes) assert.equal(claimedUntil, leases.get(externalId));
      return memory.reschedule(changes);
    },
  };
  const harness = await TestCheckoutServer.openWithInvoice({}, { store });
  for (const outage of [undefined, { kind: 'fails', failure: 'unavailable' }] as const) {
    harness.service.outage = outage;
    writes = 0;
    await harness.advance(30_000);
    assert.ok(writes > 1);
  }
  harness.service.outage = undefined;
  harness.id = await harness.createCheckout({ orderId: 'order-2' });
  harness.service.createFaults.push({ kind: 'lost' });
  await harness.createInvoice();
  const record = await harness.loadRecord();
  const { createdAt } = record;
  const attempts = record.attempts.map((attempt) => ({ ...attempt, leaseUntil: createdAt + 60_000, runAt: createdAt }));
  assert.ok(await store.save({ ...record, version: record.version + 1, attempts }, []));
  await harness.advance(2000);
  assert.equal((await harness.loadAttempts())[0]?.runAt, createdAt + 60_000);
  for (const event of ['status_poller_failed', 'create_recovery_failed'])
    assert.ok(!harness.loggedEvents().includes(event), event);
});

test('creates that are due beyond those that create recovery calls at a time are given back with their leases', async () => {
  const writtenSchedules: Reschedule[] = [];
  const due = Array.from({ length: 201 }, (_, number) => ({
    checkoutId: `co_${number}`,
    externalId: `e${number}`,
    invoiceId: null,
    createdAt: 0,
    runAt: 0,
    claimedUntil: 5000 + number,
  }));
  const claims = [due];
  const store: CheckoutStore = {
    ...createMemoryStore(),
    nextRunAt: () => Promise.resolve(0),
    claimDueAttempts: () => Promise.resolve(claims.pop() ?? []),
    reschedule: (changes) => Promise.resolve(void writtenSchedules.push(...changes)),
  };
  const harness = new TestCheckoutServer({ store });
  harness.server.start();
  await harness.advance(0);
  assert.deepEqual(
    writtenSchedules.map(({ externalId, claimedUntil }) => [externalId, claimedUntil]),
    due.slice(16).map(({ externalId, claimedUntil }) => [externalId, claimedUntil]),
  );
  await harness.server.stop();
});
