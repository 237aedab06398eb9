import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../support/fake-clock.ts';
import { createGate, TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('a webhook expedites a fetch and is answered with 204, whatever its body is', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.advance(61_000);
  harness.service.setStatus('PAID');
  assert.equal(await harness.sendWebhook(), 204);
  await harness.advance(200);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
});

for (const body of [
  '{"status":"PAID","id":"inv_1"}',
  '{"event":"invoice.failed"}',
  '',
  'not JSON',
  'x'.repeat(100_000),
])
  test(`ignores the content of ${body.slice(0, 30) || 'an empty body'}`, async () => {
    const harness = await TestCheckoutServer.open();
    await harness.createInvoice();
    await harness.advance(5000);
    const before = await harness.loadRecord();
    assert.equal(await harness.sendWebhook(undefined, body), 204);
    await harness.advance(200);
    const { version, attempts, paidExternalId } = await harness.loadRecord();
    assert.deepEqual([version, attempts[0]?.outcome, paidExternalId], [before.version, 'pending', null]);
  });

test('a wrong secret gets the 404 of an unknown checkout, and nothing is fetched', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.advance(61_000);
  const { hookSecret } = await harness.loadRecord();
  const fetched = harness.service.fetched.length;
  const texts = new Set<string>();
  for (const path of [
    `/${harness.id}/hook/${hookSecret.slice(0, -1)}${hookSecret.endsWith('x') ? 'y' : 'x'}`,
    `/${harness.id}/hook/${hookSecret.slice(0, -1)}`,
    `/${harness.id}/hook/${hookSecret}x`,
    `/${harness.id}/hook/short`,
    `/${harness.id}/hook/`,
    `/chk_AAAAAAAAAAAAAAAAAAAAAAAA/hook/${hookSecret}`,
    '/chk_AAAAAAAAAAAAAAAAAAAAAAAA',
  ]) {
    const response = await harness.request(path, path.includes('hook') ? { method: 'POST', body: '{}' } : {});
    assert.equal(response.status, 404, path);
    texts.add(await response.text());
  }
  assert.equal(texts.size, 1);
  await harness.advance(200);
  assert.equal(harness.service.fetched.length, fetched);
});

test('five hundred webhooks cause at most one fetch of the invoice in a second', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.advance(61_000);
  harness.service.fetched.length = 0;
  const original = { ...harness.store };
  let expedited = 0;
  harness.store.expedite = async (...args) => {
    expedited += 1;
    return original.expedite(...args);
  };
  for (let second = 0; second < 5; second += 1) {
    for (let n = 0; n < 100; n += 1) {
      assert.equal(await harness.sendWebhook(), 204);
      await harness.advance(2);
    }
    await harness.advance(800);
  }
  await harness.advance(1500);
  const { length } = harness.service.fetched;
  assert.ok(length >= 4 && length <= 7, `${length} fetches in six and a half seconds`);
  assert.ok(expedited <= 20, `${expedited} writes for five hundred webhooks`);
});

test('an invoice with a webhook is fetched before all that have been due for longer', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { batchSize: 2, fetchesPerSecond: 1 } });
  for (let n = 0; n < 40; n += 1) {
    harness.id = await harness.createCheckout({ orderId: `order-${n}` });
    await harness.createInvoice();
    await harness.getCheckout();
  }
  await harness.advance(5000);
  harness.service.setStatus('PAID');
  harness.service.fetched.length = 0;
  await harness.sendWebhook();
  await harness.advance(2200);
  const { checkout } = await harness.getCheckout();
  assert.deepEqual([checkout.status, harness.service.fetched.length <= 3], ['paid', true]);
});

test('a webhook during a fetch of the invoice causes another fetch', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.advance(61_000);
  const held = createGate();
  const fetch = harness.service.fetchInvoices.bind(harness.service);
  harness.service.fetchInvoices = async (ids) => {
    harness.service.fetchInvoices = fetch;
    const invoices = await fetch(ids);
    await held.promise;
    return invoices;
  };
  await harness.sendWebhook();
  await harness.advance(300);
  harness.service.setStatus('PAID');
  await harness.sendWebhook();
  held.open();
  await settle();
  await harness.advance(1500);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
});

