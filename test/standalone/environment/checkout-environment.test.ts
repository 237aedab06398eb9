import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsOfProcess } from '../../../src/standalone/connections-within-memory.ts';
import { readEnvironment } from '../../../src/standalone/environment/server-environment.ts';
import type { EnvironmentError } from '../../../src/standalone/environment/read-variables.ts';

const liveService = {
  INVOICE_BASE_URL: 'https://pay.example',
  INVOICE_ACCESS_TOKEN: 'token',
  INVOICE_MODE: 'LIVE',
  INVOICE_PAID_STATUSES: 'PAID',
  PUBLIC_URL: 'https://shop.example',
};

const invalidEnvironments: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
  [{ PORT: 'http' }, /^PORT must be a whole number from 0 to 65535$/],
  [{ PORT: '65536' }, /^PORT must/],
  [{ SANDBOX_PORT: '0x50' }, /^SANDBOX_PORT must/],
  [{ METRICS_PORT: '8080' }, /^METRICS_PORT must differ from PORT$/],
  [{ SANDBOX_PORT: '8080' }, /^SANDBOX_PORT must differ from PORT$/],
  [{ SANDBOX_PORT: '9', METRICS_PORT: '9' }, /^METRICS_PORT must differ from SANDBOX_PORT$/],
  [{ METRICS_PORT: '8081' }, /^METRICS_PORT must differ from SANDBOX_PORT$/],
  [{ PUBLIC_URL: 'shop.example' }, /^PUBLIC_URL must be a URL/],
  [{ PUBLIC_URL: 'https://user:secret@shop.example' }, /^PUBLIC_URL must have no user/],
  [{ PUBLIC_URL: 'https://shop.example/?a=b' }, /^PUBLIC_URL must have no user, query or fragment$/],
  [{ TRUST_PROXY: 'yes' }, /^TRUST_PROXY must be the number of proxies in front/],
  [{ ALLOWED_ORIGINS: 'https://shop.example/path' }, /^ALLOWED_ORIGINS must/],
  [{ DATABASE_URL: 'mysql://u:secret@host/db' }, /^DATABASE_URL must be a URL such as postgres:/],
  [{ ...liveService, TRIAL: '1' }, /^INVOICE_MODE cannot be LIVE in a trial/],
  [{ TRIAL: 'yes' }, /^TRIAL must be 1 or 0$/],
  [{ ...liveService, INVOICE_MODE: 'live' }, /^INVOICE_MODE must be TEST or LIVE$/],
  [
    { ...liveService, INVOICE_ACCESS_TOKEN: 'sec ret' },
    /^INVOICE_ACCESS_TOKEN must be ASCII text without spaces and quotes$/,
  ],
  [{ INVOICE_FAILED_STATUSES: 'FAILED,,DECLINED' }, /^INVOICE_FAILED_STATUSES must be a list such as/],
  [
    { ...liveService, PUBLIC_URL: 'http://shop.example' },
    /^PUBLIC_URL must be an https: address with INVOICE_MODE=LIVE \(http: only on loopback\)$/,
  ],
  [{ INVOICE_CURRENCIES: 'rub' }, /^INVOICE_CURRENCIES must be a list such as RUB$/],
  [{ INVOICE_GRACE_MS: '1m' }, /^INVOICE_GRACE_MS must be a whole number of milliseconds$/],
  [{ CHECKOUT_LIFETIME_MS: '0' }, /^CHECKOUT_LIFETIME_MS must be more than 0$/],
  [{ INVOICE_BATCH_SIZE: '0' }, /^INVOICE_BATCH_SIZE must be a whole number from 1$/],
  [{ INVOICE_PAID_STATUSES: 'PAID,failed' }, /^INVOICE_PAID_STATUSES has a word that another list has too$/],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be info, warn or error$/],
  [{ ...liveService, INVOICE_BASE_URL: 'http://127.0.0.1.pay.example' }, /^INVOICE_BASE_URL must be https/],
];

