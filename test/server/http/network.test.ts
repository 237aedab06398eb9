import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from '../../../src/server/http/network.ts';

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
  test(`${address || 'nothing'} is of the network ${network || 'nothing'}`, () =>
    assert.equal(networkOf(address), network));
