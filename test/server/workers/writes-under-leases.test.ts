import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createMemoryStore, type CheckoutStore, type Reschedule } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// A process may be suspended between a claim and its write, and another process may hold the lease by then. So each write of a
// schedule carries the claimed lease, and the store drops the write when the lease has ended.

/** A store that records the written schedules, and the last lease of each attempt. */
function createRecordingStore() {
  const memory = createMemoryStore();
  const leases = new Map<string, number>();
  const writtenSchedules: Reschedule[] = [];
  const store: CheckoutStore = {
    ...memory,
    async claimDueAttempts(...args) {
      const due = await memory.claimDueAttempts(...args);
      for (const { externalId, claimedUntil } of due) leases.set(externalId, claimedUntil);
      return due;
    },
    async reschedule(changes) {
      writtenSchedules.push(...changes);
      for (const { externalId, claimedUntil } of changes) assert.equal(claimedUntil, leases.get(externalId));
      return memory.reschedule(changes);
    },
  };
  return { store, writtenSchedules };
}

suite('a write of a schedule carries the lease under which the attempt was claimed', () => {
  test('when a fetch has changed nothing', async () => {
    const { store, writtenSchedules } = createRecordingStore();
    const harness = await TestCheckoutServer.open({}, { store });
    await harness.until(harness.createInvoice());
    await harness.advance(30_000);
    assert.ok(writtenSchedules.length > 0);
    assert.ok(!harness.loggedEvents().includes('status_poller_failed'));
  });

  test('when a fetch has failed', async () => {
    const { store, writtenSchedules } = createRecordingStore();
    const harness = await TestCheckoutServer.open({}, { store });
    await harness.until(harness.createInvoice());
    harness.service.outage = { kind: 'fails', failure: 'unavailable' };
    await harness.advance(30_000);
    assert.ok(writtenSchedules.length > 1);
    assert.ok(!harness.loggedEvents().includes('status_poller_failed'));
  });

  test('when another process is making the create that is due', async () => {
    const { store, writtenSchedules } = createRecordingStore();
    const harness = await TestCheckoutServer.open({}, { store });
    harness.service.createFaults.push({ kind: 'lost' });
    await harness.until(harness.createInvoice());
    const record = await store.load(harness.id);
    assert.ok(record);
    const leaseUntil = record.createdAt + 60_000;
    const attempts = record.attempts.map((attempt) => ({ ...attempt, leaseUntil, runAt: record.createdAt }));
    assert.ok(await store.save({ ...record, version: record.version + 1, attempts }, []));
    await harness.advance(2000);
    assert.deepEqual(
      writtenSchedules.map(({ runAt }) => runAt),
      [leaseUntil],
    );
    assert.ok(!harness.loggedEvents().includes('create_recovery_failed'));
  });

  test('when more creates are due than create recovery calls at a time', async () => {
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
});
