import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type ReadAnswer } from '../../src/core.ts';
import { cardOption, makeCheckout, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { Deferred } from '../support/fake-transport.ts';
import { createTestSession, startTestSession, expectStatus } from '../support/test-session.ts';

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

  it('needs no request with `initial`, but its deadline is then uncertain', async () => {
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

  it('is `lost` when the first read fails with not_found, until a refresh returns a checkout', async () => {
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

  it('selects the preferred method by id or type, ignoring case, else the first usable method', async () => {
    for (const [preferred, expected] of [
      ['PM_SBP', 'pm_sbp'],
      ['sbp', 'pm_sbp'],
      ['bank_transfer', 'pm_card'],
      ['', 'pm_card'],
    ]) {
      const { session } = await startTestSession(makeOpenCheckout(), { preferred });
      assert.equal(expectStatus(session, 'choosing').selected, expected);
      session.stop();
    }
    const untyped = { ...sbpOption, type: '' };
    const sessionWithoutType = await startTestSession(makeOpenCheckout({ options: [cardOption, untyped] }), {
      preferred: '',
    });
    assert.equal(expectStatus(sessionWithoutType.session, 'choosing').selected, 'pm_card');
    const sessionOfSmallAmount = await startTestSession(makeOpenCheckout({ amount: '99.99' }));
    assert.equal(expectStatus(sessionOfSmallAmount.session, 'choosing').selected, 'pm_sbp');
  });

  it('selects no method whose banks are all unavailable, also where the page prefers it', async () => {
    const withoutBank = { ...cardOption, banks: [{ code: 'b', available: false, limits: {} }] };
    for (const [options, expected] of [
      [[withoutBank, sbpOption], 'pm_sbp'],
      [[withoutBank], undefined],
    ] as const) {
      const { session } = createTestSession(makeOpenCheckout({ options: [...options] }), { preferred: 'card' });
      session.start();
      await settle();
      assert.equal(expectStatus(session, 'choosing').selected, expected);
      session.stop();
    }
  });
});

describe('a response to a read', () => {
  it('hides an invoice for another amount until a response has the right amount', async () => {
    const { session, backend, clock, eventTypes } = await startTestSession(
      makeCheckout('pending', { amount: '1500.01' }),
    );
    assert.equal(expectStatus(session, 'choosing').refusal?.code, 'amount_mismatch');
    assert.equal(expectStatus(session, 'choosing').activeInvoice, undefined);
    backend.set(makeCheckout('pending', { amount: '1500.0' }));
    await clock.advance(3000);
    assert.equal(session.getState().status, 'waiting');
    assert.deepEqual(eventTypes(), ['status', 'error amount_mismatch', 'ready', 'created']);
  });

  it('emits one error for unsafe links, and shows the rest of the invoice', async () => {
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
    assert.deepEqual(eventTypes(), ['ready', 'status', 'error unsafe_link']);
  });

  for (const checkout of [makeCheckout('pending'), makeOpenCheckout(), makeCheckout('expired')])
    it(`removes what can be paid when a checkout that was ${checkout.status} is not found twice in a row`, async () => {
      const { session, transport, clock, backend, eventTypes } = await startTestSession(checkout);
      const [shownStatus, eventsBefore] = [session.getState().status, eventTypes().length];
      let refusals = 0;
      transport.onRead = () => new CheckoutError('not_found', `${(refusals += 1)}`);
      while (refusals < 1) await clock.advance(1000);
      assert.equal(session.getState().status, shownStatus);
      await clock.advance(60_000);
      assert.deepEqual(expectStatus(session, 'lost').lastCheckout, { ...backend.snapshot(), invoice: null });
      assert.equal(refusals, 2);
      assert.deepEqual(eventTypes().slice(eventsBefore), ['error not_found']);
      transport.onRead = backend.read;
      await session.refresh();
      assert.equal(session.getState().status, shownStatus);
    });

  for (const [title, codes] of [
    ['an answer without a problem document', ['malformed']],
    ['one such answer between two others', ['not_found', 'internal']],
  ] as const)
    it(`keeps the requisites after ${title}`, async () => {
      const { session, transport, clock } = await startTestSession(makeCheckout('pending'));
      transport.onRead = (_, index) => new CheckoutError(codes[index % codes.length] ?? 'network', '');
      await clock.advance(300_000);
      assert.ok(expectStatus(session, 'waiting').connection.failures > 5);
    });

  it('stays paid when it is not found any more', async () => {
    const { session, transport } = await startTestSession(makeCheckout('paid'));
    transport.onRead = () => new CheckoutError('not_found', '');
    await session.refresh();
    await session.refresh();
    await session.refresh();
    assert.equal(session.getState().status, 'paid');
  });

  it('shows “creating” while the checkout is pending without an invoice', async () => {
    const { session, backend, clock, eventTypes } = await startTestSession(
      makeOpenCheckout({ status: 'pending', options: [], invoice: null }),
    );
    assert.deepEqual(expectStatus(session, 'creating').methodId, undefined);
    assert.equal(expectStatus(session, 'creating').inDoubt, true);
    backend.set(makeCheckout('pending'));
    await clock.advance(3000);
    assert.equal(session.getState().status, 'waiting');
    assert.deepEqual(eventTypes(), ['status', 'ready', 'created']);
  });
});

describe('subscribers', () => {
  it('are notified of each change once and in order, even if one of them causes another change', async () => {
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
    const { session, states, clock, transport } = await startTestSession(makeCheckout('pending'));
    const stateBefore = session.getState();
    states.length = 0;
    await clock.advance(110_000);
    assert.ok(transport.reads.length > 3);
    assert.equal(states.length, 0);
    assert.equal(session.getState(), stateBefore);
  });

  it('are not notified after they unsubscribed', async () => {
    const { session } = createTestSession(makeOpenCheckout());
    const notified: string[] = [];
    const unsubscribe = session.subscribe((state) => notified.push(state.status));
    const unsubscribeFromEvents = session.onEvent((event) => notified.push(event.type));
    unsubscribe();
    unsubscribeFromEvents();
    session.start();
    await settle();
    assert.deepEqual(notified, []);
  });
});

describe('a running session', () => {
  it('selects a newly preferred method until the payer has chosen a method', async () => {
    const { session } = await startTestSession(makeOpenCheckout(), { preferred: 'card' });
    session.prefer('sbp');
    assert.equal(expectStatus(session, 'choosing').selected, 'pm_sbp');
    session.select('pm_card');
    session.prefer('pm_sbp');
    assert.equal(expectStatus(session, 'choosing').selected, 'pm_card');
  });

  it('shows a checkout that hydrates it instead of the read under way, with an uncertain deadline', async () => {
    const { session, transport, clock } = createTestSession(makeOpenCheckout());
    let respond: (result: ReadAnswer) => void = () => undefined;
    transport.onRead = () => new Promise((resolve) => (respond = resolve));
    session.start();
    session.hydrate(makeCheckout('pending'));
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    respond({ kind: 'checkout', checkout: makeOpenCheckout(), etag: '"0"' });
    await settle();
    assert.equal(session.getState().status, 'waiting');
    await clock.advance(1000);
    assert.equal(transport.reads.length, 2);
  });

  it('resolves `refresh` when the read that is already under way has ended', async () => {
    const { session, transport, backend } = createTestSession(makeCheckout('pending'));
    const response = new Deferred<ReadAnswer>();
    transport.onRead = () => response.promise;
    session.start();
    let hasEnded = false;
    const refreshEnded = session.refresh().then(() => (hasEnded = true));
    await settle();
    assert.equal(hasEnded, false);
    response.resolve({ kind: 'checkout', checkout: backend.snapshot(), etag: undefined });
    await refreshEnded;
    assert.equal(transport.reads.length, 1);
  });
});