for (const [variables, message] of invalidEnvironments)
  test(`readEnvironment refuses ${JSON.stringify(variables)} in one line without its values`, () => {
    assert.throws(
      () => readEnvironment(variables),
      (error: Error) =>
        error.name === 'EnvironmentError' && message.test(error.message) && !/\n|sec ?ret/.test(error.message),
    );
  });

test('readEnvironment names every invalid variable in one error, including those that are invalid only in combination', () => {
  assert.throws(
    () =>
      readEnvironment({ PORT: 'x', INVOICE_BASE_URL: 'https://pay.example', INVOICE_MODE: 'LIVE', INVOICE_TOKEN: 'x' }),
    (error: EnvironmentError) => {
      assert.deepEqual(error.problems, [
        'INVOICE_TOKEN is unknown: did you mean INVOICE_ACCESS_TOKEN?',
        'PORT must be a whole number from 0 to 65535',
        'INVOICE_ACCESS_TOKEN is required when INVOICE_BASE_URL names a service',
        'INVOICE_PAID_STATUSES is required with INVOICE_MODE=LIVE: ask the service which words mean paid',
        'PUBLIC_URL is required with INVOICE_MODE=LIVE: the service sends its notifications there',
      ]);
      assert.equal(error.message, error.problems.join('; '));
      return true;
    },
  );
});

test('readEnvironment returns the defaults of a trial when no variable is set, and when all are empty', () => {
  const defaults = {
    port: 8080,
    host: '127.0.0.1',
    dataDir: '.data',
    databaseUrl: undefined,
    tables: { schema: undefined, tablePrefix: undefined },
    migrate: true,
    publicUrl: undefined,
    trustedProxies: 0,
    serviceUrl: undefined,
    token: 'sandbox-token',
    mode: 'TEST',
    requestsPerSecond: {},
    options: { allowedOrigins: [], statuses: {}, timing: {}, limits: { waiters: connectionsOfProcess() } },
    sandboxPort: 8081,
    metricsPort: undefined,
    logLevel: 'info',
    ignoredVariables: [],
  };
  assert.deepEqual(readEnvironment({}), defaults);
  assert.deepEqual(
    readEnvironment({ PORT: '', HOST: '', INVOICE_BASE_URL: '', INVOICE_MODE: '', OTHER: 'x' }),
    defaults,
  );
});

const testService = { INVOICE_BASE_URL: 'https://pay.example', INVOICE_ACCESS_TOKEN: 'secret', INVOICE_MODE: 'TEST' };
const noAddress = 'INVOICE_BASE_URL is required, or TRIAL=1 for a trial with a sandbox';
const inQuotes = (name: string): string =>
  `${name} is in quotes, which are part of the value here (docker run --env-file keeps them): write it without them`;
const notFilledIn = (name: string): string =>
  `${name} names a variable by \${…}, which is filled in by a shell alone: write the value itself`;
const didYouMean = (name: string, nearest: string): string => `${name} is unknown: did you mean ${nearest}?`;

