import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { startTestSession, expectStatus } from '../support/test-session.ts';

describe('a create request that stays in doubt', () => {
  it('can be left after a minute for another method, and is then not repeated', async () => {
    const { session, clock, transport } = await startTestSession(makeOpenCheckout());
    transport.onCreate = () => new CheckoutError('network', '');
    session.select('pm_sbp');
    session.createInvoice();
    await clock.advance(59_000);
    assert.equal(expectStatus(session, 'creating').stuck, false);
    await clock.advance(6000);
    assert.equal(expectStatus(session, 'creating').stuck, true);
    session.dismissInvoice();
    assert.equal(session.getState().status, 'choosing');
    const requests = transport.creates.length;
    await clock.advance(120_000);
    assert.equal(transport.creates.length, requests);
    transport.onCreate = () => ({ kind: 'created', checkout: makeCheckout('pending') });
    session.select('pm_card');
    session.createInvoice();
    await settle();
    assert.equal(session.getState().status, 'waiting');
  });

  it('tells its subscribers after a minute, without a read that succeeds', async () => {
    const { session, clock, transport, states } = await startTestSession(makeOpenCheckout());
    transport.onCreate = () => new CheckoutError('network', '');
    transport.onRead = () => new Promise(() => undefined);
    session.createInvoice();
    await clock.advance(66_000);
    assert.equal(
      states.some((state) => state.status === 'creating' && state.stuck),
      true,
    );
  });

  it('can be left after a reload too, and its invoice is shown when it comes', async () => {
    const withoutInvoice = { ...makeOpenCheckout(), status: 'pending' as const };
    const { session, clock, backend, transport } = await startTestSession(withoutInvoice);
    assert.equal(expectStatus(session, 'creating').stuck, false);
    await clock.advance(66_000);
    assert.equal(expectStatus(session, 'creating').stuck, true);
    session.dismissInvoice();
    assert.equal(session.getState().status, 'choosing');
    await clock.advance(30_000);
    assert.equal(session.getState().status, 'choosing');
    backend.set(makeCheckout('pending'));
    await clock.advance(30_000);
    assert.equal(session.getState().status, 'waiting');
    assert.equal(transport.creates.length, 0);
  });
});
