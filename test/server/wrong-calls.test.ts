import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPostgresStore } from '../../src/postgres.ts';
import { toNodeListener } from '../../src/server.ts';
import { createSqliteStore } from '../../src/sqlite.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

/** Calls a function as a program without types does. */
const callUntyped = (call: unknown, ...args: readonly unknown[]): unknown => {
  assert.ok(typeof call === 'function');
  return Reflect.apply(call, undefined, args);
};
const { server } = await TestCheckoutServer.open();
const handle: unknown = Reflect.get(server, 'handle');
const request = new Request('https://shop.example/checkout/chk_none');

/** The call, what it is called with, the path of the error, and the cure in its message. */
const rows: readonly (readonly [string, unknown, unknown, string, RegExp])[] = [
  ['createSqliteStore', createSqliteStore, {}, 'file', /^file: must be the name of the database file/],
  ['createSqliteStore', createSqliteStore, { file: '' }, 'file', /^file: must be the name of the database file/],
  ['createSqliteStore', createSqliteStore, { file: ':memory:' }, 'file', /createMemoryStore\(\)/],
  ['createPostgresStore', createPostgresStore, {}, 'url', /^url, pool: exactly one must be given/],
  ['createPostgresStore', createPostgresStore, { url: 'shop' }, 'url', /^url: must be a URL such as postgres:\/\//],
  ['createPostgresStore', createPostgresStore, { url: '' }, 'url', /^url: must be a URL such as postgres:\/\//],
  ['createPostgresStore', createPostgresStore, { pool: {} }, 'pool', /^pool: must be a Pool of pg/],
  ['handle', handle, request, 'client', /^client: .* handle\(request, \{ address \}\)/],
  ['toNodeListener', toNodeListener, handle, 'checkouts', /^checkouts: .* toNodeListener\(checkouts\)/],
  ['toNodeListener', toNodeListener, undefined, 'checkouts', /^checkouts: .* toNodeListener\(checkouts\)/],
];

for (const [name, call, argument, path, message] of rows) {
  const given = typeof argument === 'object' && argument !== request ? JSON.stringify(argument) : typeof argument;
  test(`${name} with ${argument === request ? 'a request alone' : given} names the argument and the cure`, async () => {
    const result = Promise.resolve().then(() => callUntyped(call, argument));
    await assert.rejects(result, { name: 'CheckoutOptionsError', code: 'invalid_options', path, message });
  });
}
