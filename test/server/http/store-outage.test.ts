import { invoicesOf } from '../../../src/server/domain/checkout-status.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, StoreUnavailableError, type CheckoutStore } from '../../../src/server.ts';
import { createInterruptibleStore } from '../../support/interruptible-store.ts';
import { settle } from '../../support/fake-clock.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// While the database does not respond, requests are answered with 503.

async function openWithInvoice() {
  const { state, store } = createInterruptibleStore({ reason: 'ECONNREFUSED' });
  const harness = await TestCheckoutServer.openWithInvoice({}, { store });
  await harness.advance(4000); // the status poller saves the first status
  const { etag } = await harness.getCheckout();
  return { state, harness, etag };
}

test('requests that need the database are answered with 503 try_again and Retry-After, also with the current ETag', async () => {
  const { state, harness, etag } = await openWithInvoice();
  state.isUnavailable = true;
  for (const response of [
    await harness.getCheckout(),
    await harness.getCheckout({ 'if-none-match': etag }),
    await harness.createInvoice(),
  ]) {
    assert.deepEqual([response.status, response.problem.code], [503, 'try_again']);
    assert.equal(response.headers.get('retry-after'), '2');
  }
  assert.ok(!harness.loggedEvents().includes('internal'));
  state.isUnavailable = false;
  assert.equal((await harness.getCheckout()).status, 200);
});

test('a long poll that began before the outage is answered with 304 when its time is over', async () => {
  const { state, harness, etag } = await openWithInvoice();
  const longPoll = harness.longPoll(etag);
  await harness.advance(1000);
  state.isUnavailable = true;
  assert.equal((await harness.until(longPoll)).status, 304);
});

test('a long poll that an outage of the service wakes while the database is down goes on until its time is over', async () => {
  const { state, harness, etag } = await openWithInvoice();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  const longPoll = harness.longPoll(etag);
  await harness.advance(4000);
  state.isUnavailable = true;
  const startedAt = harness.fakeClock.now();
  assert.equal((await harness.until(longPoll)).status, 304);
  assert.ok(harness.fakeClock.now() - startedAt > 10_000);
});

/** Opens a server over a store whose `load` and `save` take `delay.ms`, and succeed. */
async function openWithSlowStore() {
  const delay = { ms: 0 };
  const store = new Proxy<CheckoutStore>(createMemoryStore(), {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || (name !== 'load' && name !== 'save')) return method;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const { ms } = delay;
        if (ms > 0) await new Promise<void>((resolve) => void harness.fakeClock.schedule(ms, resolve));
        return Reflect.apply(method, target, args);
      };
    },
  });
  const harness: TestCheckoutServer = await TestCheckoutServer.open({}, { store });
  return { delay, harness };
}

/** Sends a create, and returns the status of the response and the duration in milliseconds. */
async function timeCreate(harness: TestCheckoutServer) {
  const startedAt = harness.fakeClock.now();
  let durationMs = NaN;
  const response = harness
    .createInvoice({ key: 'k' })
    .finally(() => (durationMs = harness.fakeClock.now() - startedAt));
  const { status } = await harness.until(response);
  return { status, durationMs };
}

test('a create whose queries are slow, each within its own limit, is answered with 503 within 5 s in all', async () => {
  const { delay, harness } = await openWithSlowStore();
  delay.ms = 2000;
  const { status, durationMs } = await timeCreate(harness);
  assert.equal(status, 503);
  assert.ok(durationMs <= 5000, `${durationMs} ms`);
});

test('a create whose invoice is committed slowly is answered with 503 within 5 s, and its repeat gets the invoice', async () => {
  const { delay, harness } = await openWithSlowStore();
  harness.service.createFaults.push({
    kind: 'hangs',
    get until() {
      delay.ms = 3900; // from the service's response on
      return Promise.resolve();
    },
  });
  const { status, durationMs } = await timeCreate(harness);
  assert.equal(status, 503);
  assert.ok(durationMs <= 5000, `${durationMs} ms`);
  delay.ms = 0;
  await harness.advance(10_000);
  const repeated = await harness.createInvoice({ key: 'k' });
  assert.equal(repeated.status, 200);
  assert.equal(harness.service.createRequests.length, 1);
});

test('a repeat waits for the call whose invoice is committed late, and gets the invoice without a second call', async () => {
  const commit = { ms: 0, fails: true };
  const memory = createMemoryStore();
  const store: CheckoutStore = {
    ...memory,
    async save(checkout, outcomes) {
      if (invoicesOf(checkout).length === 0) return memory.save(checkout, outcomes);
      if (commit.fails) throw new StoreUnavailableError('timeout');
      await new Promise<void>((resolve) => void harness.fakeClock.schedule(commit.ms, resolve));
      return memory.save(checkout, outcomes);
    },
  };
  const harness: TestCheckoutServer = await TestCheckoutServer.open({}, { store });
  const first = await timeCreate(harness);
  assert.equal(first.status, 202);
  assert.ok(first.durationMs <= 2000, `${first.durationMs} ms`);
  await harness.advance(1000);
  Object.assign(commit, { ms: 5000, fails: false });
  const repeat = await timeCreate(harness);
  assert.equal(repeat.status, 200);
  assert.ok(repeat.durationMs <= 10_000, `${repeat.durationMs} ms`);
  assert.equal(harness.service.createRequests.length, 1);
});

test('an outage of the database is logged at its start, every 10 s, and with its duration at its end', async () => {
  const { harness, state } = await openWithInvoice();
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
  const { state, store } = createInterruptibleStore();
  const harness = await TestCheckoutServer.open({}, { store });
  const otherProcess = harness.otherProcess();
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
