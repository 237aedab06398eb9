import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseHttpDate, readRetryAfter } from '../../../src/server/invoice-client/send-http-request.ts';

const now = Date.UTC(2026, 10, 20, 10);

suite('readRetryAfter', () => {
  const rows: readonly (readonly [string, Record<string, string>, number | undefined])[] = [
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['0 seconds', { 'retry-after': '0' }, 0],
    ['seconds with spaces around', { 'retry-after': ' 7 ' }, 7_000],
    ['seconds beyond the maximum', { 'retry-after': '86400' }, 60_000],
    ['seconds with twelve digits', { 'retry-after': '999999999999' }, 60_000],
    ['an HTTP-date in the future', { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }, 30_000],
    ['an HTTP-date in the past', { 'retry-after': 'Fri, 20 Nov 2026 09:00:00 GMT' }, 0],
    ['an HTTP-date a year in the future', { 'retry-after': 'Sat, 20 Nov 2027 10:00:00 GMT' }, 60_000],
    [
      'an HTTP-date of a service whose clock is a year behind',
      { 'retry-after': 'Thu, 20 Nov 2025 10:00:09 GMT', date: 'Thu, 20 Nov 2025 10:00:00 GMT' },
      9_000,
    ],
    ['an HTTP-date beside an invalid Date', { 'retry-after': 'Fri, 20 Nov 2026 10:00:05 GMT', date: 'today' }, 5_000],
    ['no header', {}, undefined],
    ['an empty header', { 'retry-after': '' }, undefined],
    ['negative seconds', { 'retry-after': '-1' }, undefined],
    ['a fraction', { 'retry-after': '1.5' }, undefined],
    ['an exponent', { 'retry-after': '1e3' }, undefined],
    ['a unit', { 'retry-after': '5s' }, undefined],
    ['words', { 'retry-after': 'soon' }, undefined],
    ['RFC 3339', { 'retry-after': '2026-11-20T10:00:30Z' }, undefined],
    ['two values', { 'retry-after': '5, 7' }, undefined],
  ];
  for (const [name, headers, expected] of rows)
    test(`reads ${name} as ${expected === undefined ? 'none' : `${expected} ms`}`, () =>
      assert.equal(readRetryAfter(new Headers(headers), now), expected));
});

suite('parseHttpDate', () => {
  test('reads the text that Date.toUTCString writes', () => {
    for (let day = 0; day < 800; day += 1) {
      const at = now + day * 86_399_000;
      assert.equal(parseHttpDate(new Date(at).toUTCString()), at);
    }
  });
  const invalidDates = [
    'at Fri, 20 Nov 2026 10:00:00 GMT',
    'Fri, 30 Feb 2026 10:00:00 GMT',
    'Fri, 00 Nov 2026 10:00:00 GMT',
    'Fri, 20 Nov 2026 24:00:00 GMT',
    'Fri, 20 Nov 2026 10:60:00 GMT',
    'Fri, 20 Nov 2026 10:00:61 GMT',
    'Fri, 20 Nov 2026 10:00:00 UTC',
    'Fri, 20 Nov 2026 10:00:00 +0300',
    'Fri, 20 Nov 2026 10:00:00',
    'Fri, 20 Nov 2026 10:00:00 GMT garbage',
    '20 Nov 2026 10:00:00 GMT',
    'Fri, 20 nov 2026 10:00:00 GMT',
    'Thu, 31 Dec 2026 23:59:60 GMT',
    'Mon, 20 Nov 2026 10:00:00 GMT',
    'Invalid Date',
    '',
  ];
  for (const text of invalidDates)
    test(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseHttpDate(text), undefined));
});
