import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, StoreUnavailableError } from '../../../src/server.ts';
import { settle } from '../../support/fake-clock.ts';
import { createGate, TestCheckoutServer } from '../../support/test-checkout-server.ts';

/** Opens a server whose store is unavailable while `state.isAvailable` is false. */
async function openWithOutages() {
  const state = { isAvailable: true };
  const store = new Proxy(createMemoryStore(), {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || name === 'subscribe') return method;
      return (...args: readonly unknown[]): unknown =>
        state.isAvailable
          ? Reflect.apply(method, target, args)
          : Promise.reject(new StoreUnavailableError('ECONNREFUSED'));
    },
  });
  const harness = await TestCheckoutServer.open({}, { store });
  return { harness, state, store };
}

test('an outage of the database is logged at its start, every 10 s, and with its duration at its end', async () => {
  const { harness, state } = await openWithOutages();
  await harness.createInvoice();
  harness.logEntries.length = 0;
  state.isAvailable = false;
  for (let second = 0; second < 25; second += 1) {
    assert.equal((await harness.createInvoice({ key: `key-${second}` })).status, 503);
    await harness.advance(1000);
  }
  state.isAvailable = true;
  await harness.advance(5000);
  const lines = harness.logEntries.filter(({ level }) => level !== 'info');
  assert.deepEqual(
    lines.map(({ level, event }) => `${level} ${event}`),
    [
      'error database_unavailable',
      'error database_unavailable',
      'error database_unavailable',
      'warn database_available',
    ],
  );
  const durations = lines.map(({ facts }) => Number(Reflect.get(facts, 'duration_ms')));
  assert.equal(durations[0], 0);
  const [, second = NaN, third = NaN, end = NaN] = durations;
  assert.ok(second >= 10_000 && third >= 20_000 && end >= 24_000 && end < 27_000, durations.join());
  assert.equal(Reflect.get(lines[0]?.facts ?? {}, 'reason'), 'ECONNREFUSED');
  assert.ok(Number(Reflect.get(lines[1]?.facts ?? {}, 'failures')) > 10);
});

test('an invoice that cannot be stored because of an outage is logged as create_not_recorded', async () => {
  const { harness, state } = await openWithOutages();
  const serviceGate = createGate();
  harness.service.createFaults.push({ kind: 'hangs', until: serviceGate.promise });
  const response = harness.createInvoice();
  await settle(5);
  state.isAvailable = false;
  serviceGate.open();
  assert.equal((await harness.until(response)).status, 503);
  assert.ok(harness.loggedEvents().includes('create_not_recorded'));
});

test('a request that waits for the create of another process is answered with 503 within a second after the database stops responding', async () => {
  const { harness, state, store } = await openWithOutages();
  const otherProcess = new TestCheckoutServer({ store, service: harness.service, clock: harness.clock });
  otherProcess.id = harness.id;
  harness.service.createFaults.push({ kind: 'hangs', until: new Promise(() => undefined) });
  void harness.createInvoice().catch(() => undefined);
  await settle(5);
  const joinedResponse = otherProcess.createInvoice({ key: 'key-2' });
  await harness.advance(2000);
  state.isAvailable = false;
  let status: number | undefined;
  void joinedResponse.then((response) => (status = response.status));
  await harness.advance(1000);
  assert.equal(status, 503);
});
