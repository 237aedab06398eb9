import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkPrefix } from '../../../src/server/in-memory/payer-rate-limit.ts';
import { clientAddress } from '../../../src/server/node/node-listener.ts';

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
  test(`with ${trustedProxies ?? 'the default number of'} trusted proxies, X-Forwarded-For: ${forwardedFor ?? 'none'} gives ${expected}`, () => {
    const options = trustedProxies === undefined ? {} : { trustedProxies };
    assert.equal(clientAddress(forwardedFor, '10.0.0.9', options), expected);
  });

for (const [address, network] of [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['2001:db8::5:6:7:8', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3::', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1:2:3', '1:2:3'],
  ['unknown', 'unknown'],
  ['_hidden:x', '_hidden:x'],
  ['', ''],
] as const)
  test(`the network prefix of ${JSON.stringify(address)} is ${JSON.stringify(network)}`, () =>
    assert.equal(networkPrefix(address), network));