/** How far apart the process that fetches and the one that gets the second webhook are. */
const receivers = {
  'the process that fetches': (worker: TestCheckoutServer) => worker,
  'another process': ({ store, service, clock }: TestCheckoutServer) => {
    const other = new TestCheckoutServer({ store, service, clock });
    other.server.start();
    return other;
  },
  'a process without workers': ({ store, service, clock }: TestCheckoutServer) =>
    new TestCheckoutServer({ store, service, clock }),
};
for (const [name, receiverBeside] of Object.entries(receivers))
  for (const word of ['EXPIRED', 'HELD_BY_BANK'])
    test(`a payment after a slow fetch of an ended invoice began is found, when ${name} gets its webhook (the fetch says ${word})`, async () => {
      const worker = await TestCheckoutServer.open();
      await worker.createInvoice();
      worker.service.setStatus('EXPIRED');
      await worker.advance(5000);
      worker.fakeClock.stall(10 * 3_600_000);
      await worker.advance(5000); // it is fetched now, and then in ten hours
      const receiver = receiverBeside(worker);
      receiver.id = worker.id;
      const held = createGate();
      const fetch = worker.service.fetchInvoices.bind(worker.service);
      let isUnderWay = false;
      worker.service.fetchInvoices = async (ids) => {
        worker.service.fetchInvoices = fetch;
        isUnderWay = true;
        const old = await fetch(ids);
        await held.promise;
        return old;
      };
      worker.service.setStatus(word);
      await worker.sendWebhook();
      await worker.advance(500);
      assert.ok(isUnderWay, 'the slow fetch is under way');
      worker.service.setStatus('PAID');
      assert.equal(await receiver.sendWebhook(), 204);
      await worker.advance(3000);
      held.open();
      await worker.advance(10_000);
      assert.equal((await worker.getCheckout()).checkout.status, 'paid');
    });

test('a webhook causes a fetch of an invoice that is no longer polled', async () => {
  const harness = await TestCheckoutServer.open({}, { timing: { lateMs: 60_000 } });
  await harness.createInvoice();
  harness.service.setStatus('EXPIRED');
  await harness.advance(300_000);
  assert.equal((await harness.loadAttempts())[0]?.runAt, null);
  harness.service.setStatus('PAID');
  assert.equal(await harness.sendWebhook(), 204);
  await harness.advance(1000);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
});

test('a webhook does not repeat a create that is under way', async () => {
  const harness = await TestCheckoutServer.open();
  const held = createGate();
  await harness.createInvoice();
  harness.service.createFaults.push({ kind: 'hangs', until: held.promise });
  const response = harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  await harness.advance(1000);
  assert.equal(await harness.sendWebhook(), 204);
  await harness.advance(5000);
  assert.equal(harness.service.created.length, 2);
  held.open();
  assert.equal((await response).checkout.invoice?.id, 'inv_2');
});

test('discards the body before the response, so that the connection stays usable', async () => {
  const harness = await TestCheckoutServer.open();
  const { hookSecret } = await harness.loadRecord();
  for (const [secret, status] of [
    [hookSecret, 204],
    ['A'.repeat(24), 404],
  ] as const) {
    const chunks = ['a', 'b', 'c', 'd'];
    const body = new ReadableStream<Uint8Array>({
      pull(stream) {
        const next = chunks.shift();
        if (next === undefined) stream.close();
        else stream.enqueue(new TextEncoder().encode(next));
      },
    });
    const init = { method: 'POST', body, duplex: 'half' };
    assert.equal((await harness.request(`/${harness.id}/hook/${secret}`, init)).status, status);
    assert.deepEqual(chunks, []);
  }
});

test('the hook_url that the service receives expedites a fetch, and does not contain the capability', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const url = harness.service.created[0]?.url_config?.hook_url ?? '';
  const { id, hookSecret } = await harness.loadRecord();
  assert.ok(!url.includes(id) && !url.includes(id.slice(4)), url);
  harness.service.setStatus('PAID');
  const send = async (to: string): Promise<number> =>
    (await harness.server.handle(new Request(to, { method: 'POST', body: '{}' }))).status;
  assert.equal(await send(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`), 404);
  assert.equal(await send(url.replace('b3JkZXItMQ', 'b3JkZXItMg')), 404, 'another order');
  assert.equal(await send(url), 204);
  assert.ok(url.endsWith(`/${hookSecret}`));
});
