import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { Deferred } from '../support/fake-transport.ts';
import { createTestSession, expectStatus } from '../support/test-session.ts';

describe('dismissing an invoice', () => {
  it('shows the methods with the warning of paying twice, and keeps polling the invoice', async () => {
    const { session, transport, backend, clock, eventTypes } = createTestSession(makeCheckout('pending'));
    transport.onRead = async (request) => {
      const result = await backend.read(request);
      return result.kind === 'checkout' && request.options === true
        ? { ...result, checkout: { ...result.checkout, options: makeOpenCheckout().options } }
        : result;
    };
    session.start();
    await settle();
    session.dismissInvoice();
    assert.equal(expectStatus(session, 'choosing').refreshing, true);
    await clock.advance(0);
    const state = expectStatus(session, 'choosing');
    assert.equal(transport.reads.at(-1)?.request.options, true);
    assert.equal(state.activeInvoice?.id, 'inv_1');
    assert.equal(state.selected, 'pm_card');
    assert.equal(state.refreshing, false);
    await clock.advance(60_000);
    assert.equal(session.getState().status, 'choosing');
    session.resumeInvoice();
    assert.equal(session.getState().status, 'waiting');
    session.dismissInvoice();
    backend.set(makeCheckout('paid'));
    await clock.advance(1000);
    assert.equal(session.getState().status, 'paid');
    assert.deepEqual(eventTypes(), ['ready', 'status', 'status', 'paid']);
  });

  for (const status of ['failed', 'expired'] as const)
    it(`removes the warning once the invoice is ${status}`, async () => {
      const { session, backend, clock } = createTestSession(makeCheckout('pending'));
      session.start();
      await settle();
      session.dismissInvoice();
      backend.set(makeCheckout(status, {}, { options: makeOpenCheckout().options }));
      await clock.advance(1000);
      assert.equal(expectStatus(session, 'choosing').activeInvoice, undefined);
    });

  it('leads back to the same invoice, without a create request, when the payer chooses its method again', async () => {
    const { session, transport } = createTestSession(
      makeCheckout('pending', {}, { options: makeOpenCheckout().options }),
    );
    session.start();
    await settle();
    session.dismissInvoice();
    session.select('pm_sbp');
    session.createInvoice();
    assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_1');
    assert.equal(transport.creates.length, 0);
  });
});

describe('the outcome of an invoice', () => {
  for (const status of ['failed', 'expired'] as const) {
    it(`lets the payer refresh the checkout and create another invoice when it is "${status}"`, async () => {
      const { session, transport, backend, eventTypes } = createTestSession(makeCheckout('pending'));
      session.start();
      await settle();
      backend.set(makeCheckout(status, {}, { options: makeOpenCheckout().options }));
      await session.refresh();
      assert.equal(expectStatus(session, status).refreshing, false);
      const response = new Deferred<Awaited<ReturnType<typeof backend.read>>>();
      transport.onRead = () => response.promise;
      const refreshEnded = session.refresh();
      assert.equal(expectStatus(session, status).refreshing, true);
      response.reject(new CheckoutError('network', ''));
      await refreshEnded;
      assert.equal(expectStatus(session, status).refreshing, false);
      session.retry();
      const state = expectStatus(session, 'choosing');
      assert.equal(state.activeInvoice, undefined);
      transport.onCreate = () => ({ kind: 'created', checkout: makeCheckout('pending', { id: 'inv_2' }) });
      session.createInvoice();
      await settle();
      assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_2');
      // An invoice before this one may still be payable: the backend would refuse another one without `replace`.
      assert.equal(transport.creates[0]?.request.replace, true);
      assert.deepEqual(
        eventTypes().filter((type) => !type.startsWith('error')),
        ['ready', 'status', 'status', status, 'created', 'status'],
      );
    });

    it(`changes from "${status}" to "paid" when the payment is late`, async () => {
      const { session, backend, clock, eventTypes } = createTestSession(makeCheckout(status));
      session.start();
      await clock.advance(120_000);
      backend.set(makeCheckout('paid'));
      await clock.advance(120_000);
      assert.equal(session.getState().status, 'paid');
      assert.deepEqual(eventTypes(), ['ready', 'status', status, 'status', 'paid']);
    });
  }

  it('is emitted once when it is "paid", and stays so whatever the backend responds later', async () => {
    const { session, backend, eventTypes } = createTestSession(makeCheckout('paid'));
    session.start();
    await settle();
    for (const status of ['pending', 'failed', 'expired', 'paid'] as const) {
      backend.set(makeCheckout(status));
      await session.refresh();
      assert.equal(session.getState().status, 'paid');
    }
    assert.deepEqual(eventTypes(), ['ready', 'status', 'paid']);
  });
});
