import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createServerContext } from '../../src/server/server-context.ts';
import { createViewers } from '../../src/server/workers/viewers.ts';
import { countExpedites } from '../support/extended-stores.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

// A checkout server that only handles requests, beside another process that has the workers.

suite('In a process whose workers are not started,', () => {
  /** The process with the workers, and one without them on the same store. */
  const openWithInvoice = async (): Promise<{ worker: TestCheckoutServer; handler: TestCheckoutServer }> => {
    const worker = await TestCheckoutServer.open();
    const { store, service, clock, id } = worker;
    const handler = new TestCheckoutServer({ store, service, clock });
    handler.id = id;
    const createResponse = handler.createInvoice();
    await worker.advance(0);
    await createResponse;
    return { worker, handler };
  };

  for (const waitSeconds of [0, 25])
    test(`payers learn of a payment within a tick and 2 s, with ${waitSeconds === 0 ? 'short' : 'long'} polls`, async () => {
      const { worker, handler } = await openWithInvoice();
      const { etag } = await handler.getCheckout();
      await worker.advance(20_000);
      const headers = { 'if-none-match': etag, ...(waitSeconds > 0 && { prefer: `wait=${waitSeconds}` }) };
      let poll = handler.getCheckout(headers);
      // The payment comes right after a fetch: without the viewer, the next fetch would be 10 s later.
      const fetches = worker.service.fetchRequests.length;
      while (worker.service.fetchRequests.length === fetches) await worker.advance(100);
      worker.service.setStatus('PAID');
      const paidAt = worker.clock.now();
      if (waitSeconds === 0) {
        await worker.advance(4000);
        poll = handler.getCheckout(headers);
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
    const calls = countExpedites(worker.store);
    await worker.advance(60_000);
    assert.equal(calls.count, 0);
  });

  test('the store learns of a payer with long polls of 25 s at most every 30 s', async () => {
    const { worker, handler } = await openWithInvoice();
    const { etag } = await handler.getCheckout();
    await worker.advance(30_000);
    const calls = countExpedites(worker.store);
    for (let second = 0; second < 600; second += 25) {
      const poll = handler.getCheckout({ 'if-none-match': etag, prefer: 'wait=25' });
      await worker.advance(25_000);
      assert.equal((await poll).status, 304);
    }
    assert.ok(calls.count > 0 && calls.count <= 600 / 30, `${calls.count} writes in ten minutes`);
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
