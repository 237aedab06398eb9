import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../support/fake-clock.ts';
import { createInterruptibleStore } from '../support/extended-stores.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

/** Opens a server whose store is unavailable while `state.isUnavailable` is true. */
async function openWithOutages() {
  const { state, store } = createInterruptibleStore({ reason: 'ECONNREFUSED' });
  return { harness: await TestCheckoutServer.open({}, { store }), state, store };
}

test('an outage of the database is logged at its start, every 10 s, and with its duration at its end', async () => {
  const { harness, state } = await openWithOutages();
  await harness.createInvoice();
  harness.logEntries.length = 0;
  state.isUnavailable = true;
  for (let second = 0; second < 25; second += 1) {
    assert.equal((await harness.createInvoice({ key: `key-${second}` })).status, 503);
    await harness.advance(1000);
  }
  state.isUnavailable = false;
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

test('a request that waits for the create of another process is answered with 503 within a second after the database stops responding', async () => {
  const { harness, state, store } = await openWithOutages();
  const otherProcess = new TestCheckoutServer({ store, service: harness.service, clock: harness.clock });
  otherProcess.id = harness.id;
  harness.service.createFaults.push({ kind: 'hangs', until: new Promise(() => undefined) });
  void harness.createInvoice().catch(() => undefined);
  await settle(5);
  const joinedResponse = otherProcess.createInvoice({ key: 'key-2' });
  await harness.advance(2000);
  state.isUnavailable = true;
  let status: number | undefined;
  void joinedResponse.then((response) => (status = response.status));
  await harness.advance(1000);
  assert.equal(status, 503);
});
