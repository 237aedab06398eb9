import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
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

describe('asking for requisites', () => {
  const created = { kind: 'created', checkout: aCheckout('pending') } as const;

  it('shows them after one request, with one key for one ask', async () => {
    const { session, transport, clock, backend, told } = aStage(anOpenCheckout());
    transport.onCreate = () => {
      backend.set(created.checkout);
      return created;
    };
    session.start();
    await settle();
    session.select('pm_sbp');
    session.proceed();
    session.proceed();
    assert.deepEqual(expectStatus(session, 'creating').methodId, 'pm_sbp');
    await settle();
    assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_1');
    assert.deepEqual(
      transport.creates.map(({ request }) => request),
      [{ key: 'key_1', payment_method_id: 'pm_sbp' }],
    );
    assert.equal(transport.reads.length, 1);
    await clock.advance(60_000);
    assert.deepEqual(told(), ['ready', 'status', 'created', 'status']);
  });

  it('ignores a method that cannot be used, and an ask without one', async () => {
    const { session, transport } = aStage(anOpenCheckout({ amount: '5.00' }));
    session.start();
    await settle();
    session.select('pm_transfer');
    session.select('pm_card');
    session.select('nothing');
    assert.equal(expectStatus(session, 'choosing').selected, undefined);
    session.proceed();
    assert.equal(transport.creates.length, 0);
  });

  for (const code of ['network', 'timeout', 'malformed', 'internal'] as const)
    it(`repeats it with the same key when it ended with ${code}`, async () => {
      const { session, transport, clock, backend, told } = aStage(anOpenCheckout());
      transport.onCreate = (_, index) => {
        if (index < 2) return new CheckoutError(code, '');
        backend.set(created.checkout);
        return created;
      };
      session.start();
      await settle();
      session.proceed();
      await settle();
      assert.equal(expectStatus(session, 'creating').unknown, true);
      await clock.advance(10_000);
      assert.equal(session.getState().status, 'waiting');
      assert.deepEqual(
        transport.creates.map(({ request }) => request.key),
        ['key_1', 'key_1', 'key_1'],
      );
      assert.deepEqual(told(), ['ready', 'status', `error ${code}`, 'created', 'status']);
    });

  it('asks again after Retry-After while the answer is not known, without end', async () => {
    const { session, transport, clock, backend } = aStage(anOpenCheckout());
    const unknown = anOpenCheckout({ status: 'pending', options: [] });
    transport.onCreate = (_, index) => {
      if (index < 50) return { kind: 'unknown', checkout: unknown, retryAfterMs: 7000 };
      backend.set(created.checkout);
      return created;
    };
    session.start();
    await settle();
    session.proceed();
    await clock.advance(6999);
    assert.equal(transport.creates.length, 1);
    assert.equal(expectStatus(session, 'creating').unknown, true);
    await clock.advance(1);
    assert.equal(transport.creates.length, 2);
    await clock.advance(1_500_000);
    assert.equal(session.getState().status, 'waiting');
    assert.equal(new Set(transport.creates.map(({ request }) => request.key)).size, 1);
  });

  for (const code of [
    'method_unavailable',
    'amount_out_of_limits',
    'amount_required',
    'invalid_request',
    'idempotency_mismatch',
    'rate_limited',
    'try_again',
    'not_found',
  ] as const)
    it(`goes back to the methods when it was refused with ${code}`, async () => {
      const { session, transport, clock, told } = aStage(anOpenCheckout());
      transport.onCreate = () => new CheckoutError(code, '');
      session.start();
      await settle();
      session.select('pm_sbp');
      session.proceed();
      await clock.advance(60_000);
      const state = expectStatus(session, 'choosing');
      assert.equal(state.refusal?.code, code);
      assert.equal(state.selected, 'pm_sbp');
      assert.equal(transport.creates.length, 1);
      assert.deepEqual(told(), ['ready', 'status', `error ${code}`]);
      session.proceed();
      assert.equal(transport.creates.at(-1)?.request.key, 'key_2');
    });

  for (const code of ['try_again', 'rate_limited'] as const)
    it(`does not take ${code} for a refusal once an attempt is in doubt`, async () => {
      const { session, transport, clock } = aStage(anOpenCheckout());
      transport.onCreate = (_, index) => new CheckoutError(index === 0 ? 'network' : code, '');
      session.start();
      await settle();
      session.proceed();
      await clock.advance(60_000);
      assert.equal(expectStatus(session, 'creating').unknown, true);
      assert.equal(new Set(transport.creates.map(({ request }) => request.key)).size, 1);
      assert.ok(transport.creates.length > 2);
    });

  it('shows what is there after invoice_pending, and can replace it', async () => {
    const { session, transport, backend } = aStage(anOpenCheckout());
    session.start();
    await settle();
    backend.set(aCheckout('pending', { payment_method_id: 'pm_sbp' }));
    transport.onCreate = () => new CheckoutError('invoice_pending', '');
    session.proceed();
    await settle();
    assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_1');
    session.leave();
    session.select('pm_card');
    transport.onCreate = () => ({ kind: 'created', checkout: aCheckout('pending', { id: 'inv_2' }) });
    session.proceed();
    assert.deepEqual(transport.creates.at(-1)?.request, {
      key: 'key_2',
      payment_method_id: 'pm_card',
      replace: true,
    });
    await settle();
    assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_2');
  });

  it('is paid after already_paid', async () => {
    const { session, transport, backend } = aStage(anOpenCheckout());
    session.start();
    await settle();
    backend.set(aCheckout('paid'));
    transport.onCreate = () => new CheckoutError('already_paid', '');
    session.proceed();
    await settle();
    assert.equal(session.getState().status, 'paid');
  });

  it('is over when a read shows the invoice first', async () => {
    const { session, transport, backend, clock, told } = aStage(anOpenCheckout());
    const slow = new Deferred<typeof created>();
    transport.onCreate = () => slow.promise;
    session.start();
    await settle();
    session.proceed();
    backend.set(created.checkout);
    await clock.advance(3000);
    assert.equal(session.getState().status, 'waiting');
    assert.equal(transport.creating, 0);
    slow.resolve(created);
    await clock.advance(60_000);
    assert.equal(told().filter((type) => type === 'created').length, 1);
  });

  it('drops a read that began before it was answered', async () => {
    const { session, transport, backend, clock } = aStage(anOpenCheckout());
    session.start();
    await settle();
    const slow = new Deferred<Awaited<ReturnType<typeof backend.read>>>();
    transport.onRead = () => slow.promise;
    await clock.advance(15_000);
    assert.equal(transport.reads.length, 2);
    transport.onCreate = () => created;
    session.proceed();
    await settle();
    slow.resolve({ kind: 'checkout', checkout: anOpenCheckout(), etag: '"old"' });
    await settle();
    assert.equal(session.getState().status, 'waiting');
  });
});

