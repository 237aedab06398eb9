import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readServerEnvironment } from '../../../src/standalone/environment/server-environment.ts';

const adminToken = 'x'.repeat(24);
const service = {
  INVOICE_BASE_URL: 'https://pay.example',
  INVOICE_ACCESS_TOKEN: 'token',
  INVOICE_MODE: 'TEST',
  ADMIN_TOKEN: adminToken,
};
const createSecret = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
const receiver = { OUTCOME_URL: 'https://shop.example/outcomes', OUTCOME_SECRET: createSecret(24) };

const readProblems = (variables: Readonly<Record<string, string>>): readonly string[] => {
  try {
    readServerEnvironment(variables);
    return [];
  } catch (error) {
    assert.ok(error instanceof Error && 'problems' in error && Array.isArray(error.problems), String(error));
    return error.problems.map(String);
  }
};

const tokenRule = 'ADMIN_TOKEN must have at least 24 characters; two tokens are separated by a space';
const secretAdvice = 'make one with echo "whsec_$(openssl rand -base64 24)"';
const secretRule = `OUTCOME_SECRET must be whsec_ and 24 to 64 bytes in base64: ${secretAdvice}`;
const httpRule =
  'OUTCOME_URL must be https: (http: only on loopback, and in a private network with OUTCOME_ALLOW_HTTP=1)';

const outcomeUrl = 'https://shop.example/outcomes';
const invalidEnvironments: readonly (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
  [{ ADMIN_TOKEN: 'x'.repeat(23) }, [tokenRule]],
  [{ ADMIN_TOKEN: `${adminToken} short` }, [tokenRule]],
  [{ ADMIN_PORT: '8080' }, ['ADMIN_PORT must differ from PORT']],
  [{ TRIAL: '1', ADMIN_PORT: '8081' }, ['ADMIN_PORT must differ from SANDBOX_PORT']],
  [{ ADMIN_PORT: '9', METRICS_PORT: '9' }, ['ADMIN_PORT must differ from METRICS_PORT']],
  [{ OUTCOME_ULR: outcomeUrl }, ['OUTCOME_ULR is unknown: did you mean OUTCOME_URL?']],
  [{ OUTCOME_WEBHOOK_URL: outcomeUrl }, ['OUTCOME_WEBHOOK_URL is unknown: did you mean OUTCOME_URL?']],
  [{ PURGE_AFTER_DAY: '30' }, ['PURGE_AFTER_DAY is unknown: did you mean PURGE_AFTER_DAYS?']],
  [{ PURGE_AFTER: '30' }, ['PURGE_AFTER is unknown: did you mean PURGE_AFTER_DAYS?']],
  [{ TRUST_PROXIES: '1' }, ['TRUST_PROXIES is unknown: did you mean TRUST_PROXY?']],
  [{ DB_URL: 'postgres://db/shop' }, ['DB_URL is unknown: did you mean DATABASE_URL?']],
  [{ DATABASE: 'shop' }, ['DATABASE is unknown: did you mean DATABASE_URL?']],
  [{ DATABASE_SHCEMA: 'shop' }, ['DATABASE_SHCEMA is unknown: did you mean DATABASE_SCHEMA?']],
  [
    { ADMIN_TOKEN: `"${adminToken}"` },
    [
      'ADMIN_TOKEN is in quotes, which are part of the value here (docker run --env-file keeps them): write it without them',
    ],
  ],
  [{ PURGE_AFTER_DAYS: '0' }, ['PURGE_AFTER_DAYS must be a whole number from 1']],
  ...['Shop', '1shop', 'pg_shop', 'sqlite_shop'].map(
    (name) =>
      [
        { DATABASE_SCHEMA: name },
        [
          'DATABASE_SCHEMA must be 1 to 28 lower-case letters, digits and underscores, and begin with no digit, pg_ or sqlite_',
        ],
      ] as const,
  ),
  [{ ADMIN_TOKEN: `${'x'.repeat(24)}é` }, ['ADMIN_TOKEN must be ASCII text without quotes']],
  [{ ADMIN_TOKEN: `${'x'.repeat(24)} "${'y'.repeat(24)}"` }, ['ADMIN_TOKEN must be ASCII text without quotes']],
  [
    { ...service, ADMIN_TOKEN: '' },
    ['ADMIN_TOKEN is required when INVOICE_BASE_URL names a service: make one with openssl rand -hex 24'],
  ],
  [{ OUTCOME_URL: receiver.OUTCOME_URL }, [`OUTCOME_SECRET is required with OUTCOME_URL: ${secretAdvice}`]],
  [{ ...receiver, OUTCOME_URL: 'shop.example' }, ['OUTCOME_URL must be a URL such as https://shop.example/outcomes']],
  [{ ...receiver, OUTCOME_URL: 'https://user:secret@shop.example/' }, ['OUTCOME_URL must have no user or fragment']],
  [{ ...receiver, OUTCOME_URL: 'http://shop.example/outcomes' }, [httpRule]],
  [{ ...receiver, OUTCOME_URL: 'http://shop.example/outcomes', OUTCOME_ALLOW_HTTP: '1' }, [httpRule]],
  [{ ...receiver, OUTCOME_SECRET: createSecret(23) }, [secretRule]],
  [{ ...receiver, OUTCOME_SECRET: createSecret(65) }, [secretRule]],
  [{ ...receiver, OUTCOME_SECRET: `${createSecret(24)} whsec_short` }, [secretRule]],
  [
    { ...service, INVOICE_MODE: 'LIVE', INVOICE_PAID_STATUSES: 'PAID', PUBLIC_URL: 'https://shop.example' },
    [
      'OUTCOME_URL is required with INVOICE_MODE=LIVE: the shop learns of payments there, or by the feed with OUTCOME_FEED=1',
    ],
  ],
];

