import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, StoreUnavailableError, type CheckoutStore } from '../../../src/server.ts';
import type { RepeatedCreateResponse } from '../../support/fake-invoice-service.ts';
import { createGate, TestCheckoutServer } from '../../support/test-checkout-server.ts';

// The service creates an invoice while the database is not available: the process keeps the answer (row 53).

/** The store of one process, whose calls fail while `isCut` is true. */
function cuttableStore(database: CheckoutStore) {
  const state = { isCut: false };
  const store = new Proxy(database, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || name === 'subscribe') return method;
      return (...args: unknown[]): unknown =>
        state.isCut
          ? Promise.reject(new StoreUnavailableError('connection_lost'))
          : Reflect.apply(method, target, args);
    },
  });
  return { store, state };
}

/** A process whose database becomes unavailable during a CreateInvoice that succeeds. */
async function answeredWithoutDatabase() {
  const database = createMemoryStore();
  const { store, state } = cuttableStore(database);
  const harness = await TestCheckoutServer.open({}, { store });
  const held = createGate();
  harness.service.createFaults.push({ kind: 'hangs', until: held.promise });
  const answer = harness.createInvoice();
  await harness.advance(1000);
  state.isCut = true;
  held.open();
  await harness.advance(500);
  assert.equal((await answer).problem.code, 'try_again');
  return { harness, database, state };
}

for (const repeated of ['same', 'conflict', 'new'] satisfies RepeatedCreateResponse[])
  test(`an invoice that was created while the database was unavailable is recorded later, without a second call (repeats: "${repeated}")`, async () => {
    const { harness, state } = await answeredWithoutDatabase();
    harness.service.onRepeatedCreate = repeated;
    await harness.advance(20_000);
    state.isCut = false;
    await harness.advance(1500);
    assert.equal((await harness.getCheckout()).checkout.invoice?.id, 'inv_1');
    assert.equal((await harness.createInvoice()).checkout.invoice?.id, 'inv_1');
    assert.equal(harness.service.created.length, 1);
    harness.service.setStatus('PAID', 'inv_1');
    await harness.advance(5000);
    assert.deepEqual(
      harness.outcomes.map(({ kind }) => kind),
      ['paid'],
    );
    const failed = harness.logEntries.filter(({ event }) => event === 'create_not_recorded');
    assert.equal(failed.length, 1, 'one line for one invoice');
    assert.deepEqual({ ...failed[0]?.facts }, { ...failed[0]?.facts, invoice_id: 'inv_1', kept: true });
  });

test('a payer who repeats the request as soon as the database is back gets the kept invoice, without a second call', async () => {
  const { harness, state } = await answeredWithoutDatabase();
  harness.service.onRepeatedCreate = 'new';
  await harness.advance(20_100);
  state.isCut = false;
  const { checkout } = await harness.until(harness.createInvoice());
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.equal(harness.service.created.length, 1);
});

for (const repeated of ['same', 'new'] satisfies RepeatedCreateResponse[])
  test(`another process repeats the create after the lease, and each invoice is stored and polled (repeats: "${repeated}")`, async () => {
    const { harness, database, state } = await answeredWithoutDatabase();
    harness.service.onRepeatedCreate = repeated;
    const other = new TestCheckoutServer({ store: database, service: harness.service, clock: harness.clock });
    other.id = harness.id;
    other.server.start();
    await harness.advance(10_000);
    const count = repeated === 'new' ? 2 : 1;
    assert.equal(harness.service.created.length, 2, 'the other process did not wait for the first one');
    assert.equal((await other.getCheckout()).checkout.invoice?.id, `inv_${count}`);
    state.isCut = false;
    await harness.advance(3000);
    const stored = (await other.loadAttempts()).flatMap(({ invoice }) => invoice?.id ?? []);
    assert.deepEqual(new Set(stored), new Set(harness.service.invoices.keys()));
    assert.equal((await other.getCheckout()).checkout.invoice?.id, `inv_${count}`, 'the payer keeps the invoice');
    harness.service.setStatus('PAID', 'inv_1');
    await harness.advance(30_000);
    assert.equal((await other.getCheckout()).checkout.status, 'paid');
    assert.equal(harness.outcomes.length + other.outcomes.length, 1);
  });

test('a failure that arrives after another process has claimed the create does not end its lease', async () => {
  const { harness, database, state } = await answeredWithoutDatabase();
  state.isCut = false;
  await harness.advance(2000);
  let breakOff = (): void => undefined;
  const until = new Promise((_, reject) => (breakOff = () => reject(new Error('connection reset'))));
  harness.service.createFaults.push({ kind: 'hangs', until });
  const { store, state: own } = cuttableStore(database);
  const first = new TestCheckoutServer({ store, service: harness.service, clock: harness.clock });
  first.id = harness.id;
  void first.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  await harness.advance(1000);
  own.isCut = true; // the process cannot renew its lease
  const never = createGate();
  harness.service.createFaults.push({ kind: 'hangs', until: never.promise });
  await harness.advance(8000);
  const claimed = (await harness.loadAttempts()).at(-1);
  assert.equal(claimed?.callCount, 2);
  own.isCut = false;
  breakOff();
  await harness.advance(100);
  const attempt = (await harness.loadAttempts()).at(-1);
  assert.ok(attempt);
  assert.equal(attempt.stage, 'in_doubt');
  assert.ok(attempt.leaseUntil > harness.clock.now());
});

test('stop commits an invoice that could not be recorded before', async () => {
  const { harness, database, state } = await answeredWithoutDatabase();
  state.isCut = false;
  await harness.until(harness.server.stop());
  assert.equal((await database.load(harness.id))?.attempts[0]?.invoice?.id, 'inv_1');
});
