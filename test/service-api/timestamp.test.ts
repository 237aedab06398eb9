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
import { holds } from '../support/property-tests.ts';

const moments = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9998-12-30T00:00:00Z'),
  noInvalidDate: true,
});

suite('parseTimestamp', () => {
  for (const [text, ms] of [
    ['2026-11-20t10:00:00z', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T04:30:00-05:30', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T10:00:00-00:00', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T10:00:00.1Z', Date.UTC(2026, 10, 20, 10, 0, 0, 100)],
    ['2026-11-20T10:00:00.123999999Z', Date.UTC(2026, 10, 20, 10, 0, 0, 123)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['1969-12-31T23:59:59.500Z', -500],
    ['0001-01-01T00:00:00Z', Date.parse('0001-01-01T00:00:00Z')],
    ['9999-12-31T23:59:59.999Z', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
    ['2016-12-31T18:29:60.5-05:30', Date.UTC(2017, 0, 1, 0, 0, 0, 500)],
  ] as const)
    test(`returns the milliseconds of ${text}`, () => assert.equal(parseTimestamp(text), ms));

  test('returns undefined for any other text, which the schema refuses', () => {
    const dates = ['2026-02-30', '2026-02-29', '1900-02-29', '2026-00-10', '2026-13-10', '2026-11-00', '2026-11-32'];
    dates.push('26-11-20', '+002026-11-20', '-0001-11-20', '2026-1-2', '٢٠٢٦-11-20', '2026-W47-5');
    const times = ['24:00:00Z', '10:60:00Z', '10:00:61Z', '10:00:60Z', '23:59:60+03:00', '10:00:00', '10:00Z'];
    times.push('10:00:00+0300', '10:00:00+24:00', '10:00:00+03:60', '10:00:00 Z', '10:00:00.Z', '10:00:00,5Z');
    times.push('10:00:00.1234567890Z', '10:00:00Z ', '10:00:00Z\n', '10:00:00Zgarbage');
    const texts = [...dates.map((date) => `${date}T10:00:00Z`), ...times.map((time) => `2026-11-20T${time}`)];
    for (const text of [...texts, '2026-11-20', '2026-11-20 10:00:00Z', '1763632800', '']) {
      assert.equal(parseTimestamp(text), undefined, text);
      assert.equal(timestamp.safeParse(text).success, false, text);
    }
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
  for (const text of ['10:00:00+03:00', '10:00:00+0300', '10:00:00+03', '02:00:00.000-05', '12:30:00+0530'])
    test(`also accepts the time ${text}`, () =>
      assert.equal(parseServiceTimestamp(`2026-11-20T${text}`), Date.UTC(2026, 10, 20, 7)));
  for (const text of ['2026-11-20T10:00:00', '2026-11-20T10:00:00+3', '2026-11-20T10:00:00+2400', '+03'])
    test(`returns undefined for ${text}`, () => assert.equal(parseServiceTimestamp(text), undefined));
});

suite('formatTimestamp', () => {
  test('returns a text that parseTimestamp converts back to the same millisecond', () => {
    holds(fc.property(moments, (at) => assert.equal(parseTimestamp(formatTimestamp(at.getTime())), at.getTime())));
  });
});

suite('withoutImpossibleDeadline', () => {
  const now = Date.parse('2026-11-20T10:01:00Z');
  for (const [text, ageMs, kept] of [
    ['2026-11-20T10:00:00.001Z', 60_000, true],
    ['2026-11-20T10:00:00.000Z', 60_000, false],
    ['2026-11-20T10:01:00.001Z', -60_000, true],
    ['2026-11-20T10:01:00.000Z', -60_000, false],
    ['soon', 0, true],
  ] as const)
    test(`${kept ? 'keeps' : 'removes'} the deadline ${text} of an invoice that was requested ${ageMs} ms before 10:01`, () => {
      const { expires_at } = withoutImpossibleDeadline({ expires_at: text }, now, ageMs);
      assert.equal(expires_at, kept ? text : undefined);
    });
});
