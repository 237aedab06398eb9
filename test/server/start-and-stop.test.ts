import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../src/server.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

test('a server that was started twice and stopped leaves no timer', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.server.start();
  await harness.advance(5000);
  await harness.until(harness.server.stop());
  assert.equal(harness.fakeClock.pending, 0);
});

test('a server that is stopped and started again holds long polls again, and answers them when the checkout changes', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.until(harness.server.stop());
  harness.server.start();
  const { etag } = await harness.getCheckout();
  const heldResponse = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=20' });
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  assert.equal((await heldResponse).checkout.status, 'paid');
});

test('a server subscribes to the store only when it is started or handles a request', async () => {
  const memory = createMemoryStore();
  let subscriptions = 0;
  const store: CheckoutStore = {
    ...memory,
    subscribe: (...args) => {
      subscriptions += 1;
      return memory.subscribe(...args);
    },
  };
  const harness = new TestCheckoutServer({ store });
  assert.equal(subscriptions, 0);
  harness.id = await harness.createCheckout();
  await harness.getCheckout();
  harness.server.start();
  assert.equal(subscriptions, 1);
});
