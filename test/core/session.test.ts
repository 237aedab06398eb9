import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type ReadAnswer } from '../../src/core.ts';
import { aCheckout, anInvoice, anOpenCheckout } from '../support/checkouts.ts';
import { settle } from '../support/fake-clock.ts';
import { Deferred } from '../support/fake-transport.ts';
import { aStage, expectStatus } from '../support/stage.ts';

describe('first picture', () => {
  it('takes one request before the options', async () => {
    const { session, transport, clock, told } = aStage(anOpenCheckout());
    assert.equal(session.getState().status, 'loading');
    session.start();
    await settle();
    const state = expectStatus(session, 'choosing');
    assert.equal(state.selected, 'pm_card');
    assert.equal(state.amount, '1500.00');
    await clock.advance(5000);
    assert.equal(transport.reads.length, 1);
    assert.deepEqual(told(), ['ready', 'status']);
  });

  it('takes none with `initial`, and tells no time from it', async () => {
    const initial = aCheckout('pending');
    const { session, transport, clock, told } = aStage(initial, { initial });
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    assert.deepEqual(told(), []);
    session.start();
    assert.deepEqual(told(), ['ready', 'status']);
    await clock.advance(1999);
    assert.equal(transport.reads.length, 0);
    await clock.advance(1);
    assert.equal(transport.reads.length, 1);
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
  });

  it('is never asked for again when `initial` is paid', async () => {
    const initial = aCheckout('paid');
    const { session, transport, clock, attention, told } = aStage(initial, { initial });
    session.start();
    attention.wake();
    await clock.advance(3_600_000);
    session.stop();
    assert.equal(transport.reads.length, 0);
    assert.deepEqual(told(), ['ready', 'status', 'paid']);
  });

  it('is a lost checkout when the backend knows none, until a refresh finds it', async () => {
    const { session, transport, clock, backend, told } = aStage(anOpenCheckout());
    transport.onRead = () => new CheckoutError('not_found', '');
    session.start();
    await clock.advance(3_600_000);
    assert.equal(session.getState().status, 'lost');
    assert.equal(transport.reads.length, 1);
    assert.deepEqual(told(), ['error not_found']);
    transport.onRead = backend.read;
    await session.refresh();
    assert.equal(session.getState().status, 'choosing');
  });

  it('marks the preferred method, by id or type in any case, else the first that can be used', async () => {
    for (const [preferred, expected] of [
      ['PM_SBP', 'pm_sbp'],
      ['sbp', 'pm_sbp'],
      ['bank_transfer', 'pm_card'],
      ['', 'pm_card'],
    ]) {
      const { session } = aStage(anOpenCheckout(), { preferred });
      session.start();
      await settle();
      assert.equal(expectStatus(session, 'choosing').selected, expected);
      session.stop();
    }
    const cheap = aStage(anOpenCheckout({ amount: '99.99' }));
    cheap.session.start();
    await settle();
    assert.equal(expectStatus(cheap.session, 'choosing').selected, 'pm_sbp');
  });
});

describe('answers that do not fit', () => {
  it('keeps an invoice over another amount from the screen until it fits', async () => {
    const { session, backend, clock, told } = aStage(aCheckout('pending', { amount: '1500.01' }));
    session.start();
    await settle();
    assert.equal(expectStatus(session, 'choosing').refusal?.code, 'amount_mismatch');
    assert.equal(expectStatus(session, 'choosing').activeInvoice, undefined);
    backend.set(aCheckout('pending', { amount: '1500.0' }));
    await clock.advance(3000);
    assert.equal(session.getState().status, 'waiting');
    assert.deepEqual(told(), ['status', 'error amount_mismatch', 'ready', 'created']);
    backend.set(aCheckout('paid', { amount: '1500.01' }));
    await clock.advance(3000);
    assert.equal(expectStatus(session, 'paid').invoice, undefined);
  });

  it('tells of suspect requisites and unsafe links once, and shows what can be shown', async () => {
    const { session, backend, clock, told } = aStage(
      aCheckout('pending', { card: { card_number: '4111111111111112' }, payment_url: 'javascript:alert(1)' }),
    );
    session.start();
    await clock.advance(2000);
    backend.set(aCheckout('pending', { card: { card_number: '4111111111111112' }, payment_url: 'http://x.example' }));
    await clock.advance(60_000);
    const { invoice } = expectStatus(session, 'waiting');
    assert.equal(invoice.card?.card_number, '4111111111111112');
    assert.equal(invoice.payment_url, undefined);
    assert.deepEqual(told(), ['ready', 'status', 'error unsafe_link', 'error requisites_suspect']);
  });

  it('keeps the requisites when the backend forgets the checkout', async () => {
    const { session, transport, clock, told } = aStage(aCheckout('pending'));
    session.start();
    await settle();
    transport.onRead = () => new CheckoutError('not_found', '');
    await clock.advance(60_000);
    const state = expectStatus(session, 'waiting');
    assert.equal(state.connection.error?.code, 'not_found');
    assert.ok(state.connection.failures > 1);
    assert.deepEqual(told(), ['ready', 'status', 'error not_found']);
  });

  it('waits for an invoice that the backend does not know yet', async () => {
    const { session, backend, clock, told } = aStage(anOpenCheckout({ status: 'pending', options: [], invoice: null }));
    session.start();
    await settle();
    assert.deepEqual(expectStatus(session, 'creating').methodId, undefined);
    assert.equal(expectStatus(session, 'creating').inDoubt, true);
    backend.set(aCheckout('pending'));
    await clock.advance(3000);
    assert.equal(session.getState().status, 'waiting');
    assert.deepEqual(told(), ['status', 'ready', 'created']);
  });
});

