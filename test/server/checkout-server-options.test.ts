import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { createCheckoutServer } from '../../src/server.ts';
import { defaultLimits, defaultStatuses, defaultTiming } from '../../src/server-internals.ts';
import { readOptions } from '../../src/server/checkout-server-options.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

const validOptions = new TestCheckoutServer().options;
const invalidOrigins = ['https://shop.example/path', 'https://shop.example/?a', 'ftp://shop.example', '*', 'null'];

/** Invalid options, with the message of the error. */
const invalidOptions: readonly (readonly [changes: object, message: string])[] = [
  [{ timing: { slowMs: 1000 } }, 'timing.slowMs: must not be shorter than timing.fastMs'],
  [{ timing: { fastMs: '2s' } }, 'timing.fastMs: must be a whole number of milliseconds from 1'],
  [{ timing: { graceMs: -1 } }, 'timing.graceMs: must be a whole number of milliseconds from 0'],
  [{ timing: { lifetimeMs: Infinity } }, 'timing.lifetimeMs: must be a whole number of milliseconds from 1'],
  [{ timing: { deliverforMs: 5000 } }, 'timing.deliverforMs: is unknown: did you mean deliverForMs?'],
  [{ timing: 5 }, 'timing: must be an object'],
  [{ limits: { batchSize: 1.5 } }, 'limits.batchSize: must be a whole number from 1'],
  [{ limits: { waiters: -1 } }, 'limits.waiters: must be a whole number from 0'],
  [{ limits: { createsOfAddress: { burst: 1 } } }, 'limits.createsOfAddress.perMinute: must be a whole number from 1'],
  [{ statuses: { paid: [] } }, 'statuses.paid: must name at least one status word'],
  [{ statuses: { paid: 'PAID' } }, 'statuses.paid: must be a list of status words'],
  [{ statuses: { failed: [' '] } }, 'statuses.failed.0: must not be empty'],
  [{ statuses: { failed: ['paid '] } }, 'statuses.failed: "paid" is also in statuses.paid'],
  [{ qr: { timeoutMs: 30_000 } }, 'qr.timeoutMs: must be shorter than 30000'],
  [{ qr: true }, 'qr: must be an object'],
  [{ qr: { methods: 'SBP' } }, 'qr.methods: must be a list of types of payment methods'],
  [{ currencies: ['rub'] }, 'currencies.0: must be a code of ISO 4217 such as "RUB"'],
  [{ currencies: 'RUB' }, 'currencies: must be a list of codes'],
  [{ mode: 'live' }, 'mode: must be "TEST" or "LIVE"'],
  [{ endpoint: 'ftp://shop.example' }, 'endpoint: must be an address such as "https://shop.example/checkout"'],
  [{ endpoint: 'https://shop.example/checkout?a=1' }, 'endpoint: must have no user, query or fragment'],
  [{ mode: 'LIVE', statuses: {} }, 'statuses.paid: is required with mode LIVE: ask the service which words mean paid'],
  [
    { mode: 'LIVE', endpoint: 'http://shop.example', statuses: { failed: ['NO'] } },
    'endpoint: must be https: with mode LIVE (http: only on loopback); statuses.paid: is required with mode LIVE: ask the service which words mean paid',
  ],
  [{ service: {} }, 'service: must be a client of the invoice service: createInvoiceServiceClient()'],
  [{ store: undefined }, 'store: must be a store, such as that of createPostgresStore() or createSqliteStore()'],
  [
    { store: Promise.resolve(validOptions.store) },
    'store: is a promise: await createPostgresStore() or createSqliteStore()',
  ],
  [
    { store: { ...validOptions.store, purge: undefined } }, // would be called after hours
    'store: must be a store, such as that of createPostgresStore() or createSqliteStore()',
  ],
  [
    { onOutcome: undefined, onoutcome: () => undefined },
    'onoutcome: is unknown: did you mean onOutcome?; onOutcome: must be a function',
  ],
  [{ clock: {} }, 'clock: must have now and schedule'],
  [{ random: () => 0.5 }, 'random: must have number and bytes'],
  [{ log: console }, 'log: must be a function'],
  [{ metrics: {} }, 'metrics: must have counter, gauge and histogram'],
  [{ allowedOrigins: 'https://shop.example' }, 'allowedOrigins: must be a list of origins'],
  ...invalidOrigins.map(
    (origin) =>
      [
        { allowedOrigins: ['https://m.shop.example', origin] },
        'allowedOrigins.1: must be an origin such as "https://shop.example"',
      ] as const,
  ),
];

/** Options as JSON, in which `undefined` and `Infinity` stay visible. */
const optionsText = (options: object): string =>
  JSON.stringify(options, (_, value: unknown) => (value === undefined || value === Infinity ? String(value) : value));

suite('createCheckoutServer throws a TypeError that names the option and the rule', () => {
  for (const [changes, message] of invalidOptions)
    test(`for the options ${optionsText(changes)}: "${message}"`, () => {
      assert.throws(() => createCheckoutServer({ ...validOptions, ...changes }), {
        name: 'CheckoutOptionsError',
        message,
      });
    });

  test('for options that are not an object', () => {
    assert.throws(() => createCheckoutServer(undefined as never), { message: 'options: must be an object' });
  });
});

test('addresses in the options are used as browsers send them: in ASCII, without the usual port', () => {
  const { endpoint, allowedOrigins } = readOptions({
    ...validOptions,
    endpoint: 'https://Магазин.рф:443/оплата/',
    allowedOrigins: ['https://магазин.рф/', 'HTTPS://M.Shop.Example:443'],
  });
  assert.equal(endpoint, 'https://xn--80aairftm.xn--p1ai/%D0%BE%D0%BF%D0%BB%D0%B0%D1%82%D0%B0');
  assert.deepEqual(allowedOrigins, ['https://xn--80aairftm.xn--p1ai', 'https://m.shop.example']);
});

test('an option that is undefined gets its default', () => {
  const undefinedGroups = {
    timing: undefined,
    limits: { waiters: undefined },
    statuses: { paid: undefined },
    qr: undefined,
  };
  const undefinedOptions = { currencies: undefined, allowedOrigins: undefined, metrics: undefined, clock: undefined };
  const { timing, limits, statuses, qr, currencies, allowedOrigins, clock } = readOptions({
    ...validOptions,
    ...(undefinedGroups as object),
    ...(undefinedOptions as object),
  });
  assert.deepEqual([timing, limits, statuses], [defaultTiming, defaultLimits, defaultStatuses]);
  assert.deepEqual(
    [qr, currencies, allowedOrigins, clock],
    [{ methods: ['SBP'], timeoutMs: 4000 }, ['RUB'], [], systemClock],
  );
});

for (const [mode, endpoint] of [
  ['LIVE', 'http://127.0.0.1:8080/checkout'],
  ['LIVE', 'http://localhost/c'],
  ['TEST', 'http://shop.example/checkout'],
] as const)
  test(`the endpoint of a ${mode} server may be ${endpoint}`, () =>
    assert.ok(createCheckoutServer({ ...validOptions, mode, endpoint, statuses: { paid: ['PAID'] } })));
