import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { checkoutJson, openAdminApi, order, parseProblem } from './open-admin-api.ts';

test('PATCH /admin/checkouts/{id} changes an open checkout, and is 409 while an invoice can be paid', async () => {
  const { send, harness } = openAdminApi();
  const { id } = checkoutJson.parse((await send('POST', '/admin/checkouts', { body: order })).json);
  const patch = (body: object, path = id) => send('PATCH', `/admin/checkouts/${path}`, { body });
  const changed = await patch({ amount: '1600.00', expires_at: '2100-01-01T00:00:00Z' });
  assert.deepEqual(
    [changed.status, z.object({ amount: z.string(), expires_at: z.string() }).parse(changed.json)],
    [200, { amount: '1600.00', expires_at: '2100-01-01T00:00:00.000Z' }],
  );
  assert.match(parseProblem(await patch({ currency: 'USD' })).detail ?? '', /^currency: is unknown/);
  assert.equal((await patch({}, 'co_none')).status, 404);
  harness.id = id;
  await harness.server.close(id);
  assert.deepEqual(parseProblem(await patch({ amount: '1.00' })).code, 'checkout_closed');
});

test('the list of checkouts has pages and filters', async () => {
  const { send } = openAdminApi();
  for (const order_id of ['1', '2', '3']) await send('POST', '/admin/checkouts', { body: { ...order, order_id } });
  const page = z.object({ checkouts: z.array(checkoutJson), next_cursor: z.string().nullable() });
  const list = async (query: string) => page.parse((await send('GET', `/admin/checkouts?${query}`)).json);
  const first = await list('limit=2&status=open');
  assert.equal(first.checkouts.length, 2);
  const second = await list(`limit=2&cursor=${first.next_cursor ?? ''}`);
  assert.deepEqual([second.checkouts.length, second.next_cursor], [1, null]);
  assert.equal(new Set([...first.checkouts, ...second.checkouts].map(({ id }) => id)).size, 3);
  assert.equal((await list('created_after=2100-01-01T00:00:00Z')).checkouts.length, 0);
  assert.deepEqual(
    (await list('search=2')).checkouts.map(({ order_id }) => order_id),
    ['2'],
  );
  assert.equal((await list('undelivered=1')).checkouts.length, 0);
  for (const query of ['undelivered=0', 'limit=0', 'limit=x', 'status=new', 'created_after=yesterday', 'cursor=x'])
    assert.equal((await send('GET', `/admin/checkouts?${query}`)).status, 400, query);
});

test('GET /admin/outcomes is the feed: each outcome once, with its deliveries, and wait holds the answer until there is one', async () => {
  const { send, harness } = openAdminApi();
  const page = z.object({
    outcomes: z.array(
      z.object({
        cursor: z.string(),
        kind: z.string(),
        order_id: z.string(),
        checkout_id: z.string().startsWith('co_'),
        deliveries: z.array(z.object({ at: z.string(), status: z.number().nullable(), error: z.string().nullable() })),
        next_delivery_at: z.string().nullable(),
      }),
    ),
    next_cursor: z.string().nullable(),
  });
  const read = async (query = '') => page.parse((await send('GET', `/admin/outcomes${query}`)).json);
  assert.deepEqual(await read(), { outcomes: [], next_cursor: null });
  harness.id = await harness.createCheckout({ orderId: '1001' });
  await harness.createInvoice();
  harness.server.start();
  const waiting = read('?wait=30');
  harness.onOutcome = () => Promise.reject(Object.assign(new Error('HTTP 503'), { status: 503 }));
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  const { outcomes, next_cursor } = await harness.until(waiting);
  assert.deepEqual(
    outcomes.map(({ kind, order_id }) => [kind, order_id]),
    [['paid', '1001']],
  );
  const [outcome] = (await read()).outcomes;
  const delivery = outcome?.deliveries[0];
  assert.deepEqual([delivery?.status, delivery?.error], [503, 'HTTP 503']);
  assert.notEqual(outcome?.next_delivery_at, null);
  assert.deepEqual(await read(`?after=${next_cursor ?? ''}`), { outcomes: [], next_cursor });
  for (const query of ['?after=a+b', '?limit=0', '?wait=x', '?before=1'])
    assert.equal((await send('GET', `/admin/outcomes${query}`)).status, 400, query);
  const { status, json } = await send('GET', '/admin/outcomes?after=17');
  assert.equal(status, 409);
  assert.equal(z.object({ code: z.string() }).parse(json).code, 'cursor_unknown');
});

test('POST /admin/checkouts/{id}/resolve answers with the checkout, and with 409 where nothing needs a decision', async () => {
  const { send, harness } = openAdminApi();
  harness.id = await harness.createCheckout({ orderId: '1001' });
  const resolve = (body: object, id = harness.id) => send('POST', `/admin/checkouts/${id}/resolve`, { body });
  const decision = { as: 'paid', note: 'seen in the bank' };
  assert.deepEqual(parseProblem(await resolve(decision)).code, 'nothing_to_resolve');
  harness.server.start();
  await harness.createInvoice();
  harness.service.setFetchedAmount('1500.01');
  harness.service.setStatus('PAID');
  await harness.advance(15_000);
  const list = async (query: string) =>
    z.object({ checkouts: z.array(checkoutJson) }).parse((await send('GET', `/admin/checkouts?${query}`)).json)
      .checkouts;
  for (const query of ['needs_decision=1', 'kind=amount_mismatch', 'needs_decision=1&kind=amount_mismatch'])
    assert.deepEqual(
      (await list(query)).map(({ order_id }) => order_id),
      ['1001'],
      query,
    );
  assert.deepEqual(await list('kind=paid'), []);
  assert.match(parseProblem(await resolve({ as: 'refunded', note: 'x' })).detail ?? '', /^as: must be paid or void/);
  assert.match(parseProblem(await resolve({ ...decision, invoice: '1' })).detail ?? '', /^invoice: is unknown/);
  assert.equal((await resolve(decision, 'co_none')).status, 404);
  const resolved = await resolve({ ...decision, invoice_id: 'inv_1' });
  const checkout = z
    .object({
      status: z.string(),
      invoices: z.array(
        z.object({
          needs_decision: z.boolean(),
          status_history: z.array(z.object({ at: z.string(), status: z.string() })),
          resolution: z.object({ as: z.string(), note: z.string(), at: z.string() }),
        }),
      ),
      actions: z.array(z.object({ at: z.string(), action: z.string(), target: z.string().nullable() })),
    })
    .parse(resolved.json);
  assert.deepEqual([resolved.status, checkout.status], [200, 'paid']);
  const [invoice] = checkout.invoices;
  assert.deepEqual([invoice?.resolution.as, invoice?.resolution.note], ['paid', 'seen in the bank']);
  assert.equal(invoice?.status_history.at(-1)?.status, 'PAID');
  assert.equal(checkout.actions.at(-1)?.action, 'resolve');
  assert.deepEqual(await list('needs_decision=1'), [], 'it is decided');
  assert.equal((await list('kind=paid')).length, 1);
  assert.deepEqual(parseProblem(await resolve(decision)).code, 'nothing_to_resolve');
});
