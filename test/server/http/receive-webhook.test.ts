import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderIdOf, webhookPath, webhookUrl } from '../../../src/server/domain/identifiers.ts';
import { createGate, endpoint, TestCheckoutServer } from '../../support/test-checkout-server.ts';

/** A fetch of the invoice service that returns, once `release` is called, what the service had when the fetch began. */
interface SlowFetch {
  readonly isUnderWay: () => boolean;
  readonly release: () => void;
}

/** Makes the next fetch slow. */
function slowDownNextFetch(service: TestCheckoutServer['service']): SlowFetch {
  const gate = createGate();
  const fetch = service.fetchInvoices.bind(service);
  let isUnderWay = false;
  service.fetchInvoices = async (ids) => {
    service.fetchInvoices = fetch;
    isUnderWay = true;
    const staleInvoices = await fetch(ids);
    await gate.promise;
    return staleInvoices;
  };
  return { isUnderWay: () => isUnderWay, release: () => gate.open() };
}

/** The process that receives the second webhook: the one that fetches the invoice, or one without workers. */
const receivers = {
  'the process that fetches': (worker: TestCheckoutServer) => worker,
  'another process': (worker: TestCheckoutServer) => worker.otherProcess(),
};
for (const [name, createReceiver] of Object.entries(receivers)) {
  test(`a payment that comes during a slow fetch of an expired invoice is found by its webhook to ${name}`, async () => {
    const worker = await TestCheckoutServer.openWithInvoice();
    worker.service.setStatus('EXPIRED');
    await worker.advance(5000);
    worker.fakeClock.stall(10 * 3_600_000);
    await worker.advance(5000); // the invoice is fetched now, and then in ten hours
    const receiver = createReceiver(worker);
    const slowFetch = slowDownNextFetch(worker.service);
    await worker.sendWebhook();
    await worker.advance(500);
    assert.ok(slowFetch.isUnderWay(), 'the slow fetch is under way');
    worker.service.setStatus('PAID');
    assert.equal(await receiver.sendWebhook(), 204);
    await worker.advance(3000);
    slowFetch.release();
    await worker.advance(10_000);
    assert.equal((await worker.getCheckout()).checkout.status, 'paid');
  });

  test(`the second of two webhooks within a second to ${name}, which then stops, finds a payment after the first fetch`, async () => {
    const worker = await TestCheckoutServer.openWithInvoice();
    worker.service.setStatus('EXPIRED');
    await worker.advance(600_500); // the next poll comes in half a second
    const receiver = createReceiver(worker);
    const fetchesBefore = worker.service.fetchRequests.length;
    await receiver.sendWebhook();
    for (let step = 0; step < 9 && worker.service.fetchRequests.length === fetchesBefore; step += 1)
      await worker.advance(100);
    assert.equal(worker.service.fetchRequests.length, fetchesBefore + 1);
    worker.service.setStatus('PAID');
    await receiver.sendWebhook();
    if (receiver !== worker) await receiver.server.stop();
    await worker.advance(3000);
    assert.equal((await worker.getCheckout()).checkout.status, 'paid');
  });
}

test('a webhook does not repeat a create that is under way', async () => {
  const harness = await TestCheckoutServer.open();
  const serviceGate = createGate();
  await harness.createInvoice();
  harness.service.createFaults.push({ kind: 'hangs', until: serviceGate.promise });
  const response = harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  await harness.advance(1000);
  assert.equal(await harness.sendWebhook(), 204);
  await harness.advance(5000);
  assert.equal(harness.service.createRequests.length, 2);
  serviceGate.open();
  assert.equal((await response).checkout.invoice?.id, 'inv_2');
});

test('a webhook’s body is read before the response, with a right and a wrong secret, so that the connection stays usable', async () => {
  const harness = await TestCheckoutServer.open();
  const { hookSecret } = await harness.loadRecord();
  for (const [secret, status] of [
    [hookSecret, 204],
    ['A'.repeat(24), 404],
  ] as const) {
    const request = new Request(`${endpoint}/${harness.capability}/hook/${secret}`, { method: 'POST', body: '{}' });
    assert.equal((await harness.server.handle(request, { address: undefined })).status, status);
    assert.equal(request.bodyUsed, true);
  }
});

test('the hook_url that the service receives accepts webhooks, and does not contain the capability', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const url = harness.service.createRequests[0]?.url_config?.hook_url ?? '';
  const { id, hookSecret } = await harness.loadRecord();
  assert.ok(!url.includes(id) && !url.includes(id.slice(4)), url);
  harness.service.setStatus('PAID');
  const sendTo = async (to: string): Promise<number> =>
    (await harness.server.handle(new Request(to, { method: 'POST', body: '{}' }), { address: undefined })).status;
  assert.equal(await sendTo(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`), 404);
  assert.equal(await sendTo(url.replace('b3JkZXItMQ', 'b3JkZXItMg')), 404, 'another order');
  assert.equal(await sendTo(url), 204);
  assert.ok(url.endsWith(`/${hookSecret}`));
});

test('the identifier of an order in its hook_url is read as it was written', () => {
  for (const orderId of ['order-1', 'заказ № 7', '\uFEFForder', '🧾'])
    assert.equal(
      orderIdOf(webhookPath.exec(webhookUrl('https://shop.example', orderId, 'secret-123'))?.[1] ?? ''),
      orderId,
    );
});

test('a thousand webhooks one after another cause at most one fetch of an invoice a second', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.advance(3000);
  const fetchedAt: number[] = [];
  const fetchInvoices = harness.service.fetchInvoices.bind(harness.service);
  harness.service.fetchInvoices = async (ids) => {
    fetchedAt.push(harness.fakeClock.now());
    await new Promise<void>((resolve) => void harness.fakeClock.schedule(30, resolve));
    return fetchInvoices(ids);
  };
  for (let webhook = 0; webhook < 1000; webhook += 1) {
    await harness.sendWebhook();
    await harness.advance(2);
  }
  await harness.advance(2000);
  for (const [index, at] of fetchedAt.entries())
    assert.ok(index === 0 || at - (fetchedAt[index - 1] ?? 0) >= 990, fetchedAt.join());
  assert.ok(fetchedAt.length >= 2, 'the webhooks cause fetches');
});