for (const [variables, problems] of invalidEnvironments)
  test(`readServerEnvironment refuses ${JSON.stringify(variables)} with one line for each problem, without values`, () => {
    assert.deepEqual(readProblems(variables), problems);
  });

test('readServerEnvironment needs no variable for a trial', () => {
  const environment = readServerEnvironment({});
  assert.deepEqual([environment.adminTokens, environment.receiver, environment.mode], [[], undefined, 'TEST']);
});

test('readServerEnvironment accepts several secrets with spaces or commas between them, for a rotation', () => {
  const { receiver: receiverRead } = readServerEnvironment({
    ...receiver,
    OUTCOME_SECRET: `${createSecret(24)}, ${createSecret(32)} ${createSecret(64)}`,
  });
  assert.equal(receiverRead?.url, receiver.OUTCOME_URL);
  assert.deepEqual(
    receiverRead.keys.map(({ length }) => length),
    [24, 32, 64],
  );
});

for (const [url, allowed] of [
  ['http://127.0.0.1:8000/outcomes', '0'],
  ['http://shop:8000/outcomes', '1'],
  ['http://10.0.0.7/outcomes', '1'],
  ['http://shop.internal/outcomes', '1'],
] as const)
  test(`readServerEnvironment accepts OUTCOME_URL=${url} with OUTCOME_ALLOW_HTTP=${allowed}`, () => {
    assert.deepEqual(readProblems({ ...receiver, OUTCOME_URL: url, OUTCOME_ALLOW_HTTP: allowed }), []);
  });

test('readServerEnvironment ignores what Kubernetes sets for a service whose name is admin', () => {
  const { adminPort } = readServerEnvironment({
    ADMIN_PORT: 'tcp://10.96.0.7:80',
    ADMIN_PORT_80_TCP: 'tcp://10.96.0.7:80',
    ADMIN_SERVICE_HOST: '10.96.0.7',
  });
  assert.equal(adminPort, undefined);
  assert.deepEqual(readProblems({ ADMIN_PORT: 'tcp' }), ['ADMIN_PORT must be a whole number from 0 to 65535']);
});

test('readServerEnvironment reads addresses with international names as ASCII', () => {
  const read = readServerEnvironment({
    ...receiver,
    OUTCOME_URL: 'https://Магазин.рф:443/исходы?a=б',
    SHOP_LOGO_URL: 'HTTPS://магазин.рф/a.png',
    FRAME_ANCESTORS: 'https://Магазин.рф:443/, https://shop.example',
  });
  assert.equal(read.receiver?.url, 'https://xn--80aairftm.xn--p1ai/%D0%B8%D1%81%D1%85%D0%BE%D0%B4%D1%8B?a=%D0%B1');
  assert.equal(read.shop.logoUrl, 'https://xn--80aairftm.xn--p1ai/a.png');
  assert.deepEqual(read.frameAncestors, ['https://xn--80aairftm.xn--p1ai', 'https://shop.example']);
});

test('a shop that reads the feed needs no receiver in LIVE mode', () => {
  const live = { ...service, INVOICE_MODE: 'LIVE', INVOICE_PAID_STATUSES: 'PAID', PUBLIC_URL: 'https://shop.example' };
  assert.deepEqual(readProblems({ ...live, OUTCOME_FEED: '1' }), []);
});

