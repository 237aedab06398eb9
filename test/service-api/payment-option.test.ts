import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { paymentOption } from '../../src/service-api.ts';

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
    ['an empty id', { ...option, id: '' }],
    ['a number as a limit', { ...option, limits: { min_amount: 1 } }],
    ['a limit that is not a decimal', { ...option, limits: { max_amount: '1e6' } }],
    ['a text as its availability', { ...option, available: 'yes' }],
    ['a string instead of an object', 'card'],
  ];
  for (const [name, value] of invalidOptions)
    test(`refuses an option with ${name}`, () => assert.equal(paymentOption.safeParse(value).success, false));
});
