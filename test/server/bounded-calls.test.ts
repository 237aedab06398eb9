import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

// Calls to the service for one attempt are bounded, whoever asks: payers, webhooks, repeats.

test('a payer who repeats a create in doubt every two seconds causes no more calls than its schedule', async () => {
  const counts: number[] = [];
  for (const isRepeated of [false, true]) {
    const harness = await TestCheckoutServer.open();
    harness.service.createFaults.push(...Array.from({ length: 500 }, () => ({ kind: 'lost' }) as const));
    assert.equal((await harness.createInvoice()).status, 202);
    for (let second = 0; second < 600; second += 2) {
      await harness.advance(2000);
      if (isRepeated) assert.equal((await harness.createInvoice()).status, 202);
      if (isRepeated) await harness.sendWebhook();
    }
    counts.push(harness.service.createRequests.length);
  }
  const [planned = 0, repeated = 0] = counts;
  assert.ok(planned > 5 && repeated <= 1.2 * planned, counts.join());
});

test('a thousand webhooks one after another cause at most one fetch of an invoice a second', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.advance(3000);
  const fetchedAt: number[] = [];
  const fetchInvoices = harness.service.fetchInvoices.bind(harness.service);
  harness.service.fetchInvoices = async (ids) => {
    fetchedAt.push(harness.fakeClock.now());
    await new Promise<void>((resolve) => void harness.fakeClock.schedule(30, resolve));
    return fetchInvoices(ids);
  };
  for (let webhook = 0; webhook < 1000; webhook += 1) {
    await harness.sendWebhook();
    await harness.advance(2);
  }
  await harness.advance(2000);
  for (const [index, at] of fetchedAt.entries())
    assert.ok(index === 0 || at - (fetchedAt[index - 1] ?? 0) >= 990, fetchedAt.join());
  assert.ok(fetchedAt.length >= 2, 'the webhooks cause fetches');
});

test('a key whose invoice cannot be shown gets the same refusal again, and no second invoice', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.invoiceChanges = { amount: '1400.00' };
  for (let repeat = 0; repeat < 3; repeat += 1) {
    const { status, problem } = await harness.createInvoice();
    assert.deepEqual([status, problem.code], [422, 'method_unavailable']);
  }
  assert.equal(harness.service.invoices.size, 1);
});
