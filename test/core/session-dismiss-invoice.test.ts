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
      const answer = await backend.read(request);
      return answer.kind === 'checkout' && request.options === true
        ? { ...answer, checkout: { ...answer.checkout, options: makeOpenCheckout().options } }
        : answer;
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

  it('shows the same invoice again when the same method is chosen again', async () => {
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

describe('outcomes', () => {
  for (const status of ['failed', 'expired'] as const) {
    it(`let the payer try again and refresh after ${status}`, async () => {
      const { session, transport, backend, eventTypes } = createTestSession(makeCheckout('pending'));
      session.start();
      await settle();
      backend.set(makeCheckout(status, {}, { options: makeOpenCheckout().options }));
      await session.refresh();
      assert.equal(expectStatus(session, status).refreshing, false);
      const answer = new Deferred<Awaited<ReturnType<typeof backend.read>>>();
      transport.onRead = () => answer.promise;
      const refreshed = session.refresh();
      assert.equal(expectStatus(session, status).refreshing, true);
      answer.reject(new CheckoutError('network', ''));
      await refreshed;
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

    it(`change from ${status} to paid when the payment is late`, async () => {
      const { session, backend, clock, eventTypes } = createTestSession(makeCheckout(status));
      session.start();
      await clock.advance(120_000);
      backend.set(makeCheckout('paid'));
      await clock.advance(120_000);
      assert.equal(session.getState().status, 'paid');
      assert.deepEqual(eventTypes(), ['ready', 'status', status, 'status', 'paid']);
    });
  }

  it('emit paid once, and stay paid whatever the backend answers later', async () => {
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