describe('subscribers', () => {
  it('hear of each change in order and once, also when one of them makes another', async () => {
    const { session, states } = aStage(anOpenCheckout());
    const heard: string[] = [];
    session.subscribe((state) => {
      heard.push(state.status);
      if (state.status === 'choosing') session.createInvoice();
    });
    session.subscribe((state) => heard.push(state.status));
    session.start();
    await settle();
    assert.deepEqual(heard.slice(0, 4), ['choosing', 'choosing', 'creating', 'creating']);
    assert.equal(states[0]?.status, 'choosing');
  });

  it('hear nothing of an answer that changes nothing', async () => {
    const { session, states, clock, transport } = aStage(aCheckout('pending'));
    session.start();
    await settle();
    const before = session.getState();
    states.length = 0;
    await clock.advance(110_000);
    assert.ok(transport.reads.length > 3);
    assert.equal(states.length, 0);
    assert.equal(session.getState(), before);
  });

  it('hear nothing after they unsubscribed', async () => {
    const { session } = aStage(anOpenCheckout());
    const heard: string[] = [];
    const off = session.subscribe((state) => heard.push(state.status));
    const offEvent = session.onEvent((event) => heard.push(event.type));
    off();
    offEvent();
    session.start();
    await settle();
    assert.deepEqual(heard, []);
  });

  it('know the invoice from the event', async () => {
    const { session, events, transport } = aStage(anOpenCheckout());
    transport.onCreate = () => ({ kind: 'created', checkout: aCheckout('pending') });
    session.start();
    await settle();
    session.createInvoice();
    await settle();
    const created = events.find((event) => event.type === 'created');
    assert.equal(created?.invoice.id, anInvoice().id);
  });
});

describe('what the page says while it runs', () => {
  it('marks the method that is preferred now, until the payer has chosen', async () => {
    const { session } = aStage(anOpenCheckout(), { preferred: 'card' });
    session.start();
    await settle();
    session.prefer('sbp');
    assert.equal(expectStatus(session, 'choosing').selected, 'pm_sbp');
    session.select('pm_card');
    session.prefer('pm_sbp');
    assert.equal(expectStatus(session, 'choosing').selected, 'pm_card');
  });

  it('shows a picture that is offered, drops the read that was under way, and tells no time from it', async () => {
    const { session, transport, clock } = aStage(anOpenCheckout());
    let answer: (checkout: ReadAnswer) => void = () => undefined;
    transport.onRead = () => new Promise((resolve) => (answer = resolve));
    session.start();
    session.hydrate(aCheckout('pending'));
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    answer({ kind: 'checkout', checkout: anOpenCheckout(), etag: '"0"' });
    await settle();
    assert.equal(session.getState().status, 'waiting');
    await clock.advance(1000);
    assert.equal(transport.reads.length, 2);
  });

  it('lets a look that joins a read end with it', async () => {
    const { session, transport, backend } = aStage(aCheckout('pending'));
    const answer = new Deferred<ReadAnswer>();
    transport.onRead = () => answer.promise;
    session.start();
    let ended = false;
    const asked = session.refresh().then(() => (ended = true));
    await settle();
    assert.equal(ended, false);
    answer.resolve({ kind: 'checkout', checkout: backend.picture(), etag: undefined });
    await asked;
    assert.equal(transport.reads.length, 1);
  });

  it('stays paid whatever is offered', async () => {
    const { session, transport, clock, told } = aStage(aCheckout('paid'));
    session.start();
    await settle();
    session.hydrate(aCheckout('pending'));
    await clock.advance(60_000);
    assert.equal(session.getState().status, 'paid');
    assert.equal(transport.reads.length, 1);
    assert.deepEqual(told(), ['ready', 'status', 'paid']);
  });
});
