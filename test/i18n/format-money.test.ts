import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatMoney } from '../../src/i18n/format-by-intl.ts';
import { plainAmount } from '../../src/i18n/translator.ts';
import { holds } from '../support/property-tests.ts';

const withPlainSpaces = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

describe('the formatter of money', () => {
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
      assert.equal(withPlainSpaces(formatMoney(locale, amount, currency).text), text);
    });

  it('splits the text before the decimal separator', () => {
    const { major, minor } = formatMoney('ru', '1500.5', 'RUB');
    assert.deepEqual([withPlainSpaces(major), withPlainSpaces(minor)], ['1 500', ',50 ₽']);
  });

  it('omits only a fraction of zeros in its brief form', () => {
    assert.equal(withPlainSpaces(formatMoney('ru', '1500.00', 'RUB', true).text), '1 500 ₽');
    assert.equal(withPlainSpaces(formatMoney('ru', '1500.50', 'RUB', true).text), '1 500,50 ₽');
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

  const builtIn = {
    languages: ['ru', 'ru-RU', 'ru-KZ', 'ru-BY', 'kk', 'kk-KZ', 'en', 'en-US', 'en-GB'],
    currencies: ['RUB', 'USD', 'EUR', 'GBP', 'KZT', 'UAH', 'CNY', 'TRY', 'AMD', 'AZN', null],
    amounts: ['0', '0.5', '-0.5', '1', '-1', '12', '999', '1000', '-1000', '007', '0100.10', '1234567.005', '1500.00'],
  };
  /** What `Intl` writes with this exact number of fraction digits. */
  const textByIntl = (locale: string, amount: string, currency: string | null, brief: boolean): string => {
    const digits = Math.max(currency === null ? 0 : 2, amount.split('.')[1]?.length ?? 0);
    return new Intl.NumberFormat(locale, {
      ...(currency !== null && { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      trailingZeroDisplay: brief ? 'stripIfInteger' : 'auto',
    }).format(amount as `${number}`);
  };
  const assertSameAsIntl = (locale: string, amount: string, currency: string | null, brief: boolean): void => {
    const { text, major, minor } = formatMoney(locale, amount, currency, brief);
    const input = `${locale} ${amount} ${String(currency)} ${String(brief)}`;
    assert.equal(text, textByIntl(locale, amount, currency, brief), input);
    assert.equal(major + minor, text, input);
  };

  it('writes the built-in languages and currencies as Intl does', () => {
    for (const locale of builtIn.languages)
      for (const currency of builtIn.currencies)
        for (const amount of builtIn.amounts)
          for (const brief of [false, true]) assertSameAsIntl(locale, amount, currency, brief);
  });

  it('writes any amount in the built-in languages and currencies as Intl does', () => {
    const amount = fc
      .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.stringMatching(/^\d{0,18}$/))
      .map(([minus, whole, fraction]) => `${minus}${whole}${fraction && '.'}${fraction}`);
    const [language, currency] = [fc.constantFrom(...builtIn.languages), fc.constantFrom(...builtIn.currencies)];
    holds(fc.property(language, amount, currency, fc.boolean(), assertSameAsIntl));
  });

  it('writes other languages, regions and currencies as Intl does', () => {
    for (const locale of ['en-IN', 'en-ZA', 'en-CH', 'de', 'ru-UA', 'ru-u-nu-deva'])
      for (const amount of ['1234567.50', '-1', '1500.00'])
        for (const brief of [false, true]) assertSameAsIntl(locale, amount, 'RUB', brief);
    for (const currency of ['BYN', 'UZS', 'PLN'])
      for (const locale of ['ru', 'en']) assertSameAsIntl(locale, '1500.00', currency, true);
  });

  it('constructs no Intl.NumberFormat for the built-in languages and currencies, and one for each other currency', () => {
    const { NumberFormat } = Intl;
    let timesConstructed = 0;
    class CountingNumberFormat extends NumberFormat {
      constructor(...options: ConstructorParameters<typeof NumberFormat>) {
        super(...options);
        timesConstructed += 1;
      }
    }
    Intl.NumberFormat = CountingNumberFormat as unknown as typeof NumberFormat;
    try {
      for (const locale of builtIn.languages)
        for (const currency of builtIn.currencies) {
          formatMoney(locale, '1500.50', currency);
          plainAmount(locale, '1500.50');
        }
      assert.equal(timesConstructed, 0);
      for (const amount of ['1', '1500.00', '2.50', '3']) formatMoney('ru', amount, 'CHF', amount === '3');
      assert.equal(timesConstructed, 1);
    } finally {
      Intl.NumberFormat = NumberFormat;
    }
  });

  const bankAmounts: readonly (readonly [locale: string, amount: string, text: string])[] = [
    ['ru', '1500.00', '1500'],
    ['ru', '1500.50', '1500,50'],
    ['en', '1500.50', '1500.50'],
    ['ru', '1500', '1500'],
    ['ru', '100', '100'],
  ];
  for (const [locale, amount, text] of bankAmounts)
    it(`writes ${amount} for a bank's app in ${locale} as ${text}`, () => {
      assert.equal(plainAmount(locale, amount), text);
    });
});
