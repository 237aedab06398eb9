import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, startTestSession, expectStatus } from '../support/test-session.ts';

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
});

describe('an invoice whose time is up', () => {
  const checkout = makeCheckout('pending', { expires_in_ms: 10_000 }, { options: makeOpenCheckout().options });
  const startSession = async () => {
    const testSession = await startTestSession(checkout);
    // No answer comes any more.
    testSession.transport.onRead = () => new Promise(() => undefined);
    return testSession;
  };

  it('is replaced, and not shown as payable, when the payer chooses its method again', async () => {
    const { session, clock, transport } = await startSession();
    transport.onCreate = () => new Promise(() => undefined);
    session.dismissInvoice();
    await clock.advance(11_000);
    session.select('pm_sbp');
    session.createInvoice();
    assert.equal(session.getState().status, 'creating');
    assert.equal(transport.creates[0]?.request.replace, true);
  });

  it('is not shown as payable when no timer fires, because the tab sleeps', async () => {
    const { session, clock } = await startSession();
    const statesSeen: boolean[] = [];
    session.subscribe((state) => state.status === 'waiting' && statesSeen.push(state.verifyingExpiry));
    clock.stall(20_000);
    assert.equal(expectStatus(session, 'waiting').verifyingExpiry, true);
    assert.equal(session.getState(), session.getState());
    await clock.advance(0);
    assert.deepEqual(statesSeen, [true]);
  });
});

describe('an invoice without a way to pay', () => {
  for (const [name, invoice] of Object.entries({
    'no requisites and no link': {},
    'only links that are not safe': { payment_url: 'javascript:alert(1)', nspk_url: 'http://qr.nspk.example/1' },
    'requisites without a number': { card: { holder_name: 'Тест Т.' } },
  }))
    it(`leads back to the methods when it has ${name}, also after its deadline`, async () => {
      const checkout = makeCheckout('pending', { sbp: undefined, expires_at: '2026-11-20T10:15:00Z', ...invoice });
      const { session, clock, backend, eventTypes } = await startTestSession({
        ...checkout,
        options: makeOpenCheckout().options,
      });
      assert.equal(expectStatus(session, 'choosing').refusal?.code, 'method_unavailable');
      assert.ok(eventTypes().includes('error method_unavailable'));
      backend.set(makeCheckout('pending', { sbp: undefined, expires_at: '2026-11-20T10:15:00Z', expires_in_ms: 0 }));
      await clock.advance(20_000);
      assert.equal(session.getState().status, 'choosing');
    });
});

describe('the outcome of an invoice', () => {
  for (const status of ['failed', 'expired'] as const) {
    it(`lets the payer refresh the checkout and create another invoice when it is "${status}"`, async () => {
      const { session, transport, backend, eventTypes } = await startTestSession(makeCheckout('pending'));
      backend.set(makeCheckout(status, {}, { options: makeOpenCheckout().options }));
      await session.refresh();
      assert.equal(session.getState().status, status);
      transport.onRead = () => Promise.reject(new CheckoutError('network', ''));
      await session.refresh();
      assert.equal(session.getState().status, status);
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
    const { session, backend, eventTypes } = await startTestSession(makeCheckout('paid'));
    for (const status of ['pending', 'failed', 'expired', 'closed', 'paid'] as const) {
      backend.set(makeCheckout(status));
      await session.refresh();
      assert.equal(session.getState().status, 'paid');
    }
    assert.deepEqual(eventTypes(), ['ready', 'status', 'paid']);
  });

  it('is shown when it is "paid" after the payer has gone back to the methods', async () => {
    const { session, backend } = await startTestSession(makeCheckout('pending'));
    session.dismissInvoice();
    backend.set(makeCheckout('paid'));
    await session.refresh();
    assert.equal(session.getState().status, 'paid');
  });
});
