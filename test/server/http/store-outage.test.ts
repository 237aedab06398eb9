import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, StoreUnavailableError, type CheckoutStore } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// While the database does not answer, requests are answered with 503, and a payer with the last known view gets 304.

/** A store that is not available while `isAway` is true. */
function openStore() {
  const state = { isAway: false };
  const store = new Proxy<CheckoutStore>(createMemoryStore(), {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || name === 'subscribe') return method;
      return (...args: readonly unknown[]): unknown =>
        state.isAway ? Promise.reject(new StoreUnavailableError('timeout')) : Reflect.apply(method, target, args);
    },
  });
  return { state, store };
}

async function openPending() {
  const { state, store } = openStore();
  const harness = await TestCheckoutServer.open({}, { store });
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  return { state, harness, etag };
}

test('requests that need the database are answered with 503 try_again and Retry-After', async () => {
  const { state, store } = openStore();
  const harness = await TestCheckoutServer.open({}, { store });
  state.isAway = true;
  for (const response of [await harness.getCheckout(), await harness.createInvoice()]) {
    assert.deepEqual([response.status, response.problem.code], [503, 'try_again']);
    assert.equal(response.headers.get('retry-after'), '2');
  }
  assert.ok(!harness.loggedEvents().includes('internal'));
  state.isAway = false;
  assert.equal((await harness.getCheckout()).status, 200);
});

test('a payer with the last known view is answered with 304 for ten minutes, and then with 503', async () => {
  const { state, harness, etag } = await openPending();
  state.isAway = true;
  for (let minute = 0; minute < 9; minute += 1) {
    await harness.advance(60_000);
    assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304);
  }
  await harness.advance(120_000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 503);
  state.isAway = false;
  assert.equal((await harness.getCheckout()).status, 200);
});

test('a payer without the last known view is answered with 503', async () => {
  const { state, harness } = await openPending();
  state.isAway = true;
  assert.equal((await harness.getCheckout()).status, 503);
  assert.equal((await harness.getCheckout({ 'if-none-match': '"another"' })).status, 503);
});

test('a long poll during the outage ends with 304 when its time is up', async () => {
  const { state, harness, etag } = await openPending();
  const held = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=25' });
  await harness.advance(1000);
  state.isAway = true;
  assert.equal((await harness.until(held)).status, 304);
});

test('a payment during the outage is shown once the database is back', async () => {
  const { state, harness } = await openPending();
  state.isAway = true;
  harness.service.setStatus('PAID');
  await harness.advance(20_000);
  state.isAway = false;
  await harness.advance(10_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
  assert.deepEqual(
    harness.outcomes.map(({ kind }) => kind),
    ['paid'],
  );
});

/** A server over a store whose calls take `slow.ms`, and succeed. */
async function openSlow() {
  const slow = { ms: 0 };
  const store = new Proxy<CheckoutStore>(createMemoryStore(), {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || (name !== 'load' && name !== 'save')) return method;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const { ms } = slow;
        if (ms > 0) await new Promise<void>((resolve) => void harness.fakeClock.schedule(ms, resolve));
        return Reflect.apply(method, target, args);
      };
    },
  });
  const harness: TestCheckoutServer = await TestCheckoutServer.open({}, { store });
  return { slow, harness };
}

/** The response to a create, and how long it took, in milliseconds. */
async function timed(harness: TestCheckoutServer) {
  const startedAt = harness.fakeClock.now();
  let tookMs = NaN;
  const responded = harness.createInvoice({ key: 'k' }).finally(() => (tookMs = harness.fakeClock.now() - startedAt));
  const { status } = await harness.until(responded);
  return { status, tookMs };
}

test('a create whose queries are slow, each within its own limit, is answered with 503 within 5 s in all', async () => {
  const { slow, harness } = await openSlow();
  slow.ms = 2000;
  const { status, tookMs } = await timed(harness);
  assert.equal(status, 503);
  assert.ok(tookMs <= 5000, `${tookMs} ms`);
});

test('a create whose answer is committed slowly is answered within 5 s, and the invoice is there afterwards', async () => {
  const { slow, harness } = await openSlow();
  harness.service.createFaults.push({
    kind: 'hangs',
    get until() {
      slow.ms = 3900; // from the service's answer on
      return Promise.resolve();
    },
  });
  const { status, tookMs } = await timed(harness);
  assert.equal(status, 503);
  assert.ok(tookMs <= 5000, `${tookMs} ms`);
  slow.ms = 0;
  await harness.advance(10_000);
  const repeated = await harness.createInvoice({ key: 'k' });
  assert.equal(repeated.status, 200);
  assert.equal(harness.service.created.length, 1);
});

test('a repeat is answered within 5 s while the invoice of an earlier call is committed slowly, and has it afterwards', async () => {
  const commit = { ms: 0, fails: true };
  const memory = createMemoryStore();
  const store: CheckoutStore = {
    ...memory,
    claimDueAttempts: () => Promise.resolve([]), // the payer repeats the create before the workers do
    async save(checkout, outcomes) {
      if (checkout.attempts.every(({ invoice }) => invoice === null)) return memory.save(checkout, outcomes);
      if (commit.fails) throw new StoreUnavailableError('timeout');
      await new Promise<void>((resolve) => void harness.fakeClock.schedule(commit.ms, resolve));
      return memory.save(checkout, outcomes);
    },
  };
  const harness: TestCheckoutServer = await TestCheckoutServer.open({}, { store });
  assert.equal((await timed(harness)).status, 202);
  await harness.advance(5000); // the lease of the first call ends
  Object.assign(commit, { ms: 8000, fails: false });
  const { status, tookMs } = await timed(harness);
  assert.equal(status, 202);
  assert.ok(tookMs <= 5000, `${tookMs} ms`);
  await harness.advance(10_000);
  assert.equal((await harness.createInvoice({ key: 'k' })).status, 200);
  assert.equal(harness.service.created.length, 1);
});