test('readServerEnvironment accepts two admin tokens with a space between them, and a port of the admin API', () => {
  const { adminTokens, adminPort } = readServerEnvironment({
    ADMIN_TOKEN: `${adminToken} ${'y'.repeat(24)}`,
    ADMIN_PORT: '9',
  });
  assert.deepEqual([adminTokens, adminPort], [[adminToken, 'y'.repeat(24)], 9]);
});

test('no variable of the server is taken for a misspelt other one', () => {
  const pages = readFileSync('docs/operations.md', 'utf8') + readFileSync('docs/standalone-server.md', 'utf8');
  const firstCells = [...pages.matchAll(/^\| (`[A-Z].*?) \|/gm)].map(([cell]) => cell).join('');
  const names = new Set([...firstCells.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name));
  for (const name of ['DATABASE_URL', 'OUTCOME_URL', 'SANDBOX_PORT', 'LOG_LEVEL']) assert.ok(names.has(name), name);
  for (const name of names)
    assert.deepEqual(
      readProblems({ [name]: 'x' }).filter((problem) => problem.includes('is unknown')),
      [],
    );
});

test('readServerEnvironment reads what the pay page says of the shop', () => {
  const { shop } = readServerEnvironment({
    SHOP_CONTACT: 'tel:+7 800 555-35-35',
    SHOP_TIME_ZONE: 'Europe/Moscow',
    BANK_LINKS: 'Т-Банк=bank1://{path}, One Bank = https://bank.example/?u={link}',
    METHOD_LOGOS: 'sbp=https://магазин.рф/sbp.svg, BANK_TRANSFER=https://shop.example/bank.svg',
  });
  assert.equal(shop.contact, 'tel:+7 800 555-35-35');
  assert.equal(shop.timeZone, 'Europe/Moscow');
  assert.deepEqual(shop.bankLinks, { 'Т-Банк': 'bank1://{path}', 'One Bank': 'https://bank.example/?u={link}' });
  assert.deepEqual(shop.methodLogos, {
    SBP: 'https://xn--80aairftm.xn--p1ai/sbp.svg',
    BANK_TRANSFER: 'https://shop.example/bank.svg',
  });
});

for (const [name, value, problem] of [
  ['SHOP_CONTACT', 'help@shop.example', /^SHOP_CONTACT must be tel:/],
  ['SHOP_CONTACT', 'javascript:alert(1)', /^SHOP_CONTACT must be tel:/],
  ['SHOP_CONTACT', 'mailto:a@b?bcc=c@d', /^SHOP_CONTACT must be tel:/],
  ['SHOP_URL', 'http://shop.example', /^SHOP_URL must be an https: address/],
  ['SHOP_TIME_ZONE', 'Moscow', /^SHOP_TIME_ZONE must be a time zone/],
  ['METHOD_LOGOS', 'https://shop.example/sbp.svg', /^METHOD_LOGOS must be a list such as SBP=/],
  ['METHOD_LOGOS', 'SBP=http://shop.example/sbp.svg', /^METHOD_LOGOS must be a list such as SBP=/],
  ['BANK_LINKS', 'https://bank.example/?u={link}', /^BANK_LINKS must be a list of at most 6 such as/],
  ['BANK_LINKS', 'One=javascript:alert({link})', /^BANK_LINKS must be a list of at most 6 such as/],
  [
    'BANK_LINKS',
    Array.from({ length: 7 }, (_, index) => `${index}=bank://{path}`).join(),
    /^BANK_LINKS must be a list of at most 6/,
  ],
  ['FRAME_ANCESTORS', 'shop.example', /^FRAME_ANCESTORS must be a list of origins/],
  ['SHOP_URL', 'https://user:word@shop.example', /^SHOP_URL must have no user/],
  ['SHOP_CONTACT', 'https://user:word@shop.example', /^SHOP_CONTACT must be tel:/],
  ['FRAME_ANCESTORS', 'https://*.shop.example', /^FRAME_ANCESTORS must be a list of origins/],
  ['FRAME_ANCESTORS', 'https://shop.example;sandbox', /^FRAME_ANCESTORS must be a list of origins/],
  ['FRAME_ANCESTORS', '*', /^FRAME_ANCESTORS must be a list of origins/],
] as const)
  test(`${name}=${value} is refused`, () => {
    const [found = '', ...others] = readProblems({ [name]: value });
    assert.match(found, problem);
    assert.deepEqual(others, []);
  });
