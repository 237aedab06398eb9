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
import { makeCheckoutRecord } from '../../src/tools/testing/checkout-records.ts';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { isDecimal } from '../../src/service-api.ts';
import { toMerchantCheckout } from '../../src/server/domain/present-to-merchant.ts';
import { defaultStatuses, type CreateCheckoutParams } from '../../src/server.ts';
import { listen } from '../mounts/listen.ts';

const folder = await mkdtemp(join(tmpdir(), 'app-'));
const dist = join(folder, 'dist');
for (const [path, content] of [
  ['cdn/pay-invoice.js', 'export {};'],
  ['cdn/pay-invoice.qr-Ab3dE_x9.js', 'export {};'],
  ['demo/index.html', `<!doctype html>${' '.repeat(2000)}`],
  ['demo/assets/shop-Zz12_abc.css', ''],
] as const) {
  await mkdir(join(dist, path, '..'), { recursive: true });
  await writeFile(join(dist, path), content);
}

const database = await openDatabase({ dataDir: folder }, [...checkoutMigrations, ...shopMigrations]);
const orders = createOrders(database.db, 'TEST');
after(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Creates the app with a checkout server that only records the created checkouts. */
function createTestApp({
  sandbox = null,
  test = true,
  isHealthy = () => Promise.resolve(),
  trust = {},
}: Partial<Pick<AppOptions, 'sandbox' | 'test' | 'isHealthy' | 'trust'>> = {}) {
  const createdParams: CreateCheckoutParams[] = [];
  const app = createApp({
    checkouts: {
      create(params) {
        createdParams.push(params);
        const number = createdParams.length;
        return Promise.resolve({
          ...toMerchantCheckout(makeCheckoutRecord(`co_${number}`), 0, defaultStatuses),
          capability: `chk_${number}`,
          isNew: true,
        });
      },
    },
    orders,
    sandbox,
    test,
    isHealthy,
    trust,
    dist,
  });
  return { app, createdParams };
}

async function placeOrder(body: unknown, headers = { 'content-type': 'application/json' }) {
  const { app, createdParams } = createTestApp();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await app.request('/shop/orders', { method: 'POST', headers, body: text }, {});
  const responseBody: unknown = await response.json();
  assert.ok(typeof responseBody === 'object' && responseBody !== null);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    responseBody: { ...responseBody },
    createdParams,
  };
}

test('/shop/products lists products with unique article numbers, names in both languages and decimal prices', async () => {
  const response = await createTestApp().app.request('/shop/products');
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { products: catalogue });
  assert.equal(new Set(catalogue.map(({ sku }) => sku)).size, catalogue.length);
  for (const { name, price } of catalogue) assert.ok(name.ru && name.en && isDecimal(price));
});

test('an order creates a checkout with the exact sum of the catalogue’s prices, and ignores prices in the request', async () => {
  const { status, responseBody, createdParams } = await placeOrder({
    items: [
      { sku: 'ivan-chai', quantity: 3, price: '0.01' },
      { sku: 'sencha', quantity: 99 },
    ],
    amount: '1.00',
    currency: 'XXX',
  });
  assert.equal(status, 201);
  assert.equal(createdParams[0]?.amount, '49588.50');
  assert.equal(createdParams[0].currency, 'RUB');
  assert.deepEqual(responseBody, { order_id: createdParams[0].orderId, checkout: 'chk_1' });
  assert.match(createdParams[0].orderId, /^ord_[\w-]{22}$/);
});

