import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type ReadAnswer } from '../../src/core.ts';
import { cardOption, makeCheckout, makeInvoice, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { Deferred } from '../support/fake-transport.ts';
import { createTestSession, expectStatus } from '../support/test-session.ts';

describe('the first state', () => {
  it('needs one request for the options', async () => {
    const { session, transport, clock, eventTypes } = createTestSession(makeOpenCheckout());
    assert.equal(session.getState().status, 'loading');
    session.start();
    await settle();
    const state = expectStatus(session, 'choosing');
    assert.equal(state.selected, 'pm_card');
    assert.equal(state.amount, '1500.00');
    await clock.advance(5000);
    assert.equal(transport.reads.length, 1);
    assert.deepEqual(eventTypes(), ['ready', 'status']);
  });

  it('needs no request with `initial`, and has no certain deadline then', async () => {
    const initial = makeCheckout('pending');
    const { session, transport, clock, eventTypes } = createTestSession(initial, { initial });
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    assert.deepEqual(eventTypes(), []);
    session.start();
    assert.deepEqual(eventTypes(), ['ready', 'status']);
    await clock.advance(1999);
    assert.equal(transport.reads.length, 0);
    await clock.advance(1);
    assert.equal(transport.reads.length, 1);
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
  });

  it('is not read again when `initial` is paid', async () => {
    const initial = makeCheckout('paid');
    const { session, transport, clock, pageLifecycle, eventTypes } = createTestSession(initial, { initial });
    session.start();
    pageLifecycle.resume();
    await clock.advance(3_600_000);
    session.stop();
    assert.equal(transport.reads.length, 0);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'paid']);
  });

  it('is `lost` when the backend answers not_found, until a refresh finds the checkout', async () => {
    const { session, transport, clock, backend, eventTypes } = createTestSession(makeOpenCheckout());
    transport.onRead = () => new CheckoutError('not_found', '');
    session.start();
    await clock.advance(3_600_000);
    assert.equal(session.getState().status, 'lost');
    assert.equal(transport.reads.length, 1);
    assert.deepEqual(eventTypes(), ['error not_found']);
    transport.onRead = backend.read;
    await session.refresh();
    assert.equal(session.getState().status, 'choosing');
  });

  it('selects the preferred method by id or type in any case, else the first usable one', async () => {
    for (const [preferred, expected] of [
      ['PM_SBP', 'pm_sbp'],
      ['sbp', 'pm_sbp'],
      ['bank_transfer', 'pm_card'],
      ['', 'pm_card'],
    ]) {
      const { session } = createTestSession(makeOpenCheckout(), { preferred });
      session.start();
      await settle();
      assert.equal(expectStatus(session, 'choosing').selected, expected);
      session.stop();
    }
    const untyped = { ...sbpOption, type: '' };
    const nameless = createTestSession(makeOpenCheckout({ options: [cardOption, untyped] }), { preferred: '' });
    nameless.session.start();
    await settle();
    assert.equal(expectStatus(nameless.session, 'choosing').selected, 'pm_card');
    const cheap = createTestSession(makeOpenCheckout({ amount: '99.99' }));
    cheap.session.start();
    await settle();
    assert.equal(expectStatus(cheap.session, 'choosing').selected, 'pm_sbp');
  });
});

describe('responses with invalid data', () => {
  it('hide an invoice for another amount until the amount is right', async () => {
    const { session, backend, clock, eventTypes } = createTestSession(makeCheckout('pending', { amount: '1500.01' }));
    session.start();
    await settle();
    assert.equal(expectStatus(session, 'choosing').refusal?.code, 'amount_mismatch');
    assert.equal(expectStatus(session, 'choosing').activeInvoice, undefined);
    backend.set(makeCheckout('pending', { amount: '1500.0' }));
    await clock.advance(3000);
    assert.equal(session.getState().status, 'waiting');
    assert.deepEqual(eventTypes(), ['status', 'error amount_mismatch', 'ready', 'created']);
    backend.set(makeCheckout('paid', { amount: '1500.01' }));
    await clock.advance(3000);
    assert.equal(expectStatus(session, 'waiting').verifyingAmount, true);
  });

  it('emit suspect requisites and unsafe links once, and the rest is shown', async () => {
    const { session, backend, clock, eventTypes } = createTestSession(
      makeCheckout('pending', { card: { card_number: '4111111111111112' }, payment_url: 'javascript:alert(1)' }),
    );
    session.start();
    await clock.advance(2000);
    backend.set(
      makeCheckout('pending', { card: { card_number: '4111111111111112' }, payment_url: 'http://x.example' }),
    );
    await clock.advance(60_000);
    const { invoice } = expectStatus(session, 'waiting');
    assert.equal(invoice.card?.card_number, '4111111111111112');
    assert.equal(invoice.payment_url, undefined);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'error unsafe_link', 'error requisites_suspect']);
  });

  it('keep the requisites when the backend answers not_found later', async () => {
    const { session, transport, clock, eventTypes } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    transport.onRead = () => new CheckoutError('not_found', '');
    await clock.advance(60_000);
    const state = expectStatus(session, 'waiting');
    assert.equal(state.connection.error?.code, 'not_found');
    assert.ok(state.connection.failures > 1);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'error not_found']);
  });

  it('show “creating” while the backend has no invoice yet', async () => {
    const { session, backend, clock, eventTypes } = createTestSession(
      makeOpenCheckout({ status: 'pending', options: [], invoice: null }),
    );
    session.start();
    await settle();
    assert.deepEqual(expectStatus(session, 'creating').methodId, undefined);
    assert.equal(expectStatus(session, 'creating').inDoubt, true);
    backend.set(makeCheckout('pending'));
    await clock.advance(3000);
    assert.equal(session.getState().status, 'waiting');
    assert.deepEqual(eventTypes(), ['status', 'ready', 'created']);
  });
});

