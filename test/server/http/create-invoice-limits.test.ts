import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('the addresses of one IPv6 /64 share a limit', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { createsOfAddress: { burst: 1, perMinute: 1 } } });
  const createFrom = async (address: string): Promise<number> => {
    harness.id = await harness.createCheckout({ orderId: crypto.randomUUID() });
    return (await harness.createInvoice({ address })).status;
  };
  assert.equal(await createFrom('2001:db8::1'), 201);
  assert.equal(await createFrom('2001:db8::ffff:2'), 429);
  assert.equal(await createFrom('2001:db8:0:1::1'), 201);
  assert.equal(await createFrom('192.0.2.1'), 201);
  assert.equal(await createFrom('::ffff:192.0.2.1'), 429);
});

test('clients without an address share a limit, and the log has that once', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { createsOfAddress: { burst: 2, perMinute: 1 } } });
  const create = async (address: string | undefined): Promise<number> => {
    const id = await harness.createCheckout({ orderId: crypto.randomUUID() });
    const request = new Request(`https://shop.example/checkout/${harness.capabilityOf(id)}/invoice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key' },
      body: JSON.stringify({ payment_method_id: 'pm_card' }),
    });
    return (await harness.server.handle(request, { address })).status;
  };
  assert.deepEqual([await create(undefined), await create(undefined), await create(undefined)], [201, 201, 429]);
  assert.equal(await create('192.0.2.1'), 201);
  const lines = harness.logEntries.filter(({ event }) => event === 'client_address_unknown');
  assert.deepEqual(lines, [{ level: 'warn', event: 'client_address_unknown', facts: {} }]);
});

test('concurrent creates that together exceed the limit of an address make its Retry-After longer', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { createsOfAddress: { burst: 2, perMinute: 1 } } });
  const ids = await Promise.all(
    Array.from({ length: 4 }, () => harness.createCheckout({ orderId: crypto.randomUUID() })),
  );
  const responses = ids.map((id) => {
    harness.id = id;
    return harness.createInvoice({ address: '192.0.2.1' });
  });
  assert.deepEqual(await Promise.all(responses.map(async (response) => (await response).status)), [201, 201, 201, 201]);
  harness.id = await harness.createCheckout({ orderId: crypto.randomUUID() });
  const refusedResponse = await harness.createInvoice({ address: '192.0.2.1' });
  assert.equal(refusedResponse.headers.get('retry-after'), '180');
});

test('creates of new invoices are limited by checkout and by address, but their repeats are not', async () => {
  const allowance = { burst: 2, perMinute: 1 };
  const harness = await TestCheckoutServer.open(
    {},
    { limits: { createsOfCheckout: allowance, createsOfAddress: allowance } },
  );
  const create = (n: number, id: string) => {
    harness.id = id;
    const method = n % 2 === 0 ? 'pm_card' : 'pm_sbp';
    return harness.createInvoice({ key: `key-${n}`, method, replace: true, address: '192.0.2.1' });
  };
  const { id: firstId } = harness;
  assert.equal((await create(0, firstId)).status, 201);
  assert.equal((await create(1, firstId)).status, 201);
  for (let times = 0; times < 10; times += 1) assert.equal((await create(1, firstId)).status, 200);
  const refusedResponse = await create(2, firstId);
  assert.equal(refusedResponse.status, 429);
  assert.equal(refusedResponse.problem.code, 'rate_limited');
  assert.equal(refusedResponse.headers.get('retry-after'), '60');
  const secondId = await harness.createCheckout({ ...(await harness.loadRecord()).params, orderId: 'order-2' });
  assert.equal((await create(0, secondId)).status, 429, 'another checkout, but the same address');
  await harness.advance(60_001);
  assert.equal((await create(0, secondId)).status, 201);
});

test("a payer whose invoice would wait for the service's rate limit is asked to try again, and gets the invoice later", async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.waitMs = () => 2500;
  const refused = await harness.createInvoice();
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '3']);
  assert.equal(harness.service.createRequests.length, 0);
  assert.deepEqual((await harness.loadRecord()).attempts, []);
  harness.service.waitMs = () => 1900;
  assert.equal((await harness.createInvoice()).status, 201);
});
