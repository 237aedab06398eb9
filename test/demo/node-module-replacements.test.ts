import assert from 'node:assert/strict';
import * as node from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import * as page from '../../demo/in-page/node-module-replacements.ts';

test('the replacement of node:crypto has the digests of node, and a comparison of bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('hex', 'base64url'), (text, encoding) => {
      assert.equal(page.hash('sha256', text, encoding), node.hash('sha256', text, encoding));
    }),
  );
  assert.ok(page.timingSafeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 2)));
  assert.ok(!page.timingSafeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 3)));
});