/** What a program does with an environment: it starts a trial, uses the service, or refuses to start with these lines. */
const startTable: readonly (readonly [Readonly<Record<string, string>>, 'trial' | 'service' | readonly string[]])[] = [
  [{}, 'trial'],
  [{ NODE_ENV: 'development' }, 'trial'],
  [{ NODE_ENV: 'production' }, [noAddress]],
  [{ NODE_ENV: 'production', TRIAL: '1' }, 'trial'],
  [{ TRIAL: '0' }, [noAddress]],
  [testService, 'service'],
  [{ ...testService, NODE_ENV: 'production' }, 'service'],
  [{ ...testService, TRIAL: '0' }, 'service'],
  [{ ...testService, TRIAL: '1' }, 'trial'],
  [{ INVOICE_ACCESS_TOKEN: 'secret', TRIAL: '1' }, 'trial'],
  [{ INVOICE_ACCESS_TOKEN: 'secret' }, [noAddress]],
  [
    { INVOICE_BASEURL: 'https://pay.example', INVOICE_ACCESS_TOKEN: 'secret' },
    [didYouMean('INVOICE_BASEURL', 'INVOICE_BASE_URL'), noAddress],
  ],
  [
    { ...testService, INVOICE_MOD: 'TEST', INVOICE_MODE: '' },
    [didYouMean('INVOICE_MOD', 'INVOICE_MODE'), 'INVOICE_MODE is required when INVOICE_BASE_URL names a service'],
  ],
  [{ INVOICE_FETCHES_PER_SEC: '5' }, [didYouMean('INVOICE_FETCHES_PER_SEC', 'INVOICE_FETCHES_PER_SECOND')]],
  [{ INVOICE_BASEURL: '' }, 'trial'],
  // Kubernetes sets these for services whose names are invoice-api, metrics and sandbox.
  [{ INVOICE_API_SERVICE_HOST: '10.0.0.1', INVOICE_API_PORT_80_TCP_ADDR: '10.0.0.1' }, 'trial'],
  [{ METRICS_PORT: 'tcp://10.0.0.1:80', METRICS_PORT_80_TCP_PORT: '80', METRICS_SERVICE_PORT: '80' }, 'trial'],
  [{ SANDBOX_PORT: 'udp://[fd00::1]:80', METRIC_PORT: 'tcp://10.0.0.1:80' }, 'trial'],
  // Misspelt names, unless the right one is set too: the other then belongs to another program.
  [{ DATABASE_URI: 'postgres://host/db' }, [didYouMean('DATABASE_URI', 'DATABASE_URL')]],
  [{ DATABASE_URI: 'postgres://host/db', DATABASE_URL: '' }, 'trial'],
  [{ Database_Url: 'postgres://host/db' }, [didYouMean('Database_Url', 'DATABASE_URL')]],
  [{ DATABASEURL: 'postgres://host/db' }, [didYouMean('DATABASEURL', 'DATABASE_URL')]],
  [{ PUBLIC_ULR: 'https://shop.example' }, [didYouMean('PUBLIC_ULR', 'PUBLIC_URL')]],
  [{ ALOWED_ORIGIN: 'https://shop.example' }, [didYouMean('ALOWED_ORIGIN', 'ALLOWED_ORIGINS')]],
  [{ DATABASE_URL_FILE: '/run/secrets/db' }, [didYouMean('DATABASE_URL_FILE', 'DATABASE_URL')]],
  [{ DATABASE_URL_FILE: '/run/secrets/db', DATABASE_URL: '' }, 'trial'],
  [{ METRIC_PORT: '9090' }, [didYouMean('METRIC_PORT', 'METRICS_PORT')]],
  [{ TRAIL: '1' }, [didYouMean('TRAIL', 'TRIAL')]],
  [{ log_level: 'warn' }, [didYouMean('log_level', 'LOG_LEVEL')]],
  // Names by which other programs call what ours mean.
  ...[
    ['PUBLIC_URL', 'APP_URL', 'SITE_URL', 'EXTERNAL_URL'],
    ['DATABASE_URL', 'DB_URL', 'PGHOST', 'PGDATABASE', 'DB_HOST', 'POSTGRES_HOST', 'POSTGRES_DB'],
    ['TRUST_PROXY', 'TRUSTED_PROXIES', 'TRUST_PROXIES'],
    ['ALLOWED_ORIGINS', 'CORS_ORIGIN', 'CORS_ORIGINS', 'CORS_ALLOWED_ORIGINS', 'ALLOWED_ORIGIN'],
    ['LOG_LEVEL', 'LOG', 'LOGLEVEL'],
  ].flatMap(([ours = '', ...others]) =>
    others.flatMap((name): typeof startTable => [
      [{ [name]: '1' }, [didYouMean(name, ours)]],
      [{ [name]: '1', [ours]: '' }, 'trial'],
    ]),
  ),
  [{ DATABASE_URI: '' }, 'trial'],
  // Variables of other programs.
  [
    { HOSTNAME: 'a', LOGNAME: 'b', LOGS: 'c', SANDBOX_HOST: 'd', ADMIN_HOST: 'e', DATABASE_NAME: 'f', PUBLIC_IP: 'g' },
    'trial',
  ],
  // A build tool, a test runner and a host set these by themselves.
  [{ BASE_URL: '/', HTTP_PORT: '80', SERVER_PORT: '80', BIND_ADDRESS: '::', PROMETHEUS_PORT: '9090' }, 'trial'],
  // Quotes that were kept, as docker run --env-file does.
  [{ DATA_DIR: '"/data"' }, [inQuotes('DATA_DIR')]],
  [{ ...testService, INVOICE_ACCESS_TOKEN: "'secret'" }, [inQuotes('INVOICE_ACCESS_TOKEN')]],
  [{ ...testService, INVOICE_BASE_URL: '"https://pay.example"' }, [inQuotes('INVOICE_BASE_URL')]],
  [{ PORT: '"8080"', TRIAL: '""' }, [inQuotes('PORT'), inQuotes('TRIAL')]],
  // Nobody has filled these in.
  [{ ...testService, INVOICE_ACCESS_TOKEN: '${TOKEN}' }, [notFilledIn('INVOICE_ACCESS_TOKEN')]],
  [{ DATABASE_URL: 'postgres://shop:${PASSWORD}@host/db' }, [notFilledIn('DATABASE_URL')]],
  [{ DATA_DIR: 'file:///data' }, ['DATA_DIR must be a folder, not a URL']],
  // White space around a value, for example a line break at the end of a secret's file, is no part of it.
  [{ ...testService, INVOICE_ACCESS_TOKEN: 'secret\n', INVOICE_BASE_URL: ' https://pay.example\r\n' }, 'service'],
  [{ INVOICE_BASE_URL: ' \n' }, 'trial'],
];

