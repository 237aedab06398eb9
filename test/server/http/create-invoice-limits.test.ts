import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('the addresses of one IPv6 /64 share a limit', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { createsOfAddress: { burst: 1, perMinute: 1 } } });
  const from = async (address: string): Promise<number> => {
    harness.id = await harness.createCheckout({ orderId: crypto.randomUUID() });
    return (await harness.createInvoice({ address })).status;
  };
  assert.equal(await from('2001:db8::1'), 201);
  assert.equal(await from('2001:db8::ffff:2'), 429);
  assert.equal(await from('2001:db8:0:1::1'), 201);
  assert.equal(await from('192.0.2.1'), 201);
  assert.equal(await from('::ffff:192.0.2.1'), 429);
});

test('concurrent creates beyond the limit of an address extend the wait', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { createsOfAddress: { burst: 2, perMinute: 1 } } });
  const ids = await Promise.all(
    Array.from({ length: 4 }, () => harness.createCheckout({ orderId: crypto.randomUUID() })),
  );
  const responses = ids.map((id) => {
    harness.id = id;
    return harness.createInvoice({ address: '192.0.2.1' });
  });
  assert.deepEqual(await Promise.all(responses.map(async (one) => (await one).status)), [201, 201, 201, 201]);
  harness.id = await harness.createCheckout({ orderId: crypto.randomUUID() });
  const refused = await harness.createInvoice({ address: '192.0.2.1' });
  assert.equal(refused.headers.get('retry-after'), '180');
});

test('new invoices are limited by checkout and by address; their repeats are not', async () => {
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
  const { id: first } = harness;
  assert.equal((await create(0, first)).status, 201);
  assert.equal((await create(1, first)).status, 201);
  for (let times = 0; times < 10; times += 1) assert.equal((await create(1, first)).status, 200);
  const refused = await create(2, first);
  assert.equal(refused.status, 429);
  assert.equal(refused.problem.code, 'rate_limited');
  assert.equal(refused.headers.get('retry-after'), '60');
  const second = await harness.createCheckout({ ...(await harness.loadRecord()).params, orderId: 'order-2' });
  assert.equal((await create(0, second)).status, 429, 'another checkout, and the same address');
  await harness.advance(60_000);
  assert.equal((await create(0, second)).status, 201);
});
