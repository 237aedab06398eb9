import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  createInvoiceRequest,
  fetchInvoicesRequest,
  fetchInvoicesResponse,
  fetchPaymentOptionsRequest,
  fetchPaymentOptionsResponse,
  operationPath,
  operations,
} from '../../src/service-api.ts';

/** A CreateInvoice request with every field. */
const fullRequest = {
  amount: '1500.00',
  external_id: 'order-1',
  payment_method_id: 'pm_1',
  mode: 'TEST',
  url_config: {
    hook_url: 'https://shop.example/hook',
    fail_url: 'https://shop.example/failed',
    success_url: 'http://localhost:8080/done',
  },
  metadata: { a: null, b: [1, { c: 'x' }] },
  qr: { generate: true, timeout: '2.500s' },
};

suite('operationPath', () => {
  for (const operation of operations)
    test(`returns the path of section 4 for ${operation}`, () =>
      assert.equal(operationPath(operation), `/api/public/invoice.v1.PubInvoiceService/${operation}`));
});

suite('createInvoiceRequest', () => {
  test('keeps every field of section 4.1 unchanged', () =>
    assert.deepEqual(createInvoiceRequest.parse(fullRequest), fullRequest));
  test('accepts an empty request, because the specification does not require an amount', () =>
    assert.deepEqual(createInvoiceRequest.parse({}), {}));
  test('treats null members as missing', () =>
    assert.deepEqual(createInvoiceRequest.parse({ amount: null, mode: null, qr: null }), {}));

  const invalidRequests: readonly (readonly [string, unknown])[] = [
    ['a number as the amount', { amount: 1500 }],
    ['an amount that is not a decimal', { amount: '15 00' }],
    ['an unknown mode', { mode: 'DEMO' }],
    ['a mode in small letters', { mode: 'test' }],
    ['a hook_url that is not a URL', { url_config: { hook_url: 'shop' } }],
    ['a hook_url of another scheme', { url_config: { hook_url: 'ftp://shop.example' } }],
    ['a link that runs code', { url_config: { success_url: 'javascript:alert(1)' } }],
    ['a list as metadata', { metadata: [] }],
    ['a text as metadata', { metadata: 'x' }],
    ['a timeout that is not a duration', { qr: { generate: true, timeout: '4s garbage' } }],
    ['a number as the timeout', { qr: { timeout: 4 } }],
    ['a text as qr.generate', { qr: { generate: 'true' } }],
    ['a list instead of an object', []],
  ];
  for (const [name, value] of invalidRequests)
    test(`refuses a request with ${name}`, () => assert.equal(createInvoiceRequest.safeParse(value).success, false));

  test('reports the path of the invalid member', () => {
    const result = createInvoiceRequest.safeParse({ qr: { timeout: '4' } });
    assert.deepEqual(result.error?.issues[0]?.path, ['qr', 'timeout']);
  });
});

suite('fetchInvoicesRequest', () => {
  test('accepts a list of identifiers, even an empty list', () => {
    assert.deepEqual(fetchInvoicesRequest.parse({ ids: ['inv_1', 'inv_2'] }).ids, ['inv_1', 'inv_2']);
    assert.deepEqual(fetchInvoicesRequest.parse({ ids: [] }).ids, []);
  });
  for (const value of [{}, { ids: null }, { ids: 'inv_1' }, { ids: [1] }, { ids: [null] }])
    test(`refuses ${JSON.stringify(value)}`, () => assert.equal(fetchInvoicesRequest.safeParse(value).success, false));
});

suite('fetchPaymentOptionsRequest', () => {
  test('accepts a request without an amount', () => assert.deepEqual(fetchPaymentOptionsRequest.parse({}), {}));
  test('refuses a number as the amount', () =>
    assert.equal(fetchPaymentOptionsRequest.safeParse({ amount: 1 }).success, false));
});

suite('fetchPaymentOptionsResponse and fetchInvoicesResponse', () => {
  test('treat a missing or null list as an empty one', () => {
    assert.deepEqual(fetchPaymentOptionsResponse.parse({}).options, []);
    assert.deepEqual(fetchInvoicesResponse.parse({ invoices: null }).invoices, []);
  });
  test('keep items of any form, because items are parsed one by one later', () =>
    assert.deepEqual(fetchInvoicesResponse.parse({ invoices: [1, { id: 'x' }] }).invoices, [1, { id: 'x' }]));
  for (const value of [[], 'x', null, { invoices: {} }, { invoices: 'x' }])
    test(`refuse ${JSON.stringify(value)}`, () => assert.equal(fetchInvoicesResponse.safeParse(value).success, false));
});
