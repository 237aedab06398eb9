import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createApp, type AppOptions } from '../../server-example/create-app.ts';
import { catalogue } from '../../server-example/catalogue.ts';
import { requestListener } from '../../server-example/request-listener.ts';
import { createOrders, shopMigrations } from '../../server-example/orders.ts';
import { makeCheckoutRecord } from '../../src/testing/checkout-records.ts';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { isDecimal } from '../../src/contract.ts';
import { toMerchantCheckout } from '../../src/server/domain/present-to-merchant.ts';
import type { CreateCheckoutParams } from '../../src/server.ts';
import { listen } from '../mounts/listen.ts';

const root = await mkdtemp(join(tmpdir(), 'app-'));
const dist = join(root, 'dist');
for (const [path, content] of [
  ['cdn/pay-invoice.js', 'export {};'],
  ['cdn/pay-invoice.qr-Ab3dE_x9.js', 'export {};'],
  ['demo/index.html', `<!doctype html>${' '.repeat(2000)}`],
  ['demo/assets/shop-Zz12_abc.css', ''],
] as const) {
  await mkdir(join(dist, path, '..'), { recursive: true });
  await writeFile(join(dist, path), content);
}

const database = await openDatabase({ dataDir: root }, [...checkoutMigrations, ...shopMigrations]);
const orders = createOrders(database.db, 'TEST');
after(async () => {
  await database.close();
  await rm(root, { recursive: true });
});

/** The app with a checkout server that only records its calls. */
function appWith({
  sandbox = null,
  isHealthy = () => Promise.resolve(),
  trust = {},
}: Partial<Pick<AppOptions, 'sandbox' | 'isHealthy' | 'trust'>> = {}) {
  const created: CreateCheckoutParams[] = [];
  const app = createApp({
    checkouts: {
      create(params) {
        created.push(params);
        return Promise.resolve({ ...toMerchantCheckout(makeCheckoutRecord(`chk_${created.length}`), 0), isNew: true });
      },
    },
    orders,
    sandbox,
    isHealthy,
    trust,
    dist,
  });
  return { app, created };
}

async function placeOrder(body: unknown, headers = { 'content-type': 'application/json' }) {
  const { app, created } = appWith();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await app.request('/shop/orders', { method: 'POST', headers, body: text }, {});
  const answer: unknown = await response.json();
  assert.ok(typeof answer === 'object' && answer !== null);
  return { status: response.status, type: response.headers.get('content-type'), answer: { ...answer }, created };
}

test('lists products with names in both languages and exact prices', async () => {
  const response = await appWith().app.request('/shop/products');
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { products: catalogue });
  assert.equal(new Set(catalogue.map(({ sku }) => sku)).size, catalogue.length);
  for (const { name, price } of catalogue) assert.ok(name.ru && name.en && isDecimal(price));
});

test('creates a checkout with the exact sum of the catalogue’s prices', async () => {
  const { status, answer, created } = await placeOrder({
    items: [
      { sku: 'ivan-chai', quantity: 3, price: '0.01' },
      { sku: 'sencha', quantity: 99 },
    ],
    amount: '1.00',
    currency: 'XXX',
  });
  assert.equal(status, 201);
  assert.equal(created[0]?.amount, '49588.50');
  assert.equal(created[0].currency, 'RUB');
  assert.deepEqual(answer, { order_id: created[0].orderId, checkout: 'chk_1' });
  assert.match(created[0].orderId, /^ord_[\w-]{22}$/);
});

const refused: readonly (readonly [unknown, RegExp])[] = [
  [{}, /^items: /],
  [{ items: [] }, /^items: /],
  [{ items: Array.from({ length: 51 }, () => ({ sku: 'cup', quantity: 1 })) }, /^items: /],
  [{ items: [{ sku: 'none', quantity: 1 }] }, /^items\[0\]\.sku: must be a product of the catalogue$/],
  [{ items: [{ sku: 'cup' }] }, /^items\[0\]\.quantity: /],
  [{ items: [{ sku: 'cup', quantity: 0 }] }, /^items\[0\]\.quantity: /],
  [{ items: [{ sku: 'cup', quantity: 100 }] }, /^items\[0\]\.quantity: /],
  [{ items: [{ sku: 'cup', quantity: 1.5 }] }, /^items\[0\]\.quantity: /],
  [{ items: [{ sku: 'cup', quantity: '1' }] }, /^items\[0\]\.quantity: /],
  [
    {
      items: [
        { sku: 'cup', quantity: 1 },
        { sku: 'cup', quantity: -1 },
      ],
    },
    /^items\[1\]\.quantity: /,
  ],
  ['{"items":', /^body: /],
  ['null', /^body: /],
];
for (const [body, detail] of refused)
  test(`refuses an order that is ${JSON.stringify(body).slice(0, 60)} and names the field`, async () => {
    const { status, type, answer, created } = await placeOrder(body);
    assert.equal(status, 400);
    assert.match(type ?? '', /^application\/problem\+json/);
    const { detail: actual, ...rest } = { detail: '', ...answer };
    assert.deepEqual(rest, {
      type: 'about:blank',
      title: 'The order is not valid',
      status: 400,
      code: 'invalid_request',
    });
    assert.match(actual, detail);
    assert.equal(created.length, 0);
  });

test('accepts orders only as JSON, which a page of another site cannot send without a preflight request', async () => {
  const items = [{ sku: 'cup', quantity: 1 }];
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/plain; application/json'])
    assert.equal((await placeOrder({ items }, { 'content-type': type })).status, 415);
});

