import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { canonicalDecimal, compareDecimals, isDecimal, isWithin, sumOf, toMinorUnits } from '../../src/base/decimal.ts';
import { holds } from '../support/property-tests.ts';

/**
 * A random decimal: its text, and its exact value as a fraction of two integers. Tests compute expected results from the
 * fraction.
 */
const anyDecimal = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.stringMatching(/^[0-9]{1,25}$/),
    fraction: fc.option(fc.stringMatching(/^[0-9]{1,25}$/), { nil: '' }),
  })
  .map(({ sign, whole, fraction }) => ({
    text: `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`,
    numerator: BigInt(`${sign}${whole}${fraction}`.replace(/^-(?=0*$)/, '')),
    denominator: 10n ** BigInt(fraction.length),
  }));

const signOf = (difference: bigint) => (difference < 0n ? -1 : difference > 0n ? 1 : 0);

suite('canonicalDecimal', () => {
  for (const [text, expected] of [
    ['0300.00', '300'],
    ['300.50', '300.5'],
    ['0.05', '0.05'],
    ['-00.00', '-0'],
  ] as const)
    test(`writes ${text} as ${expected}`, () => assert.equal(canonicalDecimal(text), expected));
  test('is equal for two decimals exactly when their values are equal', () => {
    const withoutMinusZero = fc
      .tuple(anyDecimal, anyDecimal)
      .filter((pair) => pair.every((one) => one.numerator !== 0n));
    holds(
      fc.property(withoutMinusZero, fc.nat(3), ([left, right], zeros) => {
        const padded = `${left.text}${left.text.includes('.') ? '' : '.'}${'0'.repeat(zeros + 1)}`;
        assert.equal(canonicalDecimal(padded), canonicalDecimal(left.text));
        const isEqual = canonicalDecimal(left.text) === canonicalDecimal(right.text);
        assert.equal(isEqual, compareDecimals(left.text, right.text) === 0);
      }),
    );
  });
});

suite('isDecimal', () => {
  test('accepts decimals with up to 40 digits before and after the point', () => {
    for (const text of ['0', '1500.00', '-0.50', '007', '9'.repeat(40), `0.${'1'.repeat(40)}`])
      assert.equal(isDecimal(text), true, text);
  });
  test('refuses any other text', () => {
    const texts = ['', '.', '1.', '.5', '+1', '1e3', '0x10', '1,5', '1 000', ' 1', '1\n', 'NaN', '--1', '1.2.3', '٣'];
    for (const text of [...texts, '9'.repeat(41), `0.${'1'.repeat(41)}`]) assert.equal(isDecimal(text), false, text);
  });
});

suite('compareDecimals', () => {
  test('returns the order of the exact values for any two decimals', () => {
    holds(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        const expected = signOf(a.numerator * b.denominator - b.numerator * a.denominator);
        assert.equal(compareDecimals(a.text, b.text), expected);
        assert.equal(compareDecimals(b.text, a.text), signOf(-BigInt(expected)));
      }),
    );
  });

  const rows = [
    ['01500.00', '1500', 0],
    ['-0', '0.00', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['-2', '-10', 1],
  ] as const;
  for (const [a, b, expected] of rows)
    test(`returns ${expected} for ${a} and ${b}`, () => assert.equal(compareDecimals(a, b), expected));

  test('throws a RangeError for a text that is not a decimal, and quotes at most 50 characters of it', () => {
    assert.throws(() => compareDecimals('1', '1e3'), new RangeError('not a decimal number: "1e3"'));
    assert.throws(
      () => compareDecimals('x'.repeat(9999), '1'),
      ({ message }: Error) => message.length < 100,
    );
  });
});

suite('isWithin', () => {
  const limits = { min_amount: '100.00', max_amount: '15000' };
  const rows = [
    ['100', true],
    ['99.99', false],
    ['15000.00', true],
    ['15000.0000000000000000000000000000000001', false],
  ] as const;
  for (const [amount, expected] of rows)
    test(`${expected ? 'includes' : 'excludes'} ${amount} in 100.00 to 15000`, () =>
      assert.equal(isWithin(amount, limits), expected));
  test('applies only the bounds that the range has', () => {
    assert.equal(isWithin('-5', {}), true);
    assert.equal(isWithin('1', { min_amount: '2' }), false);
    assert.equal(isWithin('3', { max_amount: '2' }), false);
  });
});

suite('toMinorUnits', () => {
  const rows = [
    ['1500', 2, '150000'],
    ['-1.5', 2, '-150'],
    ['1.100', 2, '110'],
    ['1.001', 2, undefined],
    ['7.0', 0, '7'],
  ] as const;
  for (const [amount, digits, expected] of rows)
    test(`returns ${expected ?? 'undefined'} for ${amount} and ${digits} fraction digits`, () =>
      assert.equal(toMinorUnits(amount, digits), expected));
});

suite('sumOf', () => {
  for (const [prices, expected] of [
    [[], '0.00'],
    [['0.1', '0.2'], '0.30'],
    [['1490.00', '0.005'], '1490.005'],
    [['-5', '4.95'], '-0.05'],
  ] as const)
    test(`returns ${expected} for ${prices.join(' and ') || 'nothing'}`, () =>
      assert.equal(sumOf(prices.map((price) => ({ price, quantity: 1 }))), expected));

  test('computes the exact sum for any prices and quantities', () => {
    const anyCentRow = fc.record({ cents: fc.bigInt(0n, 10n ** 20n), quantity: fc.nat(1000) });
    holds(
      fc.property(fc.array(anyCentRow), (centRows) => {
        const inWholeUnits = (cents: bigint) => `${String(cents / 100n)}.${String(cents % 100n).padStart(2, '0')}`;
        const total = centRows.reduce((sum, { cents, quantity }) => sum + cents * BigInt(quantity), 0n);
        const sum = sumOf(centRows.map(({ cents, quantity }) => ({ price: inWholeUnits(cents), quantity })));
        assert.equal(sum, inWholeUnits(total));
      }),
    );
  });
});
