import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isUsable } from '../../src/core.ts';
import { tryCompareDecimals } from '../../src/base/decimal.ts';
import { faultOf, readAmount } from '../../src/core/select-public-state.ts';
import { cardOption, transferOption } from '../support/checkout-responses.ts';
import { bundledMessages, completeTranslator, createFirstFileTranslator } from '../../src/i18n.ts';
import { holds } from '../support/property-tests.ts';

const limits = { min_amount: '10.00', max_amount: '60000' };

describe('a typed amount', () => {
  for (const [typed, expected] of [
    ['1500', '1500'],
    ['1500.5', '1500.5'],
    ['1500,50', '1500.50'],
    ['1 500,50', '1500.50'],
    ['1\u00a0500\u202f', '1500'],
    ['1500 ₽', '1500'],
    ['$\u00a01 500,00', '1500.00'],
    ['\u200e1500\u200f', '1500'],
    ['\ufeff15\u200b00\u2060,\u00ad50', '1500.50'],
    ['\u20681500\u2069', '1500'],
    ['1500.567', 'too_precise'],
    ['1500.500', '1500.50'],
    ['12.3450', 'too_precise'],
    ['007', 'too_small'],
    ['0010', '10'],
    ['10', '10'],
    ['9.99', 'too_small'],
    ['60000.00', '60000.00'],
    ['60000.01', 'too_large'],
    ['12.', '12'],
    ['-20', 'malformed'],
    ['+20', 'malformed'],
    ['1e3', 'malformed'],
    ['1,500.00', 'malformed'],
    ['1,500', 'malformed'],
    ['1.234', 'malformed'],
    ['.5', 'malformed'],
    ['12 rub', 'malformed'],
    ['', 'malformed'],
    ['٣٠', 'malformed'],
    ['9'.repeat(19), 'malformed'],
    ['9'.repeat(18), 'too_large'],
    ['Infinity', 'malformed'],
    ['0x20', 'malformed'],
  ] as const)
    it(`${JSON.stringify(typed)} is read as ${expected}`, () => {
      const { amount, fault } = readAmount(typed, limits, 'RUB');
      assert.equal(amount ?? fault, expected);
    });

  for (const [currency, typed, expected] of [
    ['JPY', '1500', '1500'],
    ['JPY', '1500.5', 'too_precise'],
    ['JPY', '1 500,00', '1500'],
    ['JPY', '1.500', 'malformed'],
    ['KWD', '1500.125', '1500.125'],
    ['KWD', '1500,125', '1500.125'],
    ['KWD', '1.500', '1.500'],
    ['KWD', '1,500', 'malformed'],
    ['KWD', '0,500', '0.500'],
    ['KWD', '1500.1255', 'too_precise'],
    ['RUB', '1500.125', 'too_precise'],
    ['rub', '1500.125', 'too_precise'],
    ['x'.repeat(100), '1500.12', '1500.12'],
  ] as const)
    it(`${typed} in ${currency.slice(0, 3)} is read as ${expected}`, () => {
      const { amount, fault } = readAmount(typed, null, currency);
      assert.equal(amount ?? fault, expected);
    });

  const [zero, two, three] = [['JPY'], ['RUB', 'USD', 'KZT'], ['KWD']] as const;
  for (const [typed, languages, currencies, expected] of [
    ['1 500', 'ru kk en de ar', [...zero, ...two, ...three], '1500'],
    ['1\u00a0500', 'ru kk en de ar', [...zero, ...two, ...three], '1500'],
    ['\u200e₽1500\u200e', 'ru kk en de ar', [...zero, ...two, ...three], '1500'],
    ['1,500', 'ru kk en de ar', [...zero, ...two], 'malformed'],
    ['1.500', 'ru kk en de ar', [...zero, ...two], 'malformed'],
    ['1,500', 'ru kk de', three, '1.500'],
    ['150,125', 'ru ru-RU kk de', three, '150.125'],
    ['1,500', 'en en-GB ar', three, 'malformed'],
    ['150,125', 'en ar', three, 'malformed'],
    ['1.500', 'ru kk en ar', three, '1.500'],
    ['1.500', 'de es', three, 'malformed'],
    ['1,500.00', 'ru kk en de', [...zero, ...two, ...three], 'malformed'],
    ['1,5', 'ru kk en de', zero, 'too_precise'],
    ['1,5', 'ru kk en de', [...two, ...three], '1.5'],
    ['1500.125', 'ru kk en de', [...zero, ...two], 'too_precise'],
    ['1500.125', 'ru kk en de', three, '1500.125'],
    ['1500,125', 'ru kk en de', three, '1500.125'],
    ['0,500', 'ru en', three, '0.500'],
  ] as const)
    it(`${JSON.stringify(typed)} in ${languages} is read as ${expected} in ${currencies.join(', ')}`, () => {
      for (const language of languages.split(' '))
        for (const currency of currencies) {
          const sample = completeTranslator(createFirstFileTranslator(language, bundledMessages)).money(
            '10000.5',
            null,
          ).text;
          const { amount, fault } = readAmount(typed, null, currency, sample);
          assert.equal(amount ?? fault, expected, `${language} ${currency}`);
        }
    });

  it('of zero is too small, also without limits', () => {
    for (const typed of ['0', '0.00']) assert.equal(readAmount(typed, null, null).fault, 'too_small');
  });

  it('without a currency may have two fraction digits, or as many as the limits have', () => {
    assert.equal(readAmount('1.234', { min_amount: '0.001' }, null).amount, '1.234');
    assert.equal(readAmount('1.2345', { max_amount: '9.001' }, null).fault, 'too_precise');
    assert.equal(readAmount('1.234', null, null).fault, 'malformed');
  });

  it('keeps exactly the digits that were typed', () => {
    holds(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 17n }), fc.integer({ min: 0, max: 99 }), (whole, fraction) => {
        const cents = String(fraction).padStart(2, '0');
        assert.equal(readAmount(`${whole},${cents}`, null, 'RUB').amount, `${whole}.${cents}`);
      }),
    );
  });
});

