import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type CheckoutSession } from '../../src/core.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, startTestSession } from '../support/test-session.ts';

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
  it('is read at once when it may be old', async () => {
    const initial = makeCheckout('pending');
    const { session } = await startTestSession(makeCheckout('paid'), { initial, mayBeOld: true });
    assert.equal(session.getState().status, 'paid');
  });
});