describe('subscribers', () => {
  it('are notified of each change in order and once, also when one of them makes another change', async () => {
    const { session, states } = createTestSession(makeOpenCheckout());
    const notified: string[] = [];
    session.subscribe((state) => {
      notified.push(state.status);
      if (state.status === 'choosing') session.createInvoice();
    });
    session.subscribe((state) => notified.push(state.status));
    session.start();
    await settle();
    assert.deepEqual(notified.slice(0, 4), ['choosing', 'choosing', 'creating', 'creating']);
    assert.equal(states[0]?.status, 'choosing');
  });

  it('are not notified of a response that changes nothing', async () => {
    const { session, states, clock, transport } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    const before = session.getState();
    states.length = 0;
    await clock.advance(110_000);
    assert.ok(transport.reads.length > 3);
    assert.equal(states.length, 0);
    assert.equal(session.getState(), before);
  });

  it('are not notified after they unsubscribed', async () => {
    const { session } = createTestSession(makeOpenCheckout());
    const notified: string[] = [];
    const off = session.subscribe((state) => notified.push(state.status));
    const offEvent = session.onEvent((event) => notified.push(event.type));
    off();
    offEvent();
    session.start();
    await settle();
    assert.deepEqual(notified, []);
  });

  it('receive the invoice with the event', async () => {
    const { session, events, transport } = createTestSession(makeOpenCheckout());
    transport.onCreate = () => ({ kind: 'created', checkout: makeCheckout('pending') });
    session.start();
    await settle();
    session.createInvoice();
    await settle();
    const created = events.find((event) => event.type === 'created');
    assert.equal(created?.invoice.id, makeInvoice().id);
  });
});

describe('commands of the page to a running session', () => {
  it('select the newly preferred method until the payer has chosen one', async () => {
    const { session } = createTestSession(makeOpenCheckout(), { preferred: 'card' });
    session.start();
    await settle();
    session.prefer('sbp');
    assert.equal(expectStatus(session, 'choosing').selected, 'pm_sbp');
    session.select('pm_card');
    session.prefer('pm_sbp');
    assert.equal(expectStatus(session, 'choosing').selected, 'pm_card');
  });

  it('hydrate: a newer checkout replaces the read that is under way, and its deadline is uncertain', async () => {
    const { session, transport, clock } = createTestSession(makeOpenCheckout());
    let answer: (checkout: ReadAnswer) => void = () => undefined;
    transport.onRead = () => new Promise((resolve) => (answer = resolve));
    session.start();
    session.hydrate(makeCheckout('pending'));
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    answer({ kind: 'checkout', checkout: makeOpenCheckout(), etag: '"0"' });
    await settle();
    assert.equal(session.getState().status, 'waiting');
    await clock.advance(1000);
    assert.equal(transport.reads.length, 2);
  });

  it('refresh: resolves with the read that is already under way', async () => {
    const { session, transport, backend } = createTestSession(makeCheckout('pending'));
    const answer = new Deferred<ReadAnswer>();
    transport.onRead = () => answer.promise;
    session.start();
    let ended = false;
    const refreshed = session.refresh().then(() => (ended = true));
    await settle();
    assert.equal(ended, false);
    answer.resolve({ kind: 'checkout', checkout: backend.snapshot(), etag: undefined });
    await refreshed;
    assert.equal(transport.reads.length, 1);
  });

  it('hydrate: a paid checkout stays paid', async () => {
    const { session, transport, clock, eventTypes } = createTestSession(makeCheckout('paid'));
    session.start();
    await settle();
    session.hydrate(makeCheckout('pending'));
    await clock.advance(60_000);
    assert.equal(session.getState().status, 'paid');
    assert.equal(transport.reads.length, 1);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'paid']);
  });
});
