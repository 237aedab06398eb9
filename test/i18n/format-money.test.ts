import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { plainAmount, formatMoney } from '../../src/i18n/format-money.ts';
import { holds } from '../support/properties.ts';

const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

describe('money', () => {
  const rows: readonly (readonly [locale: string, amount: string, currency: string | null, text: string])[] = [
    ['ru', '1500', 'RUB', '1 500,00 ₽'],
    ['ru', '1500.5', 'RUB', '1 500,50 ₽'],
    ['ru', '0.10', 'RUB', '0,10 ₽'],
    ['ru', '1500.005', 'RUB', '1 500,005 ₽'],
    ['ru', '12345678901234567890.12', 'RUB', '12 345 678 901 234 567 890,12 ₽'],
    ['en', '1500.00', 'RUB', '₽1,500.00'],
    ['en', '1500', 'JPY', '¥1,500'],
    ['en', '1500.00', null, '1,500.00'],
    ['en', '1500', null, '1,500'],
    ['en', '1500.00', 'not a currency', '1500.00 not a currency'],
    ['en', `0.${'1'.repeat(40)}`, 'RUB', `0.${'1'.repeat(40)} RUB`],
  ];
  for (const [locale, amount, currency, text] of rows)
    it(`writes ${amount} ${String(currency)} in ${locale} as ${text}`, () => {
      assert.equal(plain(formatMoney(locale, amount, currency).text), text);
    });

  it('splits the text at the decimal sign and loses nothing', () => {
    const { major, minor } = formatMoney('ru', '1500.5', 'RUB');
    assert.deepEqual([plain(major), plain(minor)], ['1 500', ',50 ₽']);
  });

  it('omits an empty fraction in its brief form, and no other fraction', () => {
    assert.equal(plain(formatMoney('ru', '1500.00', 'RUB', true).text), '1 500 ₽');
    assert.equal(plain(formatMoney('ru', '1500.50', 'RUB', true).text), '1 500,50 ₽');
  });

  it('never changes a digit', () => {
    const amount = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.stringMatching(/^\d{0,18}$/))
      .map(([whole, fraction]) => (fraction === '' ? `${whole}` : `${whole}.${fraction}`));
    holds(
      fc.property(amount, fc.constantFrom('ru', 'en', 'en-GB', 'de'), (text, locale) => {
        const digits = formatMoney(locale, text, 'RUB').text.replace(/\D/g, '');
        const [whole = '', fraction = ''] = text.split('.');
        assert.equal(digits, whole + fraction.padEnd(2, '0'));
      }),
    );
  });

  const typed: readonly (readonly [locale: string, amount: string, text: string])[] = [
    ['ru', '1500.00', '1500'],
    ['ru', '1500.50', '1500,50'],
    ['en', '1500.50', '1500.50'],
    ['ru', '1500', '1500'],
    ['ru', '100', '100'],
  ];
  for (const [locale, amount, text] of typed)
    it(`writes ${amount} for a bank's app in ${locale} as ${text}`, () => {
      assert.equal(plainAmount(locale, amount), text);
    });
});
