import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { cardOption, makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, startTestSession, type TestSession } from '../support/test-session.ts';

const closedCheckout = makeOpenCheckout({ status: 'closed', options: [] });

/** Does everything that a payer could do to get an invoice. */
function tryToPay({ session }: TestSession): void {
  session.retry();
  session.resumeInvoice();
  session.dismissInvoice();
  session.select(cardOption.id);
  session.createInvoice();
}

describe('a checkout that the shop has closed', () => {
  for (const [name, checkout] of [
    ['without an invoice', closedCheckout],
    ['with an invoice that has ended', makeCheckout('closed', {}, { options: [cardOption] })],
  ] as const)
    it(`offers no way to create an invoice: ${name}`, async () => {
      const testSession = await startTestSession(checkout);
      tryToPay(testSession);
      await settle();
      assert.equal(testSession.session.getState().status, 'closed');
      assert.equal(testSession.transport.creates.length, 0);
    });

  it('is shown in place of the methods to which the payer has gone back from an expired invoice', async () => {
    const testSession = await startTestSession(
      makeCheckout('expired', { expires_in_ms: 0 }, { options: [cardOption] }),
    );
    testSession.session.retry();
    assert.equal(testSession.session.getState().status, 'choosing');
    testSession.backend.set(makeCheckout('closed', { expires_in_ms: 0 }));
    await testSession.clock.advance(20_000);
    assert.equal(testSession.session.getState().status, 'closed');
    tryToPay(testSession);
    assert.equal(testSession.transport.creates.length, 0);
  });

  it('is shown when a create request is refused with checkout_closed, and the request is not repeated', async () => {
    const { session, transport, backend, clock, eventTypes } = await startTestSession(makeOpenCheckout());
    backend.set(closedCheckout);
    transport.onCreate = () => new CheckoutError('checkout_closed', '');
    session.createInvoice();
    await settle();
    assert.equal(session.getState().status, 'closed');
    await clock.advance(600_000);
    assert.equal(transport.creates.length, 1);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'error checkout_closed', 'status']);
  });

  it('becomes paid when an earlier invoice is paid late, and emits that once', async () => {
    const { session, backend, clock, eventTypes } = createTestSession(makeCheckout('closed', { expires_in_ms: 0 }));
    session.start();
    await clock.advance(3_600_000);
    assert.equal(session.getState().status, 'closed');
    backend.set(makeCheckout('paid', { expires_in_ms: 0 }));
    await clock.advance(60_000);
    assert.equal(session.getState().status, 'paid');
    assert.equal(eventTypes().filter((type) => type === 'paid').length, 1);
  });
});
