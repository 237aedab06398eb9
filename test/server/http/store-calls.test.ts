import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// The exact store calls of each request: a measurement of time would not reliably show one call more.

/** A store in memory that records the names of the methods that are called. */
function recordedStore(): { readonly store: CheckoutStore; readonly takeCalls: () => readonly string[] } {
  const calls: string[] = [];
  const store = new Proxy(createMemoryStore(), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        calls.push(String(name));
        return Reflect.apply(member, target, args);
      };
    },
  });
  return { store, takeCalls: () => calls.splice(0) };
}

async function openRecorded() {
  const { store, takeCalls } = recordedStore();
  const harness = new TestCheckoutServer({ store });
  harness.id = await harness.createCheckout();
  takeCalls();
  return { harness, takeCalls };
}

test('a create loads and saves its checkout twice: before its call of the service and after it', async () => {
  const { harness, takeCalls } = await openRecorded();
  const { status, checkout } = await harness.createInvoice();
  assert.deepEqual([status, checkout.invoice?.id], [201, 'inv_1']);
  assert.deepEqual(takeCalls(), ['load', 'save', 'load', 'save']);
});

test('a repeated create loads its checkout twice and saves nothing', async () => {
  const { harness, takeCalls } = await openRecorded();
  const first = await harness.createInvoice({ key: 'key-1' });
  takeCalls();
  const repeated = await harness.createInvoice({ key: 'key-1' });
  assert.deepEqual([repeated.status, repeated.etag], [200, first.etag]);
  assert.deepEqual(takeCalls(), ['load', 'load']);
});

test('a create that the service refuses loads and saves its checkout twice', async () => {
  const { harness, takeCalls } = await openRecorded();
  harness.service.createFaults.push({ kind: 'fails', failure: 'refused', code: 'not_found', httpStatus: 400 });
  const { status } = await harness.createInvoice();
  assert.equal(status, 422);
  assert.deepEqual(takeCalls(), ['load', 'save', 'load', 'save']);
});

test('a first read loads its checkout once, and an unchanged one is answered without the store', async () => {
  const { harness, takeCalls } = await openRecorded();
  const { etag } = await harness.createInvoice();
  takeCalls();
  const read = await harness.getCheckout();
  assert.deepEqual([read.status, read.etag], [200, etag]);
  assert.deepEqual(takeCalls(), ['load']);
  const unchanged = await harness.getCheckout({ 'if-none-match': etag });
  assert.equal(unchanged.status, 304);
  assert.deepEqual(takeCalls(), []);
});
