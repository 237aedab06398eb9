import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { startTestSession, expectStatus } from '../support/test-session.ts';

/** How the checkout API describes an invoice that was paid with another amount: nothing to pay with, and no time left. */
const checkoutInCheck = makeCheckout('pending', { sbp: undefined, service_status: 'PAID', expires_in_ms: 0 });

describe('an invoice that was paid with another amount', () => {
  it('has the state waiting, with verifyingAmount, while the shop checks the amount', async () => {
    const { session } = await startTestSession(checkoutInCheck);
    const { verifyingExpiry, verifyingAmount } = expectStatus(session, 'waiting');
    assert.deepEqual([verifyingExpiry, verifyingAmount], [true, true]);
  });

  it('cannot be dismissed', async () => {
    const { session } = await startTestSession(checkoutInCheck);
    session.dismissInvoice();
    assert.equal(expectStatus(session, 'waiting').verifyingAmount, true);
  });

  for (const [name, checkout] of Object.entries({
    'an invoice whose time is up': makeCheckout('pending', { expires_in_ms: 0 }),
    'an invoice whose time is up and that has only a link': makeCheckout('pending', {
      sbp: undefined,
      payment_url: 'https://pay.example/1',
      expires_in_ms: 0,
    }),
  }))
    it(`is not confused with ${name}`, async () => {
      assert.equal(expectStatus((await startTestSession(checkout)).session, 'waiting').verifyingAmount, false);
    });

  it('is never shown as paid, even if the backend reports it as paid', async () => {
    const { session, eventTypes } = await startTestSession(makeCheckout('paid', { amount: '1499.99' }));
    const state = expectStatus(session, 'waiting');
    assert.equal(state.verifyingAmount, true);
    assert.equal(state.invoice.sbp, undefined);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'error amount_mismatch']);
  });

  it('does not change a checkout that is already paid', async () => {
    const { session } = await startTestSession(makeCheckout('paid'));
    session.hydrate(makeCheckout('paid', { amount: '1499.99' }));
    assert.equal(session.getState().status, 'paid');
  });

  it('is not confused with an earlier invoice that was paid in full before the payer typed another amount', async () => {
    const withoutAmount = { amount: null };
    const { session, clock, backend, transport } = await startTestSession(makeOpenCheckout(withoutAmount));
    transport.onCreate = () => new CheckoutError('network', '');
    session.setAmount('200');
    session.createInvoice();
    await clock.advance(500);
    backend.set(makeCheckout('paid', { id: 'inv_0', amount: '100.00' }, withoutAmount));
    await clock.advance(20_000);
    assert.equal(expectStatus(session, 'paid').invoice?.amount, '100.00');
  });
});