describe('leaving the requisites', () => {
  it('keeps the payer on the methods, with the warning, and follows the invoice', async () => {
    const { session, transport, backend, clock, told } = aStage(aCheckout('pending'));
    transport.onRead = async (request) => {
      const answer = await backend.read(request);
      return answer.kind === 'checkout' && request.options === true
        ? { ...answer, checkout: { ...answer.checkout, options: anOpenCheckout().options } }
        : answer;
    };
    session.start();
    await settle();
    session.leave();
    assert.equal(expectStatus(session, 'choosing').refreshing, true);
    await clock.advance(0);
    const state = expectStatus(session, 'choosing');
    assert.equal(transport.reads.at(-1)?.request.options, true);
    assert.equal(state.leaving?.id, 'inv_1');
    assert.equal(state.selected, 'pm_card');
    assert.equal(state.refreshing, false);
    await clock.advance(60_000);
    assert.equal(session.getState().status, 'choosing');
    session.resume();
    assert.equal(session.getState().status, 'waiting');
    session.leave();
    backend.set(aCheckout('paid'));
    await clock.advance(1000);
    assert.equal(session.getState().status, 'paid');
    assert.deepEqual(told(), ['ready', 'status', 'status', 'paid']);
  });

  for (const status of ['failed', 'expired'] as const)
    it(`takes the warning away once the invoice is ${status}`, async () => {
      const { session, backend, clock } = aStage(aCheckout('pending'));
      session.start();
      await settle();
      session.leave();
      backend.set(aCheckout(status, {}, { options: anOpenCheckout().options }));
      await clock.advance(1000);
      assert.equal(expectStatus(session, 'choosing').leaving, undefined);
    });

  it('goes back to the same invoice when the same method is chosen again', async () => {
    const { session, transport } = aStage(aCheckout('pending', {}, { options: anOpenCheckout().options }));
    session.start();
    await settle();
    session.leave();
    session.select('pm_sbp');
    session.proceed();
    assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_1');
    assert.equal(transport.creates.length, 0);
  });
});

