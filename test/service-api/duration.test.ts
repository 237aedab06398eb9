import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { duration, formatDuration, parseDuration } from '../../src/service-api.ts';
import { holds } from '../support/properties.ts';

suite('parseDuration', () => {
  const durations = [
    ['4s', 4000],
    ['0s', 0],
    ['-0s', 0],
    ['0.250s', 250],
    ['1.5s', 1500],
    ['-1.5s', -1500],
    ['0.000000001s', 0.000001],
    ['1.000340012s', 1000.340012],
    ['3.000001s', 3000.001],
    ['315576000000s', 315_576_000_000_000],
    ['-315576000000s', -315_576_000_000_000],
  ] as const;
  for (const [text, ms] of durations) test(`returns ${ms} ms for ${text}`, () => assert.equal(parseDuration(text), ms));

  const invalidTexts = [
    '',
    's',
    '4',
    '4S',
    '4 s',
    ' 4s',
    '4s ',
    '4s\n',
    '4s garbage',
    '4ss',
    '4ms',
    '4m',
    '1m30s',
    'PT4S',
    '+4s',
  ];
  invalidTexts.push('.5s', '1.s', '1.0000000000s', '1e3s', '0x4s', '--4s', '4,5s', '٤s', 'NaNs', 'Infinitys', '1.5.5s');
  invalidTexts.push('315576000001s', '-315576000001s', '9999999999999s');
  for (const text of invalidTexts)
    test(`returns undefined for ${JSON.stringify(text)}, which the schema refuses`, () => {
      assert.equal(parseDuration(text), undefined);
      assert.equal(duration.safeParse(text).success, false);
    });
});

suite('formatDuration', () => {
  const rows = [
    [4000, '4s'],
    [0, '0s'],
    [-0, '0s'],
    [-0.0000001, '0s'],
    [250, '0.250s'],
    [0.001, '0.000001s'],
    [0.000001, '0.000000001s'],
    [-1500, '-1.500s'],
    [315_575_999_999_999, '315575999999.999s'],
  ] as const;
  for (const [ms, text] of rows) test(`returns ${text} for ${ms} ms`, () => assert.equal(formatDuration(ms), text));

  test('returns a text that parseDuration converts back, for every number of milliseconds in the range', () => {
    const ms = fc.integer({ min: -315_576_000_000_000, max: 315_576_000_000_000 });
    holds(fc.property(ms, (value) => assert.equal(parseDuration(formatDuration(value)), value)));
  });

  test('writes the fraction in groups of three digits, down to nanoseconds', () => {
    holds(
      fc.property(fc.nat(1_000_000_000), (nanos) => {
        const text = `0.${String(nanos % 1_000_000_000).padStart(9, '0')}s`;
        const written = formatDuration(parseDuration(text) ?? NaN);
        assert.equal(parseDuration(written), parseDuration(text));
        assert.match(written, /^\d+(?:\.(?:\d{3}){1,3})?s$/);
      }),
    );
  });
});
