import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientAddress } from '../../../src/server/http/client-address.ts';

for (const [trustedProxies, forwardedFor, expected] of [
  [undefined, '1.1.1.1', '10.0.0.9'],
  [0, '1.1.1.1, 2.2.2.2', '10.0.0.9'],
  [-1, '1.1.1.1, 2.2.2.2', '10.0.0.9'],
  [1, undefined, '10.0.0.9'],
  [1, '', '10.0.0.9'],
  [1, '1.1.1.1,', '10.0.0.9'],
  [1, '1.1.1.1', '1.1.1.1'],
  [1, 'forged, 1.1.1.1', '1.1.1.1'],
  [2, 'forged, 1.1.1.1, 10.0.0.1', '1.1.1.1'],
  [3, '1.1.1.1, 10.0.0.1', '10.0.0.9'],
  [1, ' 2001:db8::1 ', '2001:db8::1'],
  [1, '1.1.1.1:50123', '1.1.1.1'],
  [1, '[2001:db8::1]:50123', '2001:db8::1'],
  [1, '[2001:db8::1]', '2001:db8::1'],
] as const)
  test(`with ${trustedProxies ?? 'no word of'} proxies, X-Forwarded-For: ${forwardedFor ?? 'none'} tells ${expected}`, () => {
    const trust = trustedProxies === undefined ? {} : { trustedProxies };
    assert.equal(clientAddress(forwardedFor, '10.0.0.9', trust), expected);
  });
