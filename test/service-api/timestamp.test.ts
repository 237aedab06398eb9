import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  formatTimestamp,
  parseServiceTimestamp,
  parseTimestamp,
  timestamp,
  withoutImpossibleDeadline,
} from '../../src/service-api.ts';
import { holds } from '../support/properties.ts';

const moments = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9998-12-30T00:00:00Z'),
  noInvalidDate: true,
});

suite('parseTimestamp', () => {
  const timestamps = [
    ['1970-01-01T00:00:00Z', 0],
    ['2026-11-20T10:00:00.000Z', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20t10:00:00z', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T13:00:00+03:00', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T04:30:00-05:30', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T10:00:00-00:00', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T10:00:00.1Z', Date.UTC(2026, 10, 20, 10, 0, 0, 100)],
    ['2026-11-20T10:00:00.123999999Z', Date.UTC(2026, 10, 20, 10, 0, 0, 123)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['1969-12-31T23:59:59.500Z', -500],
    ['0001-01-01T00:00:00Z', Date.parse('0001-01-01T00:00:00Z')],
    ['9999-12-31T23:59:59.999Z', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
    ['2017-01-01T02:59:60+03:00', Date.UTC(2017, 0, 1)],
    ['2016-12-31T18:29:60.5-05:30', Date.UTC(2017, 0, 1, 0, 0, 0, 500)],
  ] as const;
  for (const [text, ms] of timestamps)
    test(`returns the milliseconds of ${text}`, () => assert.equal(parseTimestamp(text), ms));

  const invalidTexts = [
    '2026-02-30T10:00:00Z',
    '2026-02-29T10:00:00Z',
    '1900-02-29T10:00:00Z',
    '2026-04-31T10:00:00Z',
    '2026-00-10T10:00:00Z',
    '2026-13-10T10:00:00Z',
    '2026-11-00T10:00:00Z',
    '2026-11-32T10:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:60:00Z',
    '2026-11-20T10:00:61Z',
    '2026-11-20T10:00:60Z',
    '2026-11-20T23:59:60+03:00',
    '2026-11-20T10:00:00',
    '2026-11-20T10:00Z',
    '2026-11-20',
    '2026-11-20 10:00:00Z',
    '2026-11-20T10:00:00+0300',
    '2026-11-20T10:00:00+24:00',
    '2026-11-20T10:00:00+03:60',
    '2026-11-20T10:00:00+03',
    '2026-11-20T10:00:00 Z',
    '2026-11-20T10:00:00.Z',
    '2026-11-20T10:00:00,5Z',
    '2026-11-20T10:00:00.1234567890Z',
    '2026-11-20T10:00:00Z ',
    '2026-11-20T10:00:00Z\n',
    '2026-11-20T10:00:00Zgarbage',
    '26-11-20T10:00:00Z',
    '+002026-11-20T10:00:00Z',
    '-0001-11-20T10:00:00Z',
    '2026-1-2T10:00:00Z',
    '٢٠٢٦-11-20T10:00:00Z',
    '2026-W47-5T10:00:00Z',
    '1763632800',
    '',
  ];
  for (const text of invalidTexts)
    test(`returns undefined for ${JSON.stringify(text)}, which the schema refuses`, () => {
      assert.equal(parseTimestamp(text), undefined);
      assert.equal(timestamp.safeParse(text).success, false);
    });

  test('returns the milliseconds of any text that Date.toISOString writes', () => {
    holds(fc.property(moments, (moment) => assert.equal(parseTimestamp(moment.toISOString()), moment.getTime())));
  });

  test('subtracts the offset from the local time', () => {
    holds(
      fc.property(moments, fc.integer({ min: -1439, max: 1439 }), (moment, minutes) => {
        const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const twoDigits = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, '0');
        const text = `${local}${minutes < 0 ? '-' : '+'}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`;
        assert.equal(parseTimestamp(text), moment.getTime());
      }),
    );
  });

  test('never throws, and returns undefined for any text without a zone', () => {
    holds(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('0123456789-:.+TZtz ')), maxLength: 30 }), (text) => {
        if (parseTimestamp(text) !== undefined) assert.match(text, /(?:Z|z|[+-]\d\d:\d\d)$/);
      }),
    );
  });
});

suite('parseServiceTimestamp', () => {
  const expected = Date.UTC(2026, 10, 20, 7);
  for (const text of ['2026-11-20T10:00:00+03:00', '2026-11-20T10:00:00+0300', '2026-11-20T10:00:00+03'])
    test(`returns the milliseconds of ${text}`, () => assert.equal(parseServiceTimestamp(text), expected));
  test('accepts a western offset without minutes', () =>
    assert.equal(parseServiceTimestamp('2026-11-20T02:00:00.000-05'), expected));
  test('accepts an offset of half an hour without a colon', () =>
    assert.equal(parseServiceTimestamp('2026-11-20T12:30:00+0530'), expected));
  for (const text of [
    '2026-11-20T10:00:00',
    '2026-11-20',
    '2026-11-20T10:00:00+3',
    '2026-11-20T10:00:00+2400',
    '',
    '+03',
  ])
    test(`returns undefined for ${JSON.stringify(text)}`, () => assert.equal(parseServiceTimestamp(text), undefined));
});

suite('formatTimestamp', () => {
  test('returns a text that parseTimestamp converts back to the same millisecond', () => {
    holds(fc.property(moments, (at) => assert.equal(parseTimestamp(formatTimestamp(at.getTime())), at.getTime())));
  });
});

suite('withoutImpossibleDeadline', () => {
  const requestedAt = Date.parse('2026-11-20T10:00:00Z');
  const rows: readonly (readonly [text: string | undefined, kept: boolean])[] = [
    ['2026-11-20T10:00:00.001Z', true],
    ['2026-11-20T10:00:00.000Z', false],
    ['0001-01-01T00:00:00Z', false],
    ['soon', true],
    [undefined, true],
  ];
  for (const [text, kept] of rows)
    test(`${kept ? 'keeps' : 'removes'} the deadline ${String(text)}`, () => {
      const invoice = { id: 'inv_1', expires_at: text };
      assert.deepEqual(withoutImpossibleDeadline(invoice, requestedAt), {
        id: 'inv_1',
        expires_at: kept ? text : undefined,
      });
    });
});
