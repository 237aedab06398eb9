import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSessionPreview } from '../../src/core/session-preview.ts';
import { CheckoutError } from '../../src/core/checkout-error.ts';
import { cardOption, makeInvoice, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, expectStatus } from '../support/test-session.ts';

const open = makeOpenCheckout({ options: [sbpOption, cardOption] });
const lost = new CheckoutError('network', 'no answer');

describe('the preview of a checkout', () => {
  it('shows the options of an open checkout without its links, which nobody has validated', () => {
    const preview = createSessionPreview('');
    preview.show({ ...open, return_urls: { success_url: 'javascript:alert(1)', fail_url: null } });
    const state = preview.getState();
    assert.ok(state.status === 'choosing');
    assert.equal(state.selected, sbpOption.id);
    assert.equal(state.checkout.return_urls.success_url, null);
  });

  it('stays loading for any other checkout, whose screen comes with the session', () => {
    const preview = createSessionPreview('');
    preview.show(makeOpenCheckout({ status: 'pending', invoice: makeInvoice() }));
    assert.equal(preview.getState().status, 'loading');
  });

  it('preselects the preferred method, and keeps what the payer chose', () => {
    const preview = createSessionPreview('card');
    preview.show(open);
    const selected = (): string | undefined => {
      const state = preview.getState();
      return state.status === 'choosing' ? state.selected : undefined;
    };
    assert.equal(selected(), cardOption.id);
    preview.select(sbpOption.id);
    preview.prefer('card');
    assert.equal(selected(), sbpOption.id);
    preview.select('unknown');
    assert.equal(selected(), sbpOption.id);
  });

  it('is creating after the payer requested an invoice, and returns to the options when the request fails', () => {
    const preview = createSessionPreview('');
    preview.createInvoice();
    assert.equal(preview.getState().status, 'loading');
    preview.show(open);
    preview.createInvoice();
    assert.equal(preview.getState().status, 'creating');
    preview.fail(lost);
    const state = preview.getState();
    assert.ok(state.status === 'choosing');
    assert.equal(state.refusal, lost);
  });

  it('counts failed reads, and is lost when the checkout does not exist', () => {
    const preview = createSessionPreview('');
    preview.fail(lost);
    preview.fail(lost);
    const state = preview.getState();
    assert.ok(state.status === 'loading');
    assert.equal(state.connection.failures, 2);
    preview.fail(new CheckoutError('not_found', 'none'));
    assert.equal(preview.getState().status, 'lost');
  });
});

describe('a session that continues a preview', () => {
  it("starts from a response that arrived before it, without a request, and repeats the payer's actions", async () => {
    const preview = createSessionPreview('');
    preview.show(open);
    preview.select(cardOption.id);
    preview.createInvoice();
    const loaded = { checkout: open, etag: '"1"', receivedAt: 0 };
    const { session, transport, eventTypes } = createTestSession(open, { loaded });
    assert.equal(expectStatus(session, 'choosing').selected, sbpOption.id);
    session.start();
    preview.replay(session);
    assert.equal(expectStatus(session, 'creating').methodId, cardOption.id);
    await settle();
    assert.deepEqual([transport.reads.length, transport.creates.length], [0, 1]);
    assert.deepEqual(eventTypes().slice(0, 2), ['ready', 'status']);
    session.stop();
  });

  it('takes over a typed amount', () => {
    const anyAmount = makeOpenCheckout({ amount: null });
    const preview = createSessionPreview('');
    preview.show(anyAmount);
    preview.setAmount('250,50');
    const { session } = createTestSession(anyAmount, {
      loaded: { checkout: anyAmount, etag: undefined, receivedAt: 0 },
    });
    session.start();
    preview.replay(session);
    assert.equal(expectStatus(session, 'choosing').amount, '250.50');
    session.stop();
  });

  it('counts the remaining time from when the response came, not from when the session began', () => {
    const checkout = makeOpenCheckout({ status: 'pending', invoice: makeInvoice({ expires_in_ms: 60_000 }) });
    const { session } = createTestSession(checkout, { loaded: { checkout, etag: undefined, receivedAt: -5000 } });
    assert.equal(expectStatus(session, 'waiting').deadline?.at, 55_000);
  });
});