for (const [variables, expected] of startTable)
  test(`with ${JSON.stringify(variables)} a program ${typeof expected === 'string' ? `starts with a ${expected}` : 'refuses to start'}`, () => {
    let actual: unknown;
    try {
      actual = readEnvironment(variables).serviceUrl === undefined ? 'trial' : 'service';
    } catch (error) {
      actual = error instanceof Error && 'problems' in error ? error.problems : error;
    }
    assert.deepEqual(actual, expected);
  });

test('readEnvironment reads a real service, and the options of the checkout server', () => {
  const { options, requestsPerSecond, ...env } = readEnvironment({
    ...liveService,
    INVOICE_BASE_URL: 'https://pay.example/base/',
    PUBLIC_URL: 'https://shop.example/',
    ALLOWED_ORIGINS: 'https://a.example, http://localhost:5173',
    PORT: '0',
    INVOICE_PAID_STATUSES: 'PAID, SETTLED',
    INVOICE_FAILED_STATUSES: 'DECLINED',
    INVOICE_EXPIRED_STATUSES: 'TIMED_OUT',
    INVOICE_PENDING_STATUSES: 'PENDING,PROCESSING',
    INVOICE_QR_METHOD_TYPES: 'SBP, CARD',
    INVOICE_CURRENCIES: 'RUB,KZT',
    INVOICE_GRACE_MS: '90000',
    INVOICE_LATE_MS: '604800000',
    CHECKOUT_LIFETIME_MS: '86400000',
    INVOICE_BATCH_SIZE: '50',
    INVOICE_FETCHES_PER_SECOND: '10',
  });
  assert.deepEqual(
    [env.serviceUrl, env.publicUrl, env.mode, env.token, env.port],
    ['https://pay.example/base', 'https://shop.example', 'LIVE', 'token', 0],
  );
  assert.deepEqual(options, {
    allowedOrigins: ['https://a.example', 'http://localhost:5173'],
    statuses: {
      paid: ['PAID', 'SETTLED'],
      failed: ['DECLINED'],
      expired: ['TIMED_OUT'],
      pending: ['PENDING', 'PROCESSING'],
    },
    qr: { methods: ['SBP', 'CARD'] },
    currencies: ['RUB', 'KZT'],
    timing: { graceMs: 90_000, lateMs: 604_800_000, lifetimeMs: 86_400_000 },
    limits: { waiters: connectionsOfProcess(), batchSize: 50 },
  });
  assert.deepEqual(requestsPerSecond, { FetchInvoices: 10 });
});