describe('outcomes', () => {
  for (const status of ['failed', 'expired'] as const) {
    it(`lets the payer begin anew after ${status}, and look once more`, async () => {
      const { session, transport, backend, told } = aStage(aCheckout('pending'));
      session.start();
      await settle();
      backend.set(aCheckout(status, {}, { options: anOpenCheckout().options }));
      await session.refresh();
      assert.equal(expectStatus(session, status).asking, false);
      const answer = new Deferred<Awaited<ReturnType<typeof backend.read>>>();
      transport.onRead = () => answer.promise;
      const asked = session.refresh();
      assert.equal(expectStatus(session, status).asking, true);
      answer.reject(new CheckoutError('network', ''));
      await asked;
      assert.equal(expectStatus(session, status).asking, false);
      session.retry();
      const state = expectStatus(session, 'choosing');
      assert.equal(state.leaving, undefined);
      transport.onCreate = () => ({ kind: 'created', checkout: aCheckout('pending', { id: 'inv_2' }) });
      session.proceed();
      await settle();
      assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_2');
      assert.deepEqual(transport.creates[0]?.request.replace, undefined);
      assert.deepEqual(
        told().filter((type) => !type.startsWith('error')),
        ['ready', 'status', 'status', status, 'created', 'status'],
      );
    });

    it(`becomes paid after ${status} when the payment comes late`, async () => {
      const { session, backend, clock, told } = aStage(aCheckout(status));
      session.start();
      await clock.advance(120_000);
      backend.set(aCheckout('paid'));
      await clock.advance(120_000);
      assert.equal(session.getState().status, 'paid');
      assert.deepEqual(told(), ['ready', 'status', status, 'status', 'paid']);
    });
  }

  it('is paid once for ever, whatever the backend says later', async () => {
    const { session, backend, told } = aStage(aCheckout('paid'));
    session.start();
    await settle();
    for (const status of ['pending', 'failed', 'expired', 'paid'] as const) {
      backend.set(aCheckout(status));
      await session.refresh();
      assert.equal(session.getState().status, 'paid');
    }
    assert.deepEqual(told(), ['ready', 'status', 'paid']);
  });
});

describe('typed amounts', () => {
  const typed = anOpenCheckout({ amount: null, amount_limits: { min_amount: '10', max_amount: '60000' } });

  it('ask for their options once the payer rests, and are asked for exactly', async () => {
    const { session, transport, clock } = aStage(typed);
    session.start();
    await settle();
    session.proceed();
    assert.equal(transport.creates.length, 0);
    for (const text of ['5', '55', '55,', '55,5']) {
      session.type(text);
      await clock.advance(100);
    }
    const state = expectStatus(session, 'choosing');
    assert.equal(state.typed, '55,5');
    assert.equal(state.amount, '55.5');
    assert.equal(state.refreshing, true);
    assert.equal(state.selected, 'pm_sbp');
    await clock.advance(350);
    assert.deepEqual(
      transport.reads.map(({ request }) => request.amount),
      [undefined, '55.5'],
    );
    assert.equal(expectStatus(session, 'choosing').refreshing, false);
    transport.onCreate = () => ({
      kind: 'created',
      checkout: { ...aCheckout('pending', { amount: '55.50' }), amount: null },
    });
    session.proceed();
    await settle();
    assert.equal(transport.creates[0]?.request.amount, '55.5');
    assert.equal(expectStatus(session, 'waiting').invoice.amount, '55.50');
  });

  it('are never shown to be paid with another amount', async () => {
    const { session, transport, backend, clock, told } = aStage(typed);
    session.start();
    await settle();
    session.type('55.5');
    const wrong = { ...typed, status: 'pending', invoice: anInvoice({ amount: '55.51' }) } as const;
    transport.onCreate = () => {
      backend.set(wrong);
      return { kind: 'created', checkout: wrong };
    };
    session.proceed();
    await clock.advance(120_000);
    const state = expectStatus(session, 'choosing');
    assert.equal(state.refusal?.code, 'amount_mismatch');
    assert.equal(state.checkout.invoice, null);
    assert.deepEqual(told(), ['ready', 'status', 'status', 'error amount_mismatch']);
    session.proceed();
    assert.equal(transport.creates.at(-1)?.request.replace, true);
  });
});

describe('answers that do not fit', () => {
  it('keeps an invoice over another amount from the screen until it fits', async () => {
    const { session, backend, clock, told } = aStage(aCheckout('pending', { amount: '1500.01' }));
    session.start();
    await settle();
    assert.equal(expectStatus(session, 'choosing').refusal?.code, 'amount_mismatch');
    assert.equal(expectStatus(session, 'choosing').leaving, undefined);
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
    assert.equal(expectStatus(session, 'creating').unknown, true);
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
      if (state.status === 'choosing') session.proceed();
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
    session.proceed();
    await settle();
    const created = events.find((event) => event.type === 'created');
    assert.equal(created?.invoice.id, anInvoice().id);
  });
});