const invalidOrders: readonly (readonly [unknown, RegExp])[] = [
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
for (const [body, detail] of invalidOrders)
  test(`the order ${JSON.stringify(body).slice(0, 60)} is answered with 400 that names the field`, async () => {
    const { status, type, responseBody, createdParams } = await placeOrder(body);
    assert.equal(status, 400);
    assert.match(type ?? '', /^application\/problem\+json/);
    const { detail: receivedDetail, ...otherMembers } = { detail: '', ...responseBody };
    assert.deepEqual(otherMembers, {
      type: 'about:blank',
      title: 'The order is not valid',
      status: 400,
      code: 'invalid_request',
    });
    assert.match(receivedDetail, detail);
    assert.equal(createdParams.length, 0);
  });

test('an order that is not sent as application/json is answered with 415', async () => {
  const items = [{ sku: 'cup', quantity: 1 }];
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/plain; application/json'])
    assert.equal((await placeOrder({ items }, { 'content-type': type })).status, 415);
});

test('an order of more than 16 KiB is answered with 413', async () => {
  assert.equal((await placeOrder({ items: [], padding: 'x'.repeat(20_000) })).status, 413);
});

test('the orders of each network are limited separately', async () => {
  const { app, createdParams } = createTestApp({ trust: { trustedProxies: 1 } });
  const body = JSON.stringify({ items: [{ sku: 'cup', quantity: 1 }] });
  const place = (clientAddress: string) =>
    app.request(
      '/shop/orders',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.9, ${clientAddress}` },
        body,
      },
      { incoming: { socket: { remoteAddress: '127.0.0.1' } } },
    );
  let accepted = 0;
  while ((await place(`2001:db8::${(accepted % 5000) + 1}`)).status === 201) accepted += 1;
  assert.ok(accepted >= 120 && accepted < 5000, `${accepted} orders were accepted`);
  const refusedResponse = await place('2001:db8::ffff:1');
  assert.equal(refusedResponse.status, 429, 'an address of the same network');
  assert.match(refusedResponse.headers.get('retry-after') ?? '', /^[1-9]$/);
  const problem: unknown = await refusedResponse.json();
  assert.deepEqual(problem, { type: 'about:blank', title: 'Too many orders', status: 429, code: 'rate_limited' });
  assert.equal(createdParams.length, accepted);
  assert.equal((await place('2001:db8:0:1::1')).status, 201);
  assert.equal((await place('198.51.100.1')).status, 201);
});

test('a read of an unknown order is answered with 404', async () => {
  const response = await createTestApp().app.request('/shop/orders/ord_unknown');
  assert.equal(response.status, 404);
});

test('requests under /checkout/ go to the checkout server, and other requests go to the app', async () => {
  const { app } = createTestApp();
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

test('files with a hash in their name may be cached for a year, and other files have to be revalidated', async () => {
  const { app } = createTestApp();
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
  const firstResponse = await app.request('/pay-invoice.js');
  const conditionalResponse = await app.request('/pay-invoice.js', {
    headers: { 'if-none-match': firstResponse.headers.get('etag') ?? '' },
  });
  assert.equal(conditionalResponse.status, 304);
  assert.equal(firstResponse.headers.get('access-control-allow-origin'), '*');
});

test('the widget is compressed with brotli or gzip, and the pages with gzip', async () => {
  const { app } = createTestApp();
  for (const [path, acceptEncoding, encoding] of [
    ['/pay-invoice.js', 'gzip, deflate, br, zstd', 'br'],
    ['/pay-invoice.qr-Ab3dE_x9.js', 'gzip', 'gzip'],
    ['/', 'gzip, deflate, br, zstd', 'gzip'],
  ] as const) {
    const response = await app.request(path, { headers: { 'accept-encoding': acceptEncoding } });
    assert.equal(response.headers.get('content-encoding'), encoding, path);
  }
});

test('paths outside of the folders of the app are answered with 404', async () => {
  await writeFile(join(folder, 'secret'), 'secret');
  for (const path of ['/../secret', '/..%2fsecret', '/%2e%2e/secret', '/assets/../../../secret', '/nothing'])
    assert.equal((await createTestApp().app.request(path)).status, 404, path);
});

test('the pages have a strict Content-Security-Policy, which allows connections to the sandbox if there is one', async () => {
  const readPolicy = async (sandbox: string | null): Promise<string> =>
    (await createTestApp({ sandbox }).app.request('/')).headers.get('content-security-policy') ?? '';
  const policy = await readPolicy(null);
  assert.equal(
    policy,
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
      "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html 'allow-duplicates'",
  );
  assert.match(await readPolicy('http://127.0.0.1:8081'), /connect-src 'self' http:\/\/127\.0\.0\.1:8081;/);
  const script = await createTestApp().app.request('/pay-invoice.js');
  assert.equal(script.headers.get('x-content-type-options'), 'nosniff');
});

test('/config.json has the address of the sandbox, or null without a sandbox, and whether invoices are test invoices', async () => {
  for (const sandbox of [null, 'http://127.0.0.1:8081'])
    for (const isTest of [true, false])
      assert.deepEqual(await (await createTestApp({ sandbox, test: isTest }).app.request('/config.json')).json(), {
        sandbox,
        test: isTest,
      });
});

test('the app answers /healthz with 200 even when it is not healthy', async () => {
  const { app } = createTestApp({ isHealthy: () => Promise.reject(new Error('disk')) });
  const response = await app.request('/healthz');
  assert.deepEqual([response.status, await response.json()], [200, { status: 'ok' }]);
});

for (const [state, isHealthy, status] of [
  ['the app is healthy', () => Promise.resolve(), 200],
  ['the app is not healthy', () => Promise.reject(new Error('disk')), 503],
] as const)
  test(`the app answers /readyz with ${status} when ${state}`, async () => {
    const response = await createTestApp({ isHealthy }).app.request('/readyz');
    assert.equal(response.status, status);
    assert.deepEqual(await response.json(), { status: status === 200 ? 'ready' : 'not_ready' });
    assert.equal(response.headers.get('cache-control'), 'no-store');
  });