test('readEnvironment accepts http: for a service and a LIVE shop on this machine, and for any TEST shop', () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    const url = `http://${host}:9000`;
    const { serviceUrl, publicUrl } = readEnvironment({ ...liveService, INVOICE_BASE_URL: url, PUBLIC_URL: url });
    assert.deepEqual([serviceUrl, publicUrl], [url, url]);
  }
  assert.equal(readEnvironment({ PUBLIC_URL: 'http://shop.example' }).publicUrl, 'http://shop.example');
});

/** Addresses as people write them, and as they leave the program: `PUBLIC_URL`, and an origin of `ALLOWED_ORIGINS`. */
const addresses: readonly (readonly [written: string, address: string, origin: string | undefined])[] = [
  ['https://shop.example', 'https://shop.example', 'https://shop.example'],
  ['https://shop.example/', 'https://shop.example', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example', 'https://shop.example'],
  ['http://shop.example:80/', 'http://shop.example', 'http://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443', 'https://shop.example:8443'],
  ['HTTPS://Shop.Example', 'https://shop.example', 'https://shop.example'],
  ['https://магазин.рф', 'https://xn--80aairftm.xn--p1ai', 'https://xn--80aairftm.xn--p1ai'],
  ['https://МАГАЗИН.РФ:443/', 'https://xn--80aairftm.xn--p1ai', 'https://xn--80aairftm.xn--p1ai'],
  ['https://магазин.рф/оплата/', 'https://xn--80aairftm.xn--p1ai/%D0%BE%D0%BF%D0%BB%D0%B0%D1%82%D0%B0', undefined],
  ['https://shop.example/Pay//', 'https://shop.example/Pay', undefined],
  ['https://shop.example/a/../b', 'https://shop.example/b', undefined],
];

for (const [written, address, origin] of addresses)
  test(`the address ${written} leaves as ${address}${origin === undefined ? '' : ', and its origin is allowed'}`, () => {
    const { publicUrl, serviceUrl } = readEnvironment({ ...testService, PUBLIC_URL: written });
    assert.deepEqual([publicUrl, serviceUrl], [address, 'https://pay.example']);
    const readOrigins = () => readEnvironment({ ALLOWED_ORIGINS: `${written}, https://other.example` }).options;
    if (origin === undefined)
      assert.throws(readOrigins, /^EnvironmentError: ALLOWED_ORIGINS must be a list of origins/);
    else assert.deepEqual(readOrigins().allowedOrigins, [origin, 'https://other.example']);
  });

test('a service’s address may have an international name', () => {
  const { serviceUrl } = readEnvironment({ ...testService, INVOICE_BASE_URL: 'HTTPS://Платежи.рф/API/' });
  assert.equal(serviceUrl, 'https://xn--80akdilxx.xn--p1ai/API');
});

test('readEnvironment names the variables that are set, and that only the standalone server reads', () => {
  const set = { OUTCOME_URL: 'https://shop.example/outcomes', SHOP_NAME: 'Leaf', INVOICE_QR_UNIVERSAL: '1', PORT: '0' };
  assert.deepEqual(readEnvironment(set).ignoredVariables, ['OUTCOME_URL', 'SHOP_NAME', 'INVOICE_QR_UNIVERSAL']);
  assert.deepEqual(readEnvironment({ PORT: '0', SHOP_NAME: '', SHOP_COLOUR: 'red' }).ignoredVariables, []);
});
