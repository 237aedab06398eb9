import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type CheckoutSession } from '../../src/core.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, expectStatus } from '../support/test-session.ts';

describe('starting and stopping a session', () => {
  it('leaves no timer, listener or request behind, a hundred times', async () => {
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

  it('keeps the state, and reads the checkout after the pause', async () => {
    const { session, clock, backend, transport } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    session.stop();
    const before = transport.reads.length;
    await clock.advance(60_000);
    backend.set(makeCheckout('paid'));
    assert.equal(session.getState().status, 'waiting');
    assert.equal(transport.reads.length, before);
    session.start();
    assert.equal(session.getState().status, 'waiting');
    await settle();
    assert.equal(session.getState().status, 'paid');
  });

  it('repeats a create that was under way with the same key', async () => {
    const { session, transport, clock } = createTestSession(makeOpenCheckout());
    transport.onCreate = () => new Promise(() => undefined);
    session.start();
    await settle();
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

  for (const [name, stopIn] of [
    ['a listener of states', (session: CheckoutSession, stop: () => void) => session.subscribe(stop)],
    ['a listener of events', (session: CheckoutSession, stop: () => void) => session.onEvent(stop)],
  ] as const) {
    it(`leaves nothing behind when ${name} stops the session at its first response`, async () => {
      const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('pending'));
      stopIn(session, () => session.stop());
      session.start();
      await clock.advance(60_000);
      assert.equal(transport.reads.length, 1);
      assert.equal(clock.pending + pageLifecycle.listeners, 0);
    });

    it(`keeps to one read at a time when ${name} stops and starts the session`, async () => {
      const { session, clock, transport, pageLifecycle, backend } = createTestSession(makeCheckout('pending'));
      backend.holds = false;
      const unsubscribe = stopIn(session, () => {
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

  it('leaves nothing behind when an event listener stops the session while it starts', async () => {
    const initial = makeCheckout('pending');
    const { session, clock, transport, pageLifecycle } = createTestSession(initial, { initial });
    session.onEvent(() => session.stop());
    session.start();
    await clock.advance(60_000);
    assert.equal(transport.reads.length, 0);
    assert.equal(clock.pending + pageLifecycle.listeners, 0);
  });

  it('resolves a refresh of a stopped session', async () => {
    const { session, transport } = createTestSession(makeCheckout('pending'));
    await session.refresh();
    transport.onRead = () => new Promise(() => undefined);
    session.start();
    const refreshed = session.refresh();
    session.stop();
    await refreshed;
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
    const { length } = transport.reads;
    await clock.advance(60_000);
    assert.deepEqual([transport.reading, transport.reads.length], [0, length]);
  });
});

describe('a checkout that came with the page', () => {
  it('is read again within a minute, whatever its advice for the next poll', async () => {
    const { session, clock, transport } = createTestSession(makeOpenCheckout(), {
      initial: makeOpenCheckout({ poll_after_ms: 1_000_000_000 }),
    });
    session.start();
    await clock.advance(59_000);
    assert.equal(transport.reads.length, 0);
    await clock.advance(1000);
    assert.equal(transport.reads.length, 1);
  });
});
