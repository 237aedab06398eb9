import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkPrefix } from '../../../src/server/between-requests/payer-rate-limit.ts';
import { clientAddress } from '../../../src/server/node/node-listener.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('clients without an address share a limit, and the log has that once', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { createsOfAddress: { burst: 2, perMinute: 1 } } });
  const create = async (address: string | undefined): Promise<number> => {
    const id = await harness.createCheckout({ orderId: crypto.randomUUID() });
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'key' };
    const init = { method: 'POST', headers, body: '{"payment_method_id":"pm_card"}' };
    const request = new Request(`https://shop.example/checkout/${harness.capabilityOf(id)}/invoice`, init);
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

test('creates of new invoices are limited by checkout and by the /64 of the address, but their repeats are not', async () => {
  const allowance = { burst: 2, perMinute: 1 };
  const harness = await TestCheckoutServer.open(
    {},
    { limits: { createsOfCheckout: allowance, createsOfAddress: allowance } },
  );
  const create = (n: number, id: string) => {
    harness.id = id;
    const method = n % 2 === 0 ? 'pm_card' : 'pm_sbp';
    return harness.createInvoice({ key: `key-${n}`, method, replace: true, address: `2001:db8::${n}` });
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

for (const [trustedProxies, forwardedFor, expected] of [
  [undefined, '1.1.1.1', '10.0.0.9'],
  [1, undefined, '10.0.0.9'],
  [1, '1.1.1.1,', '10.0.0.9'],
  [1, 'forged, 1.1.1.1', '1.1.1.1'],
  [2, 'forged, 1.1.1.1, 10.0.0.1', '1.1.1.1'],
  [3, '1.1.1.1, 10.0.0.1', '10.0.0.9'],
  [1, ' 2001:db8::1 ', '2001:db8::1'],
  [1, '1.1.1.1:50123', '1.1.1.1'],
  [1, '[2001:db8::1]:50123', '2001:db8::1'],
] as const)
  test(`with ${trustedProxies ?? 'the default number of'} trusted proxies, X-Forwarded-For: ${forwardedFor ?? 'none'} gives ${expected}`, () => {
    const options = trustedProxies === undefined ? {} : { trustedProxies };
    assert.equal(clientAddress(forwardedFor, '10.0.0.9', options), expected);
  });

for (const [address, network] of [
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3::', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1:2:3', '1:2:3'],
  ['_hidden:x', '_hidden:x'],
] as const)
  test(`the network prefix of ${JSON.stringify(address)} is ${JSON.stringify(network)}`, () =>
    assert.equal(networkPrefix(address), network));
