import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// The exact store calls of each request: measured times would not reliably show one additional call.

/** A store in memory that records the names of the methods that are called. */
function createRecordingStore(): { readonly store: CheckoutStore; readonly takeCalls: () => readonly string[] } {
  const calls: string[] = [];
  const store = new Proxy(createMemoryStore(), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        if (name !== 'subscribe') calls.push(name.toString());
        return Reflect.apply(member, target, args);
      };
    },
  });
  return { store, takeCalls: () => calls.splice(0) };
}

async function openWithRecordingStore() {
  const { store, takeCalls } = createRecordingStore();
  const harness = new TestCheckoutServer({ store });
  harness.id = await harness.createCheckout();
  takeCalls();
  return { harness, takeCalls };
}

test('a create loads the checkout once, and saves it before it calls the service, and after the call', async () => {
  const { harness, takeCalls } = await openWithRecordingStore();
  const { status, checkout } = await harness.createInvoice();
  assert.deepEqual([status, checkout.invoice?.id], [201, 'inv_1']);
  assert.deepEqual(takeCalls(), ['load', 'save', 'save']);
});

test('a repeated create loads the checkout once and saves nothing', async () => {
  const { harness, takeCalls } = await openWithRecordingStore();
  const firstResponse = await harness.createInvoice({ key: 'key-1' });
  takeCalls();
  const repeatedResponse = await harness.createInvoice({ key: 'key-1' });
  assert.deepEqual([repeatedResponse.status, repeatedResponse.etag], [200, firstResponse.etag]);
  assert.deepEqual(takeCalls(), ['load']);
});

test('a create that the service refuses loads the checkout once and saves it twice', async () => {
  const { harness, takeCalls } = await openWithRecordingStore();
  harness.service.createFaults.push({ kind: 'fails', failure: 'refused', code: 'not_found', httpStatus: 400 });
  const { status } = await harness.createInvoice();
  assert.equal(status, 422);
  assert.deepEqual(takeCalls(), ['load', 'save', 'save']);
});

test('a read without an ETag loads the checkout once, and a read with the current ETag loads only the version', async () => {
  const { harness, takeCalls } = await openWithRecordingStore();
  const { etag } = await harness.createInvoice();
  takeCalls();
  const firstRead = await harness.getCheckout();
  assert.deepEqual([firstRead.status, firstRead.etag], [200, etag]);
  assert.deepEqual(takeCalls(), ['load']);
  const secondRead = await harness.getCheckout({ 'if-none-match': etag });
  assert.equal(secondRead.status, 304);
  assert.deepEqual(takeCalls(), ['loadVersion']);
});
