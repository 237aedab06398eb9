import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStandInSession } from '../../src/core/stand-in-until-session-loads.ts';
import { CheckoutError } from '../../src/core/checkout-error.ts';
import { cardOption, makeInvoice, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, expectStatus } from '../support/test-session.ts';

const openCheckout = makeOpenCheckout({ options: [sbpOption, cardOption] });
const networkError = new CheckoutError('network', 'no answer');

describe('the stand-in session of a checkout', () => {
  it('shows the options of an open checkout without its links, because it does not validate them', () => {
    const standIn = createStandInSession('');
    standIn.show({ ...openCheckout, return_urls: { success_url: 'javascript:alert(1)', fail_url: null } });
    const state = standIn.getState();
    assert.ok(state.status === 'choosing');
    assert.equal(state.selected, sbpOption.id);
    assert.equal(state.checkout.return_urls.success_url, null);
  });

  it('stays loading for a pending checkout, whose screen comes with the session', () => {
    const standIn = createStandInSession('');
    standIn.show(makeOpenCheckout({ status: 'pending', invoice: makeInvoice() }));
    assert.equal(standIn.getState().status, 'loading');
  });

  it('preselects the preferred method until the payer chooses a method', () => {
    const standIn = createStandInSession('card');
    standIn.show(openCheckout);
    const selectedMethod = (): string | undefined => {
      const state = standIn.getState();
      return state.status === 'choosing' ? state.selected : undefined;
    };
    assert.equal(selectedMethod(), cardOption.id);
    standIn.select(sbpOption.id);
    standIn.prefer('card');
    assert.equal(selectedMethod(), sbpOption.id);
    standIn.select('unknown');
    assert.equal(selectedMethod(), sbpOption.id);
  });

  it('is creating after the payer requested an invoice, and returns to the options when the request fails', () => {
    const standIn = createStandInSession('');
    standIn.createInvoice();
    assert.equal(standIn.getState().status, 'loading');
    standIn.show(openCheckout);
    standIn.createInvoice();
    assert.equal(standIn.getState().status, 'creating');
    standIn.fail(networkError);
    const state = standIn.getState();
    assert.ok(state.status === 'choosing');
    assert.equal(state.refusal, networkError);
  });

  it('counts failures before there are options', () => {
    const standIn = createStandInSession('');
    standIn.fail(networkError);
    standIn.fail(networkError);
    const state = standIn.getState();
    assert.ok(state.status === 'loading');
    assert.deepEqual(state.connection, { failures: 2, error: networkError });
  });
});

describe('a session that continues a stand-in session', () => {
  it("starts from a response that arrived before it, without a request, and repeats the payer's actions", async () => {
    const standIn = createStandInSession('');
    standIn.show(openCheckout);
    standIn.select(cardOption.id);
    standIn.createInvoice();
    const loaded = { checkout: openCheckout, etag: '"1"', receivedAt: 0 };
    const { session, transport, eventTypes } = createTestSession(openCheckout, { loaded });
    assert.equal(expectStatus(session, 'choosing').selected, sbpOption.id);
    session.start();
    standIn.replay(session);
    assert.equal(expectStatus(session, 'creating').methodId, cardOption.id);
    await settle();
    assert.deepEqual([transport.reads.length, transport.creates.length], [0, 1]);
    assert.deepEqual(eventTypes().slice(0, 2), ['ready', 'status']);
    session.stop();
  });

  it('has the amount that the payer typed in the stand-in session', () => {
    const checkoutWithoutAmount = makeOpenCheckout({ amount: null });
    const standIn = createStandInSession('');
    standIn.show(checkoutWithoutAmount);
    standIn.setAmount('250,50');
    const { session } = createTestSession(checkoutWithoutAmount, {
      loaded: { checkout: checkoutWithoutAmount, etag: undefined, receivedAt: 0 },
    });
    session.start();
    standIn.replay(session);
    assert.equal(expectStatus(session, 'choosing').amount, '250.50');
    session.stop();
  });

  it('counts the remaining time from when the response came, not from when the session began', () => {
    const checkout = makeOpenCheckout({ status: 'pending', invoice: makeInvoice({ expires_in_ms: 60_000 }) });
    const { session } = createTestSession(checkout, { loaded: { checkout, etag: undefined, receivedAt: -5000 } });
    assert.equal(expectStatus(session, 'waiting').deadline?.at, 55_000);
  });
});