describe('a comparison of two amounts', () => {
  it('is undefined when one of them is not a number', () => {
    for (const text of ['', '1.', '.1', '1,5', 'NaN', '1e3', ' 1'])
      assert.equal(tryCompareDecimals(text, '1'), undefined);
  });
});

describe('a payment method', () => {
  for (const [amount, expected] of [
    ['99.99', 'too_small'],
    ['100', undefined],
    ['100.00', undefined],
    ['50000.0', undefined],
    ['50000.01', 'too_large'],
  ] as const)
    it(`with the limits 100.00 to 50000.00 ${expected === undefined ? 'is usable' : `is not usable (${expected})`} for ${amount}`, () => {
      assert.equal(faultOf(amount, cardOption.limits), expected);
      assert.equal(isUsable(cardOption, amount), expected === undefined);
    });

  it('that is unavailable is not usable, with or without an amount within its limits', () => {
    assert.equal(isUsable(transferOption, '100'), false);
    assert.equal(isUsable(transferOption, undefined), false);
    assert.equal(isUsable(cardOption, undefined), true);
  });

  for (const [name, banks, expected] of [
    ['no bank', [], true],
    ['one available bank of two', [true, false], true],
    ['only unavailable banks', [false, false], false],
  ] as const)
    it(`that has ${name} ${expected ? 'is usable' : 'is not usable'}`, () => {
      const option = { ...cardOption, banks: banks.map((available) => ({ code: 'b', available, limits: {} })) };
      assert.equal(isUsable(option, undefined), expected);
      assert.equal(isUsable(option, '500'), expected);
    });

  it('whose banks all exclude the amount is not usable for it', () => {
    const option = { ...cardOption, banks: [{ code: 'b', available: true, limits: { max_amount: '499.99' } }] };
    assert.deepEqual([isUsable(option, '500'), isUsable(option, '499.99')], [false, true]);
  });
});
