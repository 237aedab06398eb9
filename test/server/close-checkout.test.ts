import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatTimestamp } from '../../src/service-api.ts';
import { createMerchantCheckouts } from '../../src/server/commands/create-and-list-checkouts.ts';
import { createServerContext } from '../../src/server/server-context.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

async function close(shop: TestCheckoutServer): Promise<void> {
  await createMerchantCheckouts(createServerContext(shop.options)).close(shop.id);
}

/** Opens a checkout whose `expiresAt` is in a minute. */
async function openForAMinute(): Promise<TestCheckoutServer> {
  const shop = new TestCheckoutServer();
  return TestCheckoutServer.open({ reference: 'A-17', expiresAt: Math.round(shop.clock.now()) + 60_000 });
}

const closings = [
  { title: 'is closed by the merchant', open: () => TestCheckoutServer.open(), closeCheckout: close },
  {
    title: 'is closed by its expires_at',
    open: openForAMinute,
    closeCheckout: (shop: TestCheckoutServer) => shop.advance(60_000),
  },
] as const;

for (const { title, open, closeCheckout } of closings)
  describe(`a checkout that ${title}`, () => {
    for (const [word, kind] of [
      ['FAILED', 'failed'],
      ['EXPIRED', 'expired'],
    ] as const)
      test(`has the status closed once its invoice has ${kind}, and the status paid after a late payment`, async () => {
        const shop = await open();
        await shop.until(shop.createInvoice());
        await closeCheckout(shop);
        shop.service.setStatus(word);
        await shop.advance(20_000);
        assert.equal((await shop.getCheckout()).checkout.status, 'closed');
        assert.equal((await shop.createInvoice({ key: 'key-2' })).problem.code, 'checkout_closed');
        shop.service.setStatus('PAID');
        await shop.advance(120_000);
        assert.equal((await shop.getCheckout()).checkout.status, 'paid');
        assert.deepEqual(
          shop.outcomes.map((outcome) => outcome.kind),
          [kind, 'paid'],
        );
      });

    test('keeps the status failed while an invoice that the payer has replaced can still be paid', async () => {
      const shop = await open();
      await shop.until(shop.createInvoice());
      await shop.until(shop.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true }));
      await closeCheckout(shop);
      shop.service.setStatus('FAILED', 'inv_2');
      await shop.advance(20_000);
      assert.equal((await shop.getCheckout()).checkout.status, 'failed');
      shop.service.setStatus('FAILED', 'inv_1');
      await shop.advance(60_000);
      assert.equal((await shop.getCheckout()).checkout.status, 'closed');
    });

    test('ends a long poll as soon as it is closed', async () => {
      const shop = await open();
      const { etag } = await shop.getCheckout();
      await shop.advance(50_000);
      let isAnswered = false;
      const longPoll = shop.getCheckout({ 'if-none-match': etag, prefer: 'wait=25' });
      void longPoll.then(() => (isAnswered = true));
      await shop.advance(9000);
      assert.equal(isAnswered, false);
      await closeCheckout(shop);
      await shop.advance(0);
      assert.equal(isAnswered, true);
      assert.equal((await longPoll).checkout.status, 'closed');
    });

    test('completes a create that was in doubt when it was closed, once the payer repeats the create with its key', async () => {
      const shop = await open();
      shop.service.createFaults.push({ kind: 'lost' });
      await shop.until(shop.createInvoice());
      await closeCheckout(shop);
      await shop.advance(1500); // until the repeat of the call
      const { checkout } = await shop.until(shop.createInvoice());
      assert.equal(checkout.status, 'pending');
      assert.equal(checkout.invoice?.id, 'inv_1');
      assert.equal(new Set(shop.service.createRequests.map(({ external_id }) => external_id)).size, 1);
    });
  });

test('a create for a closed checkout is answered with checkout_closed, even when its amount is missing or out of the limits', async () => {
  const shop = await TestCheckoutServer.open({ amount: null, amountLimits: { minAmount: '100.00' } });
  await shop.server.close(shop.id);
  for (const amount of [undefined, '1.00', '100.00'])
    assert.equal((await shop.createInvoice({ ...(amount && { amount }) })).problem.code, 'checkout_closed');
});

describe('the checkout that the API returns', () => {
  test('has its reference, its expires_at and the method of its pending invoice, and has paid_at once the invoice is paid', async () => {
    const shop = await openForAMinute();
    const { checkout } = await shop.until(shop.createInvoice({ method: 'pm_sbp' }));
    assert.equal(checkout.reference, 'A-17');
    assert.equal(checkout.expires_at, formatTimestamp((await shop.loadRecord()).params.expiresAt ?? 0));
    assert.equal(checkout.paid_at, null);
    assert.deepEqual(checkout.invoice?.method, { type: 'SBP', name: 'СБП' });
    shop.service.setStatus('PAID');
    await shop.advance(20_000);
    const [outcome] = shop.outcomes;
    assert.equal((await shop.getCheckout()).checkout.paid_at, formatTimestamp(outcome?.occurredAt ?? 0));
  });

  test('has null for a reference, expires_at and paid_at that are not stored, and no method when the attempt has none', async () => {
    const shop = await TestCheckoutServer.open();
    await shop.until(shop.createInvoice());
    const record = await shop.loadRecord();
    const attempts = record.attempts.map((attempt) => ({ ...attempt, method: null }));
    await shop.store.save({ ...record, attempts, version: record.version + 1 }, []);
    const { checkout } = await shop.getCheckout();
    assert.deepEqual([checkout.reference, checkout.expires_at, checkout.paid_at], [null, null, null]);
    assert.ok(checkout.invoice !== null && !('method' in checkout.invoice));
  });
});
