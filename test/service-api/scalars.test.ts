import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decimal, duration, timestamp, formatDuration, parseDuration } from '../../src/service-api.ts';
import { holds } from '../support/property-tests.ts';

suite('parseDuration', () => {
  for (const [text, ms] of [
    ['4s', 4000],
    ['-0s', 0],
    ['-1.5s', -1500],
    ['1.000340012s', 1000.340012],
    ['-315576000000s', -315_576_000_000_000],
  ] as const)
    test(`returns ${ms} ms for ${text}`, () => assert.equal(parseDuration(text), ms));

  test('returns undefined for any other text, which the schema refuses', () => {
    const texts = ['', 's', '4', '4S', '4 s', ' 4s', '4s\n', '4s garbage', '4ms', '1m30s', 'PT4S', '+4s', '.5s', '1.s'];
    texts.push('1.0000000000s', '1e3s', '--4s', '4,5s', '٤s', '1.5.5s', '315576000001s', '-315576000001s');
    for (const text of texts) {
      assert.equal(parseDuration(text), undefined, text);
      assert.equal(duration.safeParse(text).success, false, text);
    }
  });
});

suite('formatDuration', () => {
  const rows = [
    [4000, '4s'],
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
});

for (const [name, schema, invalidText, reason] of [
  ['Decimal', decimal, '1e3', 'must be a decimal number in a string, such as "100.00"'],
  ['Duration', duration, '4', 'must be a duration such as "4s"'],
  ['Timestamp', timestamp, '2026-11-20', 'must be an RFC 3339 timestamp'],
] as const)
  test(`the schema ${name} accepts its own examples, and refuses ${invalidText} with a message that states the rule`, () => {
    for (const example of [schema.meta()?.['examples']].flat()) assert.equal(schema.parse(example), example);
    const issues = schema.safeParse(invalidText).error?.issues ?? [];
    assert.deepEqual(
      issues.map(({ message }) => message),
      [reason],
    );
  });