test('refuses an order of more than 16 KB', async () => {
  assert.equal((await placeOrder({ items: [], padding: 'x'.repeat(20_000) })).status, 413);
});

test('limits the orders of each network address separately', async () => {
  const { app, created } = appWith({ trust: { trustedProxies: 1 } });
  const body = JSON.stringify({ items: [{ sku: 'cup', quantity: 1 }] });
  const place = (seen: string) =>
    app.request(
      '/shop/orders',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.9, ${seen}` },
        body,
      },
      { incoming: { socket: { remoteAddress: '127.0.0.1' } } },
    );
  let accepted = 0;
  while ((await place(`2001:db8::${(accepted % 5000) + 1}`)).status === 201) accepted += 1;
  assert.ok(accepted >= 120 && accepted < 5000, `${accepted} orders were accepted`);
  const refused = await place('2001:db8::ffff:1');
  assert.equal(refused.status, 429, 'an address of the same network');
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]$/);
  const problem: unknown = await refused.json();
  assert.deepEqual(problem, { type: 'about:blank', title: 'Too many orders', status: 429, code: 'rate_limited' });
  assert.equal(created.length, accepted);
  assert.equal((await place('2001:db8:0:1::1')).status, 201);
  assert.equal((await place('198.51.100.1')).status, 201);
});

test('answers 404 for an unknown order', async () => {
  const response = await appWith().app.request('/shop/orders/ord_unknown');
  assert.equal(response.status, 404);
});

test('passes everything under /checkout/ to the checkout server, and nothing else', async () => {
  const { app } = appWith();
  app.get('/checkouts', (c) => c.text('the app'));
  const handle = (request: Request) => Promise.resolve(new Response(new URL(request.url).pathname));
  const { endpoint, close } = await listen(createServer(requestListener(app, { handle }, {})), '');
  for (const path of ['/checkout/chk_1', '/checkout/chk_1/invoice', '/checkout/chk_1/hook/secret'])
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const response = await fetch(`${endpoint}${path}`, { method });
      assert.equal(await response.text(), path);
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    }
  assert.equal(await (await fetch(`${endpoint}/checkouts`)).text(), 'the app');
  await close();
});

test('lets browsers cache files with a hash in their name for a year, and revalidate the others', async () => {
  const { app } = appWith();
  for (const [path, expected] of [
    ['/', 'no-cache'],
    ['/pay-invoice.js', 'no-cache'],
    ['/pay-invoice.qr-Ab3dE_x9.js', 'public, max-age=31536000, immutable'],
    ['/assets/shop-Zz12_abc.css', 'public, max-age=31536000, immutable'],
  ] as const) {
    const response = await app.request(path);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('cache-control'), expected, path);
  }
  const first = await app.request('/pay-invoice.js');
  const again = await app.request('/pay-invoice.js', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
  assert.equal(again.status, 304);
  assert.equal(first.headers.get('access-control-allow-origin'), '*');
});

test('sends the widget and the pages compressed, the widget also with brotli', async () => {
  const { app } = appWith();
  for (const [path, accepted, encoding] of [
    ['/pay-invoice.js', 'gzip, deflate, br, zstd', 'br'],
    ['/pay-invoice.qr-Ab3dE_x9.js', 'gzip', 'gzip'],
    ['/', 'gzip, deflate, br, zstd', 'gzip'],
  ] as const) {
    const response = await app.request(path, { headers: { 'accept-encoding': accepted } });
    assert.equal(response.headers.get('content-encoding'), encoding, path);
  }
});

test('serves no file outside its folders', async () => {
  await writeFile(join(root, 'secret'), 'secret');
  for (const path of ['/../secret', '/..%2fsecret', '/%2e%2e/secret', '/assets/../../../secret', '/nothing'])
    assert.equal((await appWith().app.request(path)).status, 404, path);
});

test('sends a strict Content-Security-Policy, which names the sandbox if there is one', async () => {
  const policyOf = async (sandbox: string | null): Promise<string> =>
    (await appWith({ sandbox }).app.request('/')).headers.get('content-security-policy') ?? '';
  const policy = await policyOf(null);
  assert.equal(
    policy,
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
      "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
  );
  assert.match(await policyOf('http://127.0.0.1:8081'), /connect-src 'self' http:\/\/127\.0\.0\.1:8081;/);
  const script = await appWith().app.request('/pay-invoice.js');
  assert.equal(script.headers.get('x-content-type-options'), 'nosniff');
});

test('returns the address of the sandbox in /config.json, or null without one', async () => {
  for (const sandbox of [null, 'http://127.0.0.1:8081'])
    assert.deepEqual(await (await appWith({ sandbox }).app.request('/config.json')).json(), { sandbox });
});

test('answers /healthz with 200, whatever the state of the database', async () => {
  const { app } = appWith({ isHealthy: () => Promise.reject(new Error('disk')) });
  const response = await app.request('/healthz');
  assert.deepEqual([response.status, await response.json()], [200, { status: 'ok' }]);
});

for (const [what, isHealthy, status] of [
  ['it can serve', () => Promise.resolve(), 200],
  ['its database does not answer, or it is closing', () => Promise.reject(new Error('disk')), 503],
] as const)
  test(`answers /readyz with ${status} when ${what}`, async () => {
    const response = await appWith({ isHealthy }).app.request('/readyz');
    assert.equal(response.status, status);
    assert.deepEqual(await response.json(), { status: status === 200 ? 'ready' : 'not_ready' });
    assert.equal(response.headers.get('cache-control'), 'no-store');
  });
