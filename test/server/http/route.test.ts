import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeOf } from '../../../src/server/http/route.ts';

const shortest = `chk_${'aB3_-'.repeat(4)}zZ`;
const longest = `chk_${'A'.repeat(100)}`;
const secret = 'aZ09_-aZ09';
const longSecret = 'b'.repeat(100);

for (const [path, expected] of [
  [`/${shortest}`, { kind: 'checkout', checkoutId: shortest }],
  [`/${longest}`, { kind: 'checkout', checkoutId: longest }],
  [`/shop/checkout/${shortest}`, { kind: 'checkout', checkoutId: shortest }],
  [`/${longest}/${shortest}`, { kind: 'checkout', checkoutId: shortest }],
  [`/${shortest}/invoice`, { kind: 'invoice', checkoutId: shortest }],
  [`/${shortest}/hook/${secret}`, { kind: 'hook', checkoutId: shortest, secret }],
  [`/${shortest}/hook/${longSecret}`, { kind: 'hook', checkoutId: shortest, secret: longSecret }],
  [shortest, undefined],
  [`/${shortest.slice(0, -1)}`, undefined],
  [`/${longest}A`, undefined],
  [`/x${shortest}`, undefined],
  [`/${shortest}/`, undefined],
  [`/${shortest}/invoice/`, undefined],
  [`/${shortest}/invoices`, undefined],
  [`/${shortest}/hook/${secret.slice(1)}`, undefined],
  [`/${shortest}/hook/${longSecret}b`, undefined],
  [`/${shortest}/hook`, undefined],
  [`/${shortest}/${secret}`, undefined],
  [`/${shortest}/invoice/hook/${secret}`, undefined],
  [`/${shortest}\n`, undefined],
  [`/${shortest}%20`, undefined],
  ['/', undefined],
  ['', undefined],
] as const)
  test(`${JSON.stringify(path.length > 60 ? `…${path.slice(-60)}` : path)} is ${expected?.kind ?? 'no address'}`, () => {
    assert.deepEqual(routeOf(path), expected);
  });
