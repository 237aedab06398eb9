import assert from 'node:assert/strict';
import * as node from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import * as page from '../../demo/play/node-crypto.ts';
import { sha256 } from '../../demo/play/sha256.ts';

test('a page hashes as node does, bytes of any length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.deepEqual([...sha256(bytes)], [...node.createHash('sha256').update(bytes).digest()]);
    }),
  );
});

test('and writes digests and random bytes as the backend asks for them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('hex', 'base64url'), (text, encoding) => {
      const digest = page.createHash().update(text).digest(encoding);
      assert.equal(digest, node.createHash('sha256').update(text).digest(encoding));
    }),
  );
  assert.match(page.randomBytes(18).toString('base64url'), /^[\w-]{24}$/);
  assert.ok(page.timingSafeEqual(sha256(Uint8Array.of(1)), sha256(Uint8Array.of(1))));
  assert.ok(!page.timingSafeEqual(sha256(Uint8Array.of(1)), sha256(Uint8Array.of(2))));
});
