import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fractionDigitsOf } from '../../src/base/currency-digits.ts';

test('the digits of a currency are those of ISO 4217, also where engines have others', () => {
  const codes = ['RUB', 'JPY', 'KRW', 'KWD', 'HUF', 'IDR', 'COP', 'RSD', 'KZT', 'XX', ''];
  assert.deepEqual(codes.map(fractionDigitsOf), [2, 0, 0, 3, 2, 2, 2, 2, 2, 2, 2]);
});

test('a currency that engines know has no fewer digits than they show, but for those in which they hide what is not used', () => {
  const digitsOf = (currency: string): number =>
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  const funds = ['CLF', 'UYW', 'UYI'];
  const wrong = Intl.supportedValuesOf('currency').filter(
    (code) => !funds.includes(code) && fractionDigitsOf(code) < digitsOf(code),
  );
  assert.deepEqual(wrong, []);
});
