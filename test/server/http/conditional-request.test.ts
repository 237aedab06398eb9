import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchesEtag, waitPreference } from '../../../src/server/http/get-checkout-handler.ts';

describe('Prefer: wait', () => {
  for (const [header, expected] of [
    ['wait=25', 25],
    ['wait = 25', 25],
    ['WAIT=7', 7],
    ['wait="7"', 7],
    ['wait=99', 30],
    ['wait=0', 0],
    ['wait=999999999', 30],
    ['respond-async, wait=10', 10],
    ['foo="a, wait=3", wait=4', 4],
    ['wait=5; x=1, wait=9', 5],
    ['handling=lenient; wait=9', undefined],
    ['wait', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['wait=1e1', undefined],
    ['wait=10s', undefined],
    ['waiting=3', undefined],
    ['', undefined],
    [',,,', undefined],
    [`wait=${'9'.repeat(2000)}`, undefined],
  ] as const)
    test(`as ${JSON.stringify(header.slice(0, 40))} requests ${expected === undefined ? 'no wait' : `a wait of ${expected} s`}`, () => {
      assert.equal(waitPreference(header), expected);
    });
});

test('If-None-Match matches when one of its ETags equals the current ETag as a whole, weak or strong', () => {
  const etag = 'W/"abc"';
  for (const header of ['W/"abc"', '"abc"', '"x", "abc"', '"x",W/"abc"', '*', '"a,b", "abc"'])
    assert.ok(matchesEtag(header, etag), header);
  for (const header of ['abc', '"ab"', '"abcd"', '"x"', '', '"abc', 'W/abc', '**', '"*"'])
    assert.ok(!matchesEtag(header, etag), header);
  assert.ok(!matchesEtag(null, etag));
});
