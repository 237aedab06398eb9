import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../src/server.ts';
import { endpoint, TestCheckoutServer } from '../support/test-checkout-server.ts';

test('whoever has only the id of a checkout gets a 404, also with its ETag while its view is known', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const { etag } = await harness.getCheckout();
  const wrongSecret = harness.capability.slice(0, -1) + (harness.capability.endsWith('A') ? 'B' : 'A');
  const otherCase = harness.capability.slice(0, 28) + harness.capability.slice(28).toUpperCase();
  for (const capability of [harness.id, `chk_${harness.id.slice('co_'.length)}`, wrongSecret, otherCase])
    for (const headers of [{}, { 'if-none-match': etag }, { 'if-none-match': '*', prefer: 'wait=25' }])
      assert.equal((await harness.request(`/${capability}`, { headers })).status, 404);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304);
});

test('the capability is in no outcome, log line, metric, request to the service, or answer but those of create and link, the payer’s JSON included', async () => {
  const metrics = createMetrics();
  const harness = await TestCheckoutServer.openWithInvoice({}, { metrics });
  harness.service.setStatus('PAID');
  await harness.sendWebhook();
  await harness.advance(5000);
  const { id } = harness;
  assert.equal((await harness.server.link(id)).capability, harness.capability);
  assert.deepEqual(
    harness.outcomes.map(({ kind, checkoutId }) => [kind, checkoutId]),
    [['paid', id]],
  );
  const shown = await harness.getCheckout();
  const texts = {
    outcomes: JSON.stringify(harness.outcomes),
    log: JSON.stringify(harness.logEntries),
    metrics: await metrics.expose(),
    requests: JSON.stringify(harness.service.createRequests),
    'what the payer’s page reads': JSON.stringify(shown.checkout),
    get: JSON.stringify(await harness.server.get(id)),
    list: JSON.stringify(await harness.server.list({ orderId: 'order-1' })),
  };
  for (const [name, text] of Object.entries(texts)) assert.doesNotMatch(text, /chk_/, name);
  assert.doesNotMatch(texts.metrics, /co_|inv_|att_|order-1|CANARY|79990000000|2200000000000004/);
  assert.ok(texts.log.includes(id), 'the log names the checkout as outcomes do');
  assert.equal(shown.checkout.id, id, 'the payer’s page may show it and log it');
  assert.ok(!JSON.stringify(shown.checkout).includes(endpoint));
});
