import assert from 'node:assert/strict';
import { describe, test, suite } from 'node:test';
import type { CheckoutParams } from '../../../src/server.ts';
import { ProblemError } from '../../../src/server/http/responses.ts';
import { checkAmount, readCreateRequest } from '../../../src/server/commands/create-invoice.ts';
import { readIdempotencyKey } from '../../../src/server/http/handlers.ts';
import { createdInvoice, json, scriptedClient } from '../../support/scripted-service-client.ts';
import { checkoutParams, TestCheckoutServer } from '../../support/test-checkout-server.ts';

const withoutAmount: CheckoutParams = { ...checkoutParams, amount: null };
const amountLimits = { minAmount: '100.00', maxAmount: '5000' };
const limits = { min_amount: '100.00', max_amount: '5000' };
const body = { payment_method_id: 'pm_card' };

/** Calls `readRequest`, and returns the code and the facts of the problem that it throws, or its result. */
function problemOrResult(readRequest: () => unknown): readonly unknown[] {
  try {
    return [readRequest()];
  } catch (error) {
    return error instanceof ProblemError ? [error.code, error.facts] : assert.fail(String(error));
  }
}

describe('an idempotency key', () => {
  const readRequest = (key: string | undefined): string =>
    readIdempotencyKey(
      new Request('https://shop.example/', key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    );

  for (const key of ['k', '!~', 'x'.repeat(200), '0b0f9a3e-6a6b-4f0e-8f0a-3a1b2c3d4e5f'])
    test(`${key.slice(0, 40)} is accepted unchanged`, () => {
      assert.equal(readRequest(key), key);
    });

  for (const key of [undefined, '', 'a b', 'x'.repeat(201), 'a\u00e4', 'a\u007f', '\u00e4a'])
    test(`${JSON.stringify(key?.slice(0, 10) ?? 'none')} is rejected with the name of the header`, () => {
      const detail = 'idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID';
      assert.deepEqual(
        problemOrResult(() => readRequest(key)),
        ['invalid_request', { detail }],
      );
    });
});

describe('a create request', () => {
  test('has the amount of the order, whatever the browser sends', () => {
    const { amount, paymentMethodId, replace, key } = readCreateRequest(
      checkoutParams,
      { ...body, amount: '1.00' },
      'k',
    );
    assert.deepEqual([amount, paymentMethodId, replace, key.key], ['1500.00', 'pm_card', false, 'k']);
    assert.equal(
      readCreateRequest({ ...checkoutParams, amountLimits: { maxAmount: '1' } }, body, 'k').amount,
      '1500.00',
    );
  });

  for (const [amount, code] of [
    ['100', undefined],
    ['5000.00', undefined],
    ['99.99', 'amount_out_of_limits'],
    ['5000.01', 'amount_out_of_limits'],
    [undefined, 'amount_required'],
  ] as const)
    test(`with ${amount ?? 'no amount'} is ${code ?? 'accepted'} when the payer types an amount from 100 to 5000`, () => {
      const params = { ...withoutAmount, amountLimits };
      assert.equal(readCreateRequest(params, { ...body, amount }, 'k').amount, amount);
      assert.deepEqual(checkAmount(params, amount), code === undefined ? amount : { refused: code, ...limits });
    });

  test('without a valid amount is rejected with a problem without limits when the order has no limits', () => {
    const noLimits = { min_amount: undefined, max_amount: undefined };
    assert.deepEqual(checkAmount(withoutAmount, undefined), { refused: 'amount_required', ...noLimits });
    assert.deepEqual(checkAmount(withoutAmount, '0'), { refused: 'amount_out_of_limits', ...noLimits });
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

for (const [title, urls] of [
  ['successUrl and failUrl', { successUrl: 'https://shop.example/thanks', failUrl: 'https://shop.example/sorry' }],
  ['only failUrl', { successUrl: null, failUrl: 'https://shop.example/sorry' }],
  ['none', { successUrl: null, failUrl: null }],
] as const)
  test(`the service receives the return addresses of the order: ${title}`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice(urls, { mode: 'LIVE', qr: false });
    const { hookSecret } = await harness.loadRecord();
    const [request] = harness.service.createRequests;
    assert.deepEqual(request, {
      amount: '1500.00',
      external_id: request?.external_id,
      payment_method_id: 'pm_card',
      mode: 'LIVE',
      url_config: {
        hook_url: `https://shop.example/checkout/hook/b3JkZXItMQ/${hookSecret}`,
        ...(urls.successUrl !== null && { success_url: urls.successUrl }),
        ...(urls.failUrl !== null && { fail_url: urls.failUrl }),
      },
      metadata: { order_id: 'order-1' },
    });
  });

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
for (const [title, sent, expected] of [
  ['of the payer’s request', traceparent, traceparent],
  ['that is malformed', `${traceparent}\t`.toUpperCase(), null],
] as const)
  test(`the traceparent ${title} is ${expected === null ? 'not ' : ''}passed on to the service`, async () => {
    const { service, sentRequests } = scriptedClient([
      json(200, { options: [{ id: 'pm_card', type: 'CARD', available: true, limits: {}, banks: [] }] }),
      json(200, createdInvoice),
    ]);
    const harness = await TestCheckoutServer.open({}, { service });
    await harness.until(harness.createInvoice({ headers: { traceparent: sent } }));
    const create = sentRequests.find(({ body: sentBody }) => 'external_id' in sentBody);
    assert.ok(create);
    assert.equal(create.headers.get('traceparent'), expected);
  });

const requestedQr = { generate: true, timeout: '4s' };

suite('a QR code is requested', () => {
  const rows: readonly (readonly [string, readonly string[] | undefined, card: boolean, sbp: boolean])[] = [
    ['only for SBP by default', undefined, false, true],
    ['for the types in the option qr.methods, without regard to case', ['card', 'OTHER'], true, false],
    ['for no method when the option qr.methods is empty', [], false, false],
  ];
  for (const [name, types, card, sbp] of rows)
    test(name, async () => {
      for (const [method, isRequested] of [
        ['pm_card', card],
        ['pm_sbp', sbp],
      ] as const) {
        const harness = await TestCheckoutServer.open({}, types === undefined ? {} : { qr: { methods: types } });
        await harness.createInvoice({ method });
        assert.deepEqual(harness.service.createRequests[0]?.qr, isRequested ? requestedQr : undefined, method);
      }
    });
});

suite('a repeat of a create in doubt', () => {
  test('by create recovery does not request a QR code, and later repeats do not either', async () => {
    const harness = await TestCheckoutServer.open();
    const inDoubt = { kind: 'fails', failure: 'ambiguous' } as const;
    harness.service.createFaults.push(inDoubt, inDoubt, inDoubt);
    await harness.createInvoice({ method: 'pm_sbp' });
    await harness.advance(120_000);
    const { createRequests } = harness.service;
    assert.deepEqual(
      createRequests.map(({ qr }) => qr),
      [requestedQr, undefined, undefined, undefined],
    );
    assert.equal(new Set(createRequests.map(({ external_id }) => external_id)).size, 1);
  });
});
