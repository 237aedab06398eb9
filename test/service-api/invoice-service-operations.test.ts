import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  createInvoiceRequest,
  fetchInvoicesRequest,
  fetchInvoicesResponse,
  fetchPaymentOptionsRequest,
  fetchPaymentOptionsResponse,
  paymentOption,
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
    ['a hook_url of another scheme', { url_config: { hook_url: 'ftp://shop.example' } }],
    ['a link that runs code', { url_config: { success_url: 'javascript:alert(1)' } }],
    ['a list as metadata', { metadata: [] }],
    ['a timeout that is not a duration', { qr: { generate: true, timeout: '4s garbage' } }],
    ['a text as qr.generate', { qr: { generate: 'true' } }],
  ];
  for (const [name, value] of invalidRequests)
    test(`refuses a request with ${name}`, () => assert.equal(createInvoiceRequest.safeParse(value).success, false));
});

test('the requests of fetches refuse other members than lists of identifiers and decimals', () => {
  assert.deepEqual(fetchInvoicesRequest.parse({ ids: ['inv_1', 'inv_2'] }).ids, ['inv_1', 'inv_2']);
  for (const value of [{}, { ids: 'inv_1' }, { ids: [1] }])
    assert.equal(fetchInvoicesRequest.safeParse(value).success, false);
  assert.deepEqual(fetchPaymentOptionsRequest.parse({}), {});
  assert.equal(fetchPaymentOptionsRequest.safeParse({ amount: 1 }).success, false);
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

const bank = { code: 'sber', name: 'Сбербанк', available: true, limits: { min_amount: '10', max_amount: '5000.50' } };
const option = {
  id: 'pm_1',
  code: 'card',
  type: 'CARD',
  name: 'Банковская карта',
  available: true,
  limits: { min_amount: '1.00', max_amount: '100000' },
  banks: [bank, { ...bank, code: 'alfa', available: false }],
};

suite('paymentOption', () => {
  test('keeps every field of sections 2.3 and 2.4 unchanged', () =>
    assert.deepEqual(paymentOption.parse(option), option));
  test('sets available to false when the method has only an identifier, or null for every other member', () => {
    const minimal = { id: 'pm_1', type: '', available: false, limits: {}, banks: [] };
    assert.deepEqual(paymentOption.parse({ id: 'pm_1' }), minimal);
    assert.deepEqual(
      paymentOption.parse({ id: 'pm_1', type: null, available: null, limits: null, banks: null }),
      minimal,
    );
  });
  test('keeps an unknown type, and turns a number into a string of its digits', () => {
    assert.equal(paymentOption.parse({ ...option, type: 'CRYPTO' }).type, 'CRYPTO');
    assert.equal(paymentOption.parse({ ...option, type: 2 }).type, '2');
  });
  test('treats "" as a missing limit, name or code', () => {
    const limits = { min_amount: '', max_amount: '' };
    const withEmptyTexts = { ...option, name: '', code: '', limits, banks: [{ ...bank, name: '', limits }] };
    const expectedBank = { code: bank.code, available: true, limits: {} };
    const expected = { id: option.id, type: option.type, available: true, limits: {}, banks: [expectedBank] };
    assert.deepEqual(paymentOption.parse(withEmptyTexts), expected);
  });
  test('drops only malformed banks', () => {
    const banks = [{ ...bank, limits: { min_amount: 10 } }, 'sber', null, { name: 'no code' }, bank];
    assert.deepEqual(paymentOption.parse({ ...option, banks }).banks, [bank]);
  });

  const invalidOptions: readonly (readonly [string, unknown])[] = [
    ['no id', { ...option, id: undefined }],
    ['a number as a limit', { ...option, limits: { min_amount: 1 } }],
    ['a limit that is not a decimal', { ...option, limits: { max_amount: '1e6' } }],
    ['a text as its availability', { ...option, available: 'yes' }],
  ];
  for (const [name, value] of invalidOptions)
    test(`refuses an option with ${name}`, () => assert.equal(paymentOption.safeParse(value).success, false));
});
