import assert from 'node:assert/strict';
import { describe, test, suite } from 'node:test';
import { readCreateRequest } from '../../../src/server/commands/create-invoice.ts';
import { readIdempotencyKey } from '../../../src/server/http/handlers.ts';
import { createdInvoice, json, scriptedClient } from '../../support/scripted-service-client.ts';
import { checkoutParams, TestCheckoutServer } from '../../support/test-checkout-server.ts';

const body = { payment_method_id: 'pm_card' };

describe('an idempotency key', () => {
  const readRequest = (key: string | undefined): string =>
    readIdempotencyKey(
      new Request('https://shop.example/', key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    );

  test('of 1 to 200 visible ASCII characters is accepted unchanged', () => {
    for (const key of ['!~', 'x'.repeat(200)]) assert.equal(readRequest(key), key);
  });

  test('of another form is rejected with the name of the header', () => {
    const detail = 'idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID';
    for (const key of [undefined, 'a b', 'x'.repeat(201), 'a\u007f', '\u00e4a'])
      assert.throws(() => readRequest(key), { code: 'invalid_request', facts: { detail } });
  });
});

describe('a create request', () => {
  test('has the amount of the order, whatever the browser sends', () => {
    const tampered = { ...body, amount: '1.00' };
    const { amount, paymentMethodId, replace, key } = readCreateRequest(checkoutParams, tampered, 'k');
    assert.deepEqual([amount, paymentMethodId, replace, key.key], ['1500.00', 'pm_card', false, 'k']);
  });

  test('has a fingerprint that depends on the body, and not on the key', () => {
    const bodies = [body, { ...body, replace: true }, { ...body, amount: '1' }, { payment_method_id: 'pm_sbp' }];
    const fingerprints = bodies.map(
      (requestBody) => readCreateRequest(checkoutParams, requestBody, 'k').key.fingerprint,
    );
    assert.equal(new Set(fingerprints).size, bodies.length);
    assert.equal(readCreateRequest(checkoutParams, { ...body, replace: false }, 'k').key.fingerprint, fingerprints[0]);
    assert.equal(readCreateRequest(checkoutParams, body, 'other').key.fingerprint, fingerprints[0]);
  });
});

for (const urls of [
  { successUrl: 'https://shop.example/thanks', failUrl: 'https://shop.example/sorry' },
  { successUrl: null, failUrl: null },
])
  test(`the service receives the mode, the metadata and the return addresses of the order: ${JSON.stringify(urls)}`, async () => {
    const metadata = { cart: { id: 7 }, shop: 'a' };
    const harness = await TestCheckoutServer.openWithInvoice({ ...urls, metadata }, { mode: 'LIVE', qr: false });
    const { hookSecret } = await harness.loadRecord();
    const [request] = harness.service.createRequests;
    assert.deepEqual(request, {
      amount: '1500.00',
      external_id: request?.external_id,
      payment_method_id: 'pm_card',
      mode: 'LIVE',
      url_config: {
        hook_url: `https://shop.example/checkout/hook/b3JkZXItMQ/${hookSecret}`,
        ...(urls.successUrl !== null && { success_url: urls.successUrl, fail_url: urls.failUrl }),
      },
      metadata: { ...metadata, order_id: 'order-1' },
    });
  });

test('the traceparent of the payer’s request is not sent to the service', async () => {
  const options = [{ id: 'pm_card', type: 'CARD', available: true, limits: {}, banks: [] }];
  const { service, sentRequests } = scriptedClient([json(200, { options }), json(200, createdInvoice)]);
  const harness = await TestCheckoutServer.open({}, { service });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await harness.until(harness.createInvoice({ headers: { traceparent } }));
  assert.deepEqual(
    sentRequests.map(({ headers }) => headers.get('traceparent')),
    [null, null],
  );
});

suite('a QR code is requested', () => {
  const requestedQr = { generate: true, timeout: '4s' };
  for (const [name, options, card, sbp] of [
    ['only for SBP by default', {}, undefined, requestedQr],
    [
      'for the types in qr.methods, without regard to case',
      { qr: { methods: ['card', 'OTHER'] } },
      requestedQr,
      undefined,
    ],
    ['with the time in qr.timeoutMs', { qr: { timeoutMs: 2500 } }, undefined, { generate: true, timeout: '2.500s' }],
    ['for no method when qr is false', { qr: false }, undefined, undefined],
  ] as const)
    test(name, async () => {
      for (const [method, expected] of [
        ['pm_card', card],
        ['pm_sbp', sbp],
      ] as const) {
        const harness = await TestCheckoutServer.open({}, options);
        await harness.createInvoice({ method });
        assert.deepEqual(harness.service.createRequests[0]?.qr, expected, method);
      }
    });
});
