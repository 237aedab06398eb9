import { invoicesOf } from '../../../src/server/domain/checkout-status.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { createInterruptibleStore } from '../../support/interruptible-store.ts';
import type { RepeatedCreateResponse } from '../../support/fake-invoice-service.ts';
import { createGate, TestCheckoutServer } from '../../support/test-checkout-server.ts';

// The service creates an invoice while the database is unavailable. The process keeps the invoice until it is stored.

/** Opens a process whose database becomes unavailable during a CreateInvoice that succeeds. */
async function createWithoutDatabase() {
  const database = createMemoryStore();
  const { store, state } = createInterruptibleStore({ database });
  const harness = await TestCheckoutServer.open({}, { store });
  const serviceGate = createGate();
  harness.service.createFaults.push({ kind: 'hangs', until: serviceGate.promise });
  const response = harness.createInvoice();
  await harness.advance(1000);
  state.isUnavailable = true;
  serviceGate.open();
  await harness.advance(2000);
  assert.equal((await response).problem.code, 'try_again');
  return { harness, database, state };
}

for (const isRepeated of [false, true])
  test(`an invoice that was created while the database was unavailable is stored later ${isRepeated ? 'by the payer’s repeat' : 'by itself'}, without a second call`, async () => {
    const { harness, state } = await createWithoutDatabase();
    harness.service.onRepeatedCreate = 'new';
    await harness.advance(20_000);
    state.isUnavailable = false;
    if (isRepeated) await harness.until(harness.createInvoice());
    else await harness.advance(1500);
    assert.equal((await harness.getCheckout()).checkout.invoice?.id, 'inv_1');
    assert.equal(harness.service.createRequests.length, 1);
    harness.service.setStatus('PAID', 'inv_1');
    await harness.advance(5000);
    assert.deepEqual(harness.outcomeKinds(), ['paid']);
    const entries = harness.logEntries.filter(({ event }) => event === 'create_not_recorded');
    assert.equal(entries.length, 1, 'one line for one invoice');
    assert.deepEqual({ ...entries[0]?.facts }, { ...entries[0]?.facts, invoice_id: 'inv_1', kept: true });
  });

for (const repeated of ['same', 'new'] satisfies RepeatedCreateResponse[])
  test(`another process repeats the create after the lease, and each invoice is stored and polled, when a repeated create gets "${repeated}"`, async () => {
    const { harness, database, state } = await createWithoutDatabase();
    harness.service.onRepeatedCreate = repeated;
    const otherProcess = harness.otherProcess({ store: database });
    otherProcess.server.start();
    await harness.advance(15_000);
    const count = repeated === 'new' ? 2 : 1;
    assert.equal(harness.service.createRequests.length, 2, 'the other process did not wait for the first one');
    assert.equal((await otherProcess.getCheckout()).checkout.invoice?.id, `inv_${count}`);
    state.isUnavailable = false;
    await harness.advance(3000);
    const storedInvoiceIds = (await otherProcess.loadInvoices()).map(({ invoice }) => invoice.id);
    assert.deepEqual(new Set(storedInvoiceIds), new Set(harness.service.invoices.keys()));
    assert.equal(
      (await otherProcess.getCheckout()).checkout.invoice?.id,
      `inv_${count}`,
      'the payer keeps the invoice',
    );
    harness.service.setStatus('PAID', 'inv_1');
    await harness.advance(30_000);
    assert.equal((await otherProcess.getCheckout()).checkout.status, 'paid');
    assert.equal(harness.outcomes.length + otherProcess.outcomes.length, 1);
  });

test('a call that fails after another process has claimed the create does not end the lease of that process', async () => {
  const { harness, database, state } = await createWithoutDatabase();
  state.isUnavailable = false;
  await harness.advance(2000);
  const saveGate = createGate();
  let saving = Promise.resolve();
  const slowStore: CheckoutStore = {
    ...database,
    async save(...args) {
      await saving;
      return database.save(...args);
    },
  };
  harness.service.createFaults.push({ kind: 'fails', failure: 'ambiguous' });
  const claim = harness.service.createInvoice.bind(harness.service);
  harness.service.createInvoice = (request) => {
    saving = saveGate.promise; // the attempt is claimed, and its result is committed late
    return claim(request);
  };
  void harness.otherProcess({ store: slowStore }).createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  const endlessCall = createGate();
  harness.service.createFaults.push({ kind: 'hangs', until: endlessCall.promise });
  await harness.advance(14_000);
  const claimedAttempt = (await harness.loadAttempts()).at(-1);
  assert.equal(claimedAttempt?.callCount, 2);
  saveGate.open();
  await harness.advance(100);
  const attempt = (await harness.loadAttempts()).at(-1);
  assert.ok(attempt);
  assert.equal(attempt.state, 'in_doubt');
  assert.ok(attempt.leaseUntil > harness.clock.now());
});

test('stop stores an invoice that could not be stored while the database was unavailable', async () => {
  const { harness, database, state } = await createWithoutDatabase();
  state.isUnavailable = false;
  await harness.until(harness.server.stop());
  const stored = await database.load(harness.id);
  assert.deepEqual(stored && invoicesOf(stored).map(({ invoice }) => invoice.id), ['inv_1']);
});

test('an invoice that the store refuses is logged each time, and is asked for again on the schedule of creates in doubt', async () => {
  const database = createMemoryStore();
  const store = {
    ...database,
    save: async (...[record, ...others]: Parameters<CheckoutStore['save']>) => {
      if (invoicesOf(record).length > 0) throw new Error('a constraint of the database');
      return database.save(record, ...others);
    },
  };
  const harness = await TestCheckoutServer.open({}, { store });
  assert.equal((await harness.until(harness.createInvoice())).status, 202);
  await harness.advance(10 * 60_000);
  const lines = harness.logEntries.filter(({ event }) => event === 'create_not_recorded');
  assert.ok(lines.every(({ level, facts }) => level === 'error' && 'kept' in facts && !facts.kept));
  assert.equal(lines.length, harness.service.createRequests.length);
  assert.ok(lines.length > 3 && lines.length < 20, String(lines.length));
});
