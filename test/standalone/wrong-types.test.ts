import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { openAdminApi, order, parseProblem } from './open-admin-api.ts';

// Every member of every body and of every parameter with every wrong type and form: 400 with the member's name, never 500. The
// library throws an error with `code` and `path`.

const jsonValues: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 643, 1e300, '', ' ', 'x', 'RU', '643', 'rub', 'EURO', '€', '\0', '\ud800'],
  ...['0', '-1', '1e3', '1,5', ' 1', '9'.repeat(100), 'a'.repeat(5000), '2026-13-01T00:00:00Z', '0000-01-01T00:00:00Z'],
  ...['9999-12-31T23:59:59-23:59', '__proto__', 'https://', 'javascript:alert(1)', 'http://shop.example/', '//x'],
  ...[[], [[]], [null], [''], ['a', 1], {}, { a: 1 }, { min_amount: 1 }, { minAmount: '1' }, { max_amount: '-1' }],
  ...[{ min_amount: '2', max_amount: '1' }, { constructor: 1 }, JSON.parse('{"__proto__":1}') as unknown, JSON.parse('['.repeat(60) + ']'.repeat(60)) as unknown], // prettier-ignore
];
const otherValues: readonly unknown[] = [
  ...[undefined, NaN, Infinity, -9e15, 1n, Symbol('x'), () => 1, new Date(NaN), new Date(-9e15), new Map(), /x/],
  ...[Object.create(null) as unknown, new Proxy({}, {}), Object.assign([], { 0: 1n }), { toJSON: 1 }, { a: undefined }],
];

const { harness, send, lines } = openAdminApi();
const id = await harness.createCheckout();
harness.id = id;
let orders = 0;
const newOrder = () => ({ ...order, order_id: `new-${(orders += 1)}` });

const names = ['order_id', 'amount', 'amount_limits', 'currency', 'description', 'success_url', 'fail_url', 'reference', 'expires_at', 'metadata', 'methods', 'unknown', '__proto__']; // prettier-ignore
const bodies: Readonly<
  Record<string, readonly [method: string, path: string, body: () => object, names: readonly string[]]>
> = {
  'create a checkout': ['POST', '/admin/checkouts', newOrder, names],
  'create a checkout whose amount the payer types': ['POST', '/admin/checkouts', () => ({ ...newOrder(), amount: null, amount_limits: {} }), names], // prettier-ignore
  'change a checkout': ['PATCH', `/admin/checkouts/${id}`, () => ({}), names],
  'resolve an invoice': ['POST', `/admin/checkouts/${id}/resolve`, () => ({ as: 'void', note: 'x' }), ['as', 'note', 'invoice_id', 'unknown']], // prettier-ignore
};

for (const [name, [method, path, body, members]] of Object.entries(bodies))
  test(`a request to ${name} is never answered with 500`, async () => {
    for (const member of members)
      for (const value of jsonValues) {
        const text = JSON.stringify({ ...body(), [member]: value }); // `__proto__` becomes a member too
        const response = await send(method, path, { body: text });
        const about = `${member}: ${JSON.stringify(value).slice(0, 60)}: ${JSON.stringify(response.json)}`;
        assert.ok([200, 201, 400, 409].includes(response.status), about);
        if (response.status !== 400) continue;
        assert.match(parseProblem(response).detail ?? '', /^[a-z_.0-9]+: ./i, about);
      }
    assert.deepEqual(lines, []);
  });

for (const body of [
  '',
  'null',
  '1',
  '"x"',
  '[]',
  '[[]]',
  '{',
  '{"a":1}{',
  '\ufeff{}',
  '{"amount":1e999}',
  '['.repeat(8000),
])
  test(`a body ${JSON.stringify(body.slice(0, 20))} is never answered with 500`, async () => {
    for (const [method, path] of Object.values(bodies)) {
      const { status } = await send(method, path, { body });
      assert.ok(status === 400 || (method === 'PATCH' && status !== 500), `${method} ${path}: ${status}`);
    }
    const { status } = await harness.createInvoice({ body });
    assert.equal(status, 400);
  });

test('a query of the admin API is never answered with 500', async () => {
  for (const path of ['/admin/checkouts', '/admin/outcomes'])
    for (const member of [
      'order_id',
      'search',
      'undelivered',
      'needs_decision',
      'status',
      'created_after',
      'created_before',
      'limit',
      'cursor',
      'after',
      'wait',
      'kind',
      'needs_decision',
      '__proto__',
    ])
      // prettier-ignore
      for (const value of [...jsonValues, '1e9', '999999999999', '1.x', '0.a', '-0', '%', 'a.b'].filter((one) => typeof one === 'string')) {
        if (member === 'wait' && value === '643') continue; // it waits
        const { status, json } = await send('GET', `${path}?${new URLSearchParams({ [member]: value }).toString()}`);
        assert.ok([200, 400, 409].includes(status), `${member}=${value.slice(0, 60)}: ${JSON.stringify(json)}`);
      }
  assert.deepEqual(lines, []);
});

test('a request for an invoice is never answered with 500', async () => {
  for (const member of ['payment_method_id', 'amount', 'replace', 'unknown', '__proto__'])
    for (const value of jsonValues) {
      const body = JSON.stringify({ payment_method_id: 'pm_none', [member]: value });
      const { status } = await harness.createInvoice({ body, key: `key-${member}` });
      assert.ok([400, 409, 413, 422, 429].includes(status), `${member}: ${body.slice(0, 80)}: ${status}`);
    }
});

const { server } = harness;
type Call = (params: never) => unknown;
const calls: Readonly<Record<string, readonly [call: Call, params: object, names: readonly string[]]>> = {
  create: [(params) => server.create(params), { orderId: '2', amount: '1500.00', currency: 'RUB' }, ['orderId', 'amount', 'amountLimits', 'currency', 'description', 'successUrl', 'failUrl', 'reference', 'expiresAt', 'metadata', 'methods', 'x']], // prettier-ignore
  update: [(params) => server.update(id, params), {}, ['amount', 'description', 'reference', 'expiresAt', 'methods', 'x']], // prettier-ignore
  list: [(params) => server.list(params), {}, ['orderId', 'search', 'undelivered', 'needsDecision', 'kind', 'status', 'createdAfter', 'createdBefore', 'limit', 'cursor', 'x']], // prettier-ignore
  resolve: [(params) => server.resolve(id, params), { as: 'void', note: 'x' }, ['as', 'note', 'invoiceId', 'x']],
  outcomes: [(params) => server.outcomes(params), {}, ['after', 'limit', 'x']],
};

for (const [name, [call, params, members]] of Object.entries(calls))
  test(`${name} of the library resolves, or throws an error with code and path`, async () => {
    for (const value of [...jsonValues, ...otherValues])
      for (const given of [value, ...members.map((member) => ({ ...params, [member]: value }))]) {
        const thrown = await Promise.resolve()
          .then(() => call(given as never))
          .then(
            () => undefined,
            (error: unknown) => error,
          );
        if (thrown === undefined) continue;
        assert.ok(thrown instanceof Error && 'code' in thrown && 'path' in thrown, inspect([given, thrown]));
        assert.notEqual(thrown.path, '');
      }
    assert.ok((await server.get(id)) !== undefined, 'the checkout can be read');
  });

test('a currency that is not three letters is refused with the rule', async () => {
  for (const currency of ['RU', '', '643', 'рубль']) {
    const response = await send('POST', '/admin/checkouts', { body: { ...order, currency } });
    assert.equal(response.status, 400);
    assert.equal(parseProblem(response).detail, 'currency: must be an ISO 4217 code such as "RUB", or null');
  }
});
