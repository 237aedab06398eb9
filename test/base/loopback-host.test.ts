import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { loopbackHost } from '../../src/base/loopback-host.ts';

suite('loopbackHost', () => {
  for (const [url, expected] of [
    ['http://localhost:8080/', true],
    ['http://shop.localhost/', true],
    ['http://127.0.0.1/', true],
    ['http://127.1/', true],
    ['http://[::1]:80/', true],
    ['http://localhost.example/', false],
    ['http://notlocalhost/', false],
    ['http://127.0.0.1.example/', false],
    ['http://192.168.1.5/', false],
    ['http://[::2]/', false],
  ] as const)
    test(`${expected ? 'matches' : 'does not match'} the host of ${url}`, () =>
      assert.equal(loopbackHost.test(new URL(url).hostname), expected));
});
