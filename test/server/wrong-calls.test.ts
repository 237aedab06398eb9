import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runConformance } from '../../src/conformance.ts';
import { createPostgresStore, postgresDdl } from '../../src/stores/postgres-store.ts';
import { createSandbox } from '../../src/sandbox.ts';
import { clientAddress, toNodeListener } from '../../src/server.ts';
import { createSqliteStore, sqliteDdl } from '../../src/stores/sqlite-store.ts';
import { checkoutMarkup, createPayPage } from '../../src/standalone.ts';
import { createTestCheckouts } from '../../src/testing.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

/** Calls a function as a program without types does. */
const callUntyped = (call: unknown, ...args: readonly unknown[]): unknown => {
  assert.ok(typeof call === 'function');
  return Reflect.apply(call, undefined, args);
};
/** The options are refused before anything is asked there. */
const url = 'postgres://user@127.0.0.1:1/shop';
const { server } = await TestCheckoutServer.open();
const tests = await createTestCheckouts({ onOutcome: () => Promise.resolve() });
after(() => tests.close());
const handle: unknown = Reflect.get(server, 'handle');
const request = new Request('https://shop.example/checkout/chk_none');

/** The call, what it is called with, the path of the error, and the cure in its message. */
const rows: readonly (readonly [string, unknown, unknown, string, RegExp])[] = [
  ['createSqliteStore', createSqliteStore, {}, 'file', /^file: must be the name of the database file/],
  ['createSqliteStore', createSqliteStore, { file: '' }, 'file', /^file: must be the name of the database file/],
  ['createSqliteStore', createSqliteStore, { file: 'sqlite:///shop.db' }, 'file', /^file: .*, not a URL/],
  ['createSqliteStore', createSqliteStore, { file: 'file:shop.db' }, 'file', /^file: .*, not a URL/],
  ['createSqliteStore', createSqliteStore, { file: ':memory:' }, 'file', /createMemoryStore\(\)/],
  ['createSqliteStore', createSqliteStore, undefined, 'options', /^options: must be an object/],
  [
    'createSqliteStore',
    createSqliteStore,
    { file: 'a', tableprefix: 'a' },
    'tableprefix',
    /did you mean tablePrefix\?$/,
  ],
  ['createSqliteStore', createSqliteStore, { file: 'a', clock: {} }, 'clock', /^clock: must have now and schedule/],
  ['createPostgresStore', createPostgresStore, {}, 'url', /^url, pool: exactly one must be given/],
  ['createPostgresStore', createPostgresStore, { url: 'shop' }, 'url', /^url: must be a URL such as postgres:\/\//],
  ['createPostgresStore', createPostgresStore, { url: 'postgres://shop:p#w@host/db' }, 'url', /^url: must have no #/],
  ['createPostgresStore', createPostgresStore, { url: '' }, 'url', /^url: must be a URL such as postgres:\/\//],
  ['createPostgresStore', createPostgresStore, { pool: {} }, 'pool', /^pool: must be a Pool of pg/],
  ['createPostgresStore', createPostgresStore, undefined, 'options', /^options: must be an object/],
  ['createPostgresStore', createPostgresStore, { url, tableprefix: 'a' }, 'tableprefix', /did you mean tablePrefix\?$/],
  ['createPostgresStore', createPostgresStore, { url, schema: null }, 'schema', /^schema: must be 1 to 28 lower-case/],
  ['createPostgresStore', createPostgresStore, { url, migrations: {} }, 'migrations', /^migrations: must be a list/],
  ['createPostgresStore', createPostgresStore, { url, migrate: '0' }, 'migrate', /^migrate: must be true or false/],
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

/** Calls with a misspelt option, and the option that is meant. */
const misspelt: readonly (readonly [string, unknown, readonly unknown[], string])[] = [
  ['toNodeListener', toNodeListener, [server, { trustedproxies: 1 }], 'trustedProxies'],
  ['clientAddress', clientAddress, ['6.6.6.6', '9.9.9.9', { trusted_proxies: 1 }], 'trustedProxies'],
  ['createTestCheckouts', createTestCheckouts, [{ onoutcome: () => undefined }], 'onOutcome'],
  ['pay of createTestCheckouts', tests.pay.bind(tests), ['chk_none', { Method: 'pm_card' }], 'method'],
  ['createSandbox', createSandbox, [{ token: 'token', datafile: 'a' }], 'dataFile'],
  ['runConformance', runConformance, [{ endpoint: 'http://127.0.0.1:1', typed_checkouts: [] }], 'typedCheckouts'],
  [
    'createPayPage',
    createPayPage,
    [{ checkouts: server, endpoint: 'https://a.example/checkout', Accent: '#123456' }],
    'accent',
  ],
  [
    'createPayPage',
    createPayPage,
    [{ checkouts: server, endpoint: 'https://a.example/checkout', shop: { logoURL: '/a' } }],
    'logoUrl',
  ],
  ['checkoutMarkup', checkoutMarkup, [{}, { paypage: '/pay/chk_none', lang: 'en' }], 'payPage'],
  ['sqliteDdl', sqliteDdl, [{ tableprefix: 'a' }], 'tablePrefix'],
  ['postgresDdl', postgresDdl, [{ Schema: 'a' }], 'schema'],
];
for (const [name, call, args, meant] of misspelt)
  test(`${name} names the option that is meant by ${JSON.stringify(args.at(-1))}`, async () => {
    const result = Promise.resolve().then(() => callUntyped(call, ...args));
    await assert.rejects(result, { name: 'CheckoutOptionsError', message: new RegExp(`did you mean ${meant}\\?`) });
  });

test('purge names the option that is meant', async () => {
  const options = { olderThan: 0, olderthan: 0 };
  await assert.rejects(async () => server.purge(options), {
    code: 'invalid_params',
    message: /did you mean olderThan\?/,
  });
});

// A number of proxies that is no number would take the first entry of `X-Forwarded-For`, which the client writes.
for (const trustedProxies of [Number.NaN, '1', -1, 1.5, null])
  test(`${String(trustedProxies)} is no number of trusted proxies`, () => {
    const error = { name: 'CheckoutOptionsError', path: 'trustedProxies', message: /must be a whole number from 0/ };
    assert.throws(() => callUntyped(toNodeListener, server, { trustedProxies }), error);
    assert.throws(() => callUntyped(clientAddress, '6.6.6.6, 1.1.1.1', '9.9.9.9', { trustedProxies }), error);
  });

for (const client of [{}, { params: {} }, { address: ['192.0.2.1'] }])
  test(`handle with ${JSON.stringify(client)} in place of the client’s address says so`, async () => {
    const result = Promise.resolve().then(() => callUntyped(handle, request, client));
    await assert.rejects(result, {
      name: 'CheckoutOptionsError',
      message: /^client: .* handle\(request, \{ address \}\)/,
    });
  });
