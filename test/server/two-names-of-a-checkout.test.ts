import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../src/server.ts';
import { endpoint, TestCheckoutServer } from '../support/test-checkout-server.ts';

test('whoever has only the id of a checkout gets the same 404 as with any wrong capability', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const { etag } = await harness.getCheckout(); // the view is now in the cache
  const wrongSecret = harness.capability.slice(0, -1) + (harness.capability.endsWith('A') ? 'B' : 'A');
  const capabilities = [
    harness.id,
    `chk_${harness.id.slice('co_'.length)}`,
    wrongSecret,
    `${harness.capability}A`,
    `chk_${'A'.repeat(48)}`,
  ];
  const bodies = new Set<string>();
  for (const capability of capabilities)
    for (const init of [
      {},
      { headers: { 'if-none-match': etag } },
      { headers: { 'if-none-match': '*' } },
      { headers: { 'if-none-match': etag, prefer: 'wait=25' } },
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
        body: '{"payment_method_id":"pm_card"}',
      },
    ]) {
      const path = 'method' in init ? `/${capability}/invoice` : `/${capability}`;
      const response = await harness.request(path, init);
      assert.equal(response.status, 404, `${JSON.stringify(init)} ${capability}`);
      bodies.add(await response.text());
    }
  assert.equal(bodies.size, 1);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304);
});

test('the capability is in no outcome, log line, metric, request to the service, or answer but that of create', async () => {
  const metrics = createMetrics();
  const harness = await TestCheckoutServer.openWithInvoice({}, { metrics });
  harness.service.setStatus('PAID');
  await harness.sendWebhook();
  await harness.advance(5000);
  const { id } = harness;
  assert.deepEqual(
    harness.outcomes.map(({ kind, checkoutId }) => [kind, checkoutId]),
    [['paid', id]],
  );
  const texts = {
    outcomes: JSON.stringify(harness.outcomes),
    log: JSON.stringify(harness.logEntries),
    metrics: await metrics.expose(),
    requests: JSON.stringify(harness.service.createRequests),
    get: JSON.stringify(await harness.server.get(id)),
    list: JSON.stringify(await harness.server.list({ orderId: 'order-1' })),
  };
  for (const [name, text] of Object.entries(texts)) assert.doesNotMatch(text, /chk_/, name);
  assert.ok(texts.log.includes(id), 'the log names the checkout as outcomes do');
  const shown = await harness.getCheckout();
  assert.equal(shown.checkout.id, harness.capability, 'the payer’s page sees the capability as before');
  assert.ok(!JSON.stringify(shown.checkout).includes(endpoint));
});
