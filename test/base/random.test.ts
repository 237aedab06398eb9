import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomId, systemRandom } from '../../src/base/random.ts';

test('an identifier has 144 random bits in the alphabet of base64url', () => {
  const bytes = (first: number, step: number) => (count: number) =>
    Uint8Array.from({ length: count }, (_, index) => first + step * index);
  assert.equal(randomId({ number: () => 0, bytes: bytes(0, 1) }), 'AAECAwQFBgcICQoLDA0ODxAR');
  assert.equal(randomId({ number: () => 0, bytes: bytes(255, 0) }), '_'.repeat(24));
  assert.equal(new Set(Array.from({ length: 1000 }, () => randomId(systemRandom))).size, 1000);
});
