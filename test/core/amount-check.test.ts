import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import type { Checkout } from '../../src/protocol.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, expectStatus } from '../support/test-session.ts';

/** How the checkout API describes an invoice that was paid with another amount: nothing to pay with, and no time left. */
const checked = makeCheckout('pending', { sbp: undefined, service_status: 'PAID', expires_in_ms: 0 });

async function open(checkout: Checkout) {
  const started = createTestSession(checkout);
  started.session.start();
  await settle();
  return started;
}

describe('an invoice that was paid with another amount', () => {
  it('is waiting while the shop checks its amount', async () => {
    const { session } = await open(checked);
    const { verifyingExpiry, verifyingAmount } = expectStatus(session, 'waiting');
    assert.deepEqual([verifyingExpiry, verifyingAmount], [true, true]);
  });

  it('cannot be dismissed', async () => {
    const { session } = await open(checked);
    session.dismissInvoice();
    assert.equal(expectStatus(session, 'waiting').verifyingAmount, true);
  });

  it('becomes paid once the shop has decided', async () => {
    const { session, clock, backend } = await open(checked);
    backend.set(makeCheckout('paid'));
    await clock.advance(60_000);
    assert.equal(session.getState().status, 'paid');
  });

  for (const [what, checkout] of Object.entries({
    'one whose time is up': makeCheckout('pending', { expires_in_ms: 0 }),
    'one with a link alone whose time is up': makeCheckout('pending', {
      sbp: undefined,
      payment_url: 'https://pay.example/1',
      expires_in_ms: 0,
    }),
    'one without requisites whose time is not up': makeCheckout('pending', { sbp: undefined }),
  }))
    it(`is not ${what}`, async () => {
      assert.equal(expectStatus((await open(checkout)).session, 'waiting').verifyingAmount, false);
    });

  it('is never shown as paid, even if the backend reports it as paid', async () => {
    const { session, eventTypes } = await open(makeCheckout('paid', { amount: '1499.99' }));
    const state = expectStatus(session, 'waiting');
    assert.equal(state.verifyingAmount, true);
    assert.equal(state.invoice.sbp, undefined);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'error amount_mismatch']);
  });

  it('leaves a checkout paid that is already paid', async () => {
    const { session } = await open(makeCheckout('paid'));
    session.hydrate(makeCheckout('paid', { amount: '1499.99' }));
    assert.equal(session.getState().status, 'paid');
  });

  it('does not include an earlier invoice that was paid in full before the payer typed another amount', async () => {
    const typed = { amount: null };
    const { session, clock, backend, transport } = await open(makeOpenCheckout(typed));
    transport.onCreate = () => new CheckoutError('network', '');
    session.setAmount('200');
    session.createInvoice();
    await clock.advance(500);
    backend.set(makeCheckout('paid', { id: 'inv_0', amount: '100.00' }, typed));
    await clock.advance(20_000);
    assert.equal(expectStatus(session, 'paid').invoice?.amount, '100.00');
  });
});
