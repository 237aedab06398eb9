import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMemoryStore } from '../../src/server.ts';
import { createServerContext } from '../../src/server/server-context.ts';
import { createInvoiceCaller } from '../../src/server/commands/call-service-and-save-invoice.ts';
import { createStatusPoller } from '../../src/server/workers/invoice-status-poller.ts';
import { createViewers } from '../../src/server/workers/record-viewed-checkouts.ts';
import { createGate, TestCheckoutServer } from '../support/test-checkout-server.ts';

test('a server subscribes to the store only when it is started or handles a request', async () => {
  const store = createMemoryStore();
  const subscribe = store.subscribe.bind(store);
  let subscriptions = 0;
  store.subscribe = (...args) => {
    subscriptions += 1;
    return subscribe(...args);
  };
  const harness = new TestCheckoutServer({ store });
  assert.equal(subscriptions, 0);
  harness.id = await harness.createCheckout();
  await harness.getCheckout();
  harness.server.start();
  assert.equal(subscriptions, 1);
});

const hourMs = 3_600_000;
for (const [title, stepMs, block] of [
  ['hangs', 0, () => createGate().promise],
  ['fails', 0, () => Promise.reject(new Error('disk'))],
  ['hangs after the clock was set an hour back', -hourMs, () => createGate().promise],
  ['hangs after the clock was set an hour forward', hourMs, () => createGate().promise],
] as const)
  test(`a process whose poller ${title} is polling for 10 s, then not, and again after the next round`, async () => {
    const harness = new TestCheckoutServer();
    const { server, store } = harness;
    assert.equal(server.isPolling(), false, 'before its start');
    server.start();
    await harness.advance(60_000);
    harness.fakeClock.setWall(harness.fakeClock.wall() + stepMs);
    for (let second = 0; second < 15; second += 1) {
      assert.equal(server.isPolling(), true);
      await harness.advance(1000);
    }
    const nextRunAt = store.nextRunAt.bind(store);
    const repair = createGate();
    store.nextRunAt = () => Promise.race([block(), repair.promise.then(nextRunAt)]).then(nextRunAt);
    await harness.advance(9000);
    assert.equal(server.isPolling(), true);
    for (const ms of [3000, hourMs]) {
      await harness.advance(ms);
      assert.equal(server.isPolling(), false);
    }
    store.nextRunAt = nextRunAt;
    repair.open();
    await harness.advance(5000);
    assert.equal(server.isPolling(), true);
  });

// A checkout server that only handles requests, beside another process that has the workers.

suite('In a process whose workers are not started,', () => {
  /** The process with the workers, and one without them on the same store. */
  const openWithInvoice = async (): Promise<{ worker: TestCheckoutServer; handler: TestCheckoutServer }> => {
    const worker = await TestCheckoutServer.open();
    const handler = worker.otherProcess();
    const createResponse = handler.createInvoice();
    await worker.advance(0);
    await createResponse;
    return { worker, handler };
  };

  /** Counts the further calls of the store's `expedite`. */
  const countExpedites = ({ store }: TestCheckoutServer): { readonly count: number } => {
    const expedite = store.expedite.bind(store);
    const calls = { count: 0 };
    store.expedite = (...args) => {
      calls.count += 1;
      return expedite(...args);
    };
    return calls;
  };

  for (const waitSeconds of [0, 25])
    test(`payers learn of a payment within a tick and 2 s, with ${waitSeconds === 0 ? 'short' : 'long'} polls`, async () => {
      const { worker, handler } = await openWithInvoice();
      const { etag } = await handler.getCheckout();
      await worker.advance(20_000);
      let poll = handler.longPoll(etag, waitSeconds);
      // The payment comes right after a fetch: without the viewer, the next fetch would be 10 s later.
      const fetches = worker.service.fetchRequests.length;
      while (worker.service.fetchRequests.length === fetches) await worker.advance(100);
      worker.service.setStatus('PAID');
      const paidAt = worker.clock.now();
      if (waitSeconds === 0) {
        await worker.advance(4000);
        poll = handler.longPoll(etag, waitSeconds);
      }
      let answeredAt = Infinity;
      void poll.then(() => (answeredAt = worker.clock.now()));
      for (let second = 0; second < 8; second += 1) await worker.advance(500);
      assert.ok(answeredAt - paidAt < 4001, `answered after ${answeredAt - paidAt} ms`);
      assert.equal((await poll).checkout.status, 'paid');
    });

  test('no checkout is expedited once no payer views one', async () => {
    const { worker, handler } = await openWithInvoice();
    await handler.getCheckout();
    await worker.advance(60_000);
    const calls = countExpedites(worker);
    await worker.advance(60_000);
    assert.equal(calls.count, 0);
  });

  test('the store learns of a payer with long polls of 25 s at most every 30 s', async () => {
    const { worker, handler } = await openWithInvoice();
    const { etag } = await handler.getCheckout();
    await worker.advance(30_000);
    const calls = countExpedites(worker);
    for (let second = 0; second < 600; second += 25) {
      const poll = handler.longPoll(etag, 25);
      await worker.advance(25_000);
      assert.equal((await poll).status, 304);
    }
    assert.ok(calls.count > 0 && calls.count <= 600 / 30, `${calls.count} writes in ten minutes`);
  });

  test('webhooks that no poll has answered are not kept in memory', async () => {
    const { handler, worker } = await openWithInvoice();
    const record = await worker.loadRecord();
    const context = createServerContext(handler.options);
    const poller = createStatusPoller(context, createInvoiceCaller(context), () => undefined);
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const usedBytes = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = usedBytes();
    for (let number = 0; number < 500; number += 1) {
      // Not a rope, whose parts would be shared.
      const id = Buffer.alloc(100_000, `co_${number} `).toString('latin1');
      await poller.expediteNow({ ...record, id });
      await worker.fakeClock.advance(1000);
    }
    const keptIds = (usedBytes() - before) / 100_000;
    assert.ok(keptIds < 50, `${Math.round(keptIds)} of 500 identifiers are kept`);
  });

  test('only recent viewers of 10,000 checkouts are kept in memory', async () => {
    const { handler, worker } = await openWithInvoice();
    const viewers = createViewers(createServerContext(handler.options));
    for (let number = 0; number < 10_000; number += 1) {
      viewers.note(`co_${number}`, 0);
      await worker.fakeClock.advance(1000);
    }
    assert.ok(viewers.size <= 50, `${viewers.size} viewers`);
    viewers.stop();
  });
});
