import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type CheckoutSession } from '../../src/core.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, startTestSession, expectStatus } from '../support/test-session.ts';

describe('starting and stopping a session', () => {
  it('a hundred times leaves no timer, listener or request behind', async () => {
    const checkouts = [
      makeOpenCheckout(),
      makeOpenCheckout({ amount: null }),
      makeCheckout('pending'),
      makeCheckout('expired'),
    ];
    for (const checkout of checkouts) {
      const { session, clock, transport, pageLifecycle } = createTestSession(checkout);
      transport.onCreate = () => new CheckoutError('network', '');
      for (let n = 0; n < 100; n += 1) {
        session.start();
        session.start();
        assert.equal(pageLifecycle.listeners, 1);
        if (n % 2 === 0) await settle();
        session.setAmount('100');
        if (n % 3 === 0) session.createInvoice();
        if (n % 5 === 0) session.dismissInvoice();
        if (n % 7 === 0) await clock.advance(n * 10);
        session.stop();
        session.stop();
        assert.equal(clock.pending, 0);
        assert.equal(pageLifecycle.listeners, 0);
        await settle();
        assert.equal(clock.pending, 0);
        assert.equal(transport.reading + transport.creating, 0);
      }
    }
  });

  it('keeps the state during the pause, and reads the checkout after it', async () => {
    const { session, clock, backend, transport } = await startTestSession(makeCheckout('pending'));
    session.stop();
    const readsBefore = transport.reads.length;
    await clock.advance(60_000);
    backend.set(makeCheckout('paid'));
    assert.equal(session.getState().status, 'waiting');
    assert.equal(transport.reads.length, readsBefore);
    session.start();
    assert.equal(session.getState().status, 'waiting');
    await settle();
    assert.equal(session.getState().status, 'paid');
  });

  it('with a checkout of the page reads only when that is due, also when the payer asks for an invoice at once', async () => {
    const checkout = makeOpenCheckout();
    const { session, transport, clock } = createTestSession(checkout, { initial: checkout });
    transport.onCreate = () => new Promise(() => undefined);
    session.start();
    session.createInvoice();
    await clock.advance(900);
    assert.equal(transport.creates.length, 1);
    assert.equal(transport.reads.length, 0, 'a read beside the create request');
  });

  it('repeats a create request that was under way, with the same key', async () => {
    const { session, transport, clock } = await startTestSession(makeOpenCheckout());
    transport.onCreate = () => new Promise(() => undefined);
    session.createInvoice();
    session.stop();
    assert.equal(expectStatus(session, 'creating').inDoubt, true);
    await clock.advance(10_000);
    transport.onCreate = () => ({ kind: 'created', checkout: makeCheckout('pending') });
    session.start();
    await settle();
    assert.deepEqual(
      transport.creates.map(({ request }) => request.key),
      ['key_1', 'key_1'],
    );
    assert.equal(session.getState().status, 'waiting');
    assert.equal(transport.mostCreating, 1);
  });

  for (const [name, subscribe] of [
    ['a listener of states', (session: CheckoutSession, stop: () => void) => session.subscribe(stop)],
    ['a listener of events', (session: CheckoutSession, stop: () => void) => session.onEvent(stop)],
  ] as const) {
    it(`leaves no timer or listener behind when ${name} stops the session at its first response`, async () => {
      const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('pending'));
      subscribe(session, () => session.stop());
      session.start();
      await clock.advance(60_000);
      assert.equal(transport.reads.length, 1);
      assert.equal(clock.pending + pageLifecycle.listeners, 0);
    });

    it(`causes no two reads at once when ${name} stops and starts the session`, async () => {
      const { session, clock, transport, pageLifecycle, backend } = createTestSession(makeCheckout('pending'));
      backend.holds = false;
      const unsubscribe = subscribe(session, () => {
        unsubscribe();
        session.stop();
        session.start();
      });
      session.start();
      await clock.advance(60_000);
      assert.ok(transport.reads.length > 2);
      assert.equal(transport.mostReading, 1);
      assert.equal(pageLifecycle.listeners, 1);
      session.stop();
      assert.equal(clock.pending + pageLifecycle.listeners + transport.reading, 0);
    });
  }

  it('resolves a refresh before the start, and a refresh that the stop aborts', async () => {
    const { session, transport } = createTestSession(makeCheckout('pending'));
    await session.refresh();
    transport.onRead = () => new Promise(() => undefined);
    session.start();
    const refreshEnded = session.refresh();
    session.stop();
    await refreshEnded;
    assert.equal(transport.reads.length, 1);
  });
});

describe('a stop inside a subscriber', () => {
  it('leaves no read behind when the page resumes after a sleep', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('pending'));
    session.start();
    await clock.advance(4000);
    session.subscribe(() => session.stop());
    clock.sleep(60_000);
    pageLifecycle.resume();
    await settle();
    const readsBefore = transport.reads.length;
    await clock.advance(60_000);
    assert.deepEqual([transport.reading, transport.reads.length], [0, readsBefore]);
  });
});

describe('a checkout that came with the page', () => {
  for (const [mayBeOld, firstReadMs] of [
    [false, 2000],
    [true, 0],
  ] as const)
    it(`is read ${mayBeOld ? 'at once when it may be old' : 'after poll_after_ms when it is fresh'}`, async () => {
      const initial = makeCheckout('pending');
      const { session, clock, transport } = createTestSession(makeCheckout('paid'), { initial, mayBeOld });
      const startedAt = clock.now();
      session.start();
      await clock.advance(3000);
      assert.ok(Math.abs((transport.reads[0]?.at ?? 0) - startedAt - firstReadMs) < 10);
      assert.equal(session.getState().status, 'paid');
    });
});
