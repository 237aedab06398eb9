import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, expectStatus } from '../support/test-session.ts';

const lifeMs = 30_000;
/** The backend's grace period: it reports an invoice as expired this long after the deadline. */
const graceMs = 60_000;

describe('a payment that the bank confirms after the deadline', () => {
  for (const [seconds, statusBefore] of [
    [6, 'waiting'],
    [30, 'waiting'],
    [90, 'expired'],
  ] as const)
    it(`is shown as paid ${seconds} s after the deadline, where the screen was "${statusBefore}"`, async () => {
      const { session, clock, backend, eventTypes } = createTestSession(
        makeCheckout('pending', { expires_in_ms: lifeMs }),
      );
      session.start();
      await clock.advance(lifeMs + Math.min(graceMs, seconds * 1000));
      assert.equal(expectStatus(session, 'waiting').verifyingExpiry, true);
      if (seconds * 1000 > graceMs) {
        backend.set(makeCheckout('expired', { expires_in_ms: 0 }));
        await clock.advance(seconds * 1000 - graceMs);
      }
      assert.equal(session.getState().status, statusBefore);
      backend.set(makeCheckout('paid', { expires_in_ms: 0 }));
      await clock.advance(20_000);
      assert.equal(session.getState().status, 'paid');
      assert.equal(eventTypes().filter((type) => type === 'paid').length, 1);
    });

  it('is shown at once when the payer requests a check, even while a long poll is under way', async () => {
    for (const status of ['pending', 'expired'] as const) {
      const { session, clock, backend, transport } = createTestSession(makeCheckout(status, { expires_in_ms: 0 }));
      session.start();
      await clock.advance(12_000);
      backend.holds = false;
      backend.set(makeCheckout('paid'));
      assert.equal(transport.reading, status === 'pending' ? 1 : 0);
      void session.refresh();
      await settle();
      assert.equal(session.getState().status, 'paid', status);
    }
  });

  it('replaces the methods on the screen when the payer went back from the expired invoice', async () => {
    const { session, clock, backend } = createTestSession(makeCheckout('expired', { expires_in_ms: 0 }));
    session.start();
    await settle();
    session.retry();
    assert.equal(session.getState().status, 'choosing');
    backend.set(makeCheckout('paid'));
    await clock.advance(20_000);
    assert.equal(session.getState().status, 'paid');
  });
});
