import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

describe('a checkout whose expires_at passes', () => {
  /** Opens a checkout whose `expiresAt` is in a minute. */
  const openForAMinute = (): Promise<TestCheckoutServer> =>
    TestCheckoutServer.open({ expiresAt: Math.round(new TestCheckoutServer().clock.now()) + 60_000 });

  test('is closed once none of its invoices can be paid, and paid after a late payment', async () => {
    const shop = await openForAMinute();
    await shop.createInvoice();
    await shop.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
    await shop.advance(60_000);
    for (const [id, status] of [
      ['inv_2', 'failed'],
      ['inv_1', 'closed'],
    ] as const) {
      shop.service.setStatus('FAILED', id);
      await shop.advance(60_000);
      assert.equal((await shop.getCheckout()).checkout.status, status);
    }
    assert.equal((await shop.createInvoice({ key: 'key-3' })).problem.code, 'checkout_closed');
    shop.service.setStatus('PAID');
    await shop.advance(120_000);
    assert.equal((await shop.getCheckout()).checkout.status, 'paid');
    assert.deepEqual(shop.outcomeKinds(), ['failed', 'paid']);
  });

  test('answers a long poll as soon as it is closed', async () => {
    const shop = await openForAMinute();
    const { etag } = await shop.getCheckout();
    await shop.advance(50_000);
    let isAnswered = false;
    const longPoll = shop.longPoll(etag, 25).finally(() => (isAnswered = true));
    await shop.advance(9000);
    assert.equal(isAnswered, false);
    await shop.advance(1001);
    assert.equal((await longPoll).checkout.status, 'closed');
  });

  test('completes a create that was in doubt, once the payer repeats the create with its key', async () => {
    const shop = await openForAMinute();
    await shop.advance(59_000);
    shop.service.createFaults.push({ kind: 'lost' });
    await shop.createInvoice();
    await shop.advance(2500); // until the repeat of the call
    assert.equal((await shop.createInvoice()).checkout.invoice?.id, 'inv_1');
    assert.equal(new Set(shop.service.createRequests.map(({ external_id }) => external_id)).size, 1);
  });
});

test('a create for a closed checkout is answered with checkout_closed, even when its amount is missing or out of the limits', async () => {
  const shop = await TestCheckoutServer.open({ amount: null, amountLimits: { minAmount: '100.00' } });
  await shop.server.close(shop.id);
  for (const amount of [undefined, '1.00', '100.00'])
    assert.equal((await shop.createInvoice({ ...(amount && { amount }) })).problem.code, 'checkout_closed');
});
