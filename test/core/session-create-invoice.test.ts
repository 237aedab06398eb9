import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { makeCheckout, makeInvoice, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { Deferred } from '../support/fake-transport.ts';
import { createTestSession, startTestSession, expectStatus } from '../support/test-session.ts';

describe('a create request', () => {
  const createdResult = { kind: 'created', checkout: makeCheckout('pending') } as const;

  it('is sent once, even if createInvoice is called twice, and shows the requisites', async () => {
    const { session, transport, clock, backend, eventTypes } = await startTestSession(makeOpenCheckout());
    transport.onCreate = () => {
      backend.set(createdResult.checkout);
      return createdResult;
    };
    session.select('pm_sbp');
    session.createInvoice();
    session.createInvoice();
    assert.deepEqual(expectStatus(session, 'creating').methodId, 'pm_sbp');
    await settle();
    assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_1');
    assert.deepEqual(
      transport.creates.map(({ request }) => request),
      [{ key: 'key_1', payment_method_id: 'pm_sbp' }],
    );
    assert.equal(transport.reads.length, 1);
    await clock.advance(60_000);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'created', 'status']);
  });

  it('has no read beside it until an interval has passed', async () => {
    const { session, transport, clock } = await startTestSession(makeOpenCheckout());
    transport.onCreate = () => new Promise(() => undefined);
    await clock.advance(5000);
    session.createInvoice();
    await clock.advance(1999);
    assert.equal(transport.reads.length, 1);
    await clock.advance(1);
    assert.equal(transport.reads.length, 2);
  });

  it('is not sent while no method can be used for the amount', async () => {
    const { session, transport } = await startTestSession(makeOpenCheckout({ amount: '5.00' }));
    session.select('pm_transfer');
    session.select('pm_card');
    session.select('nothing');
    assert.equal(expectStatus(session, 'choosing').selected, undefined);
    session.createInvoice();
    assert.equal(transport.creates.length, 0);
  });

  for (const code of ['network', 'timeout', 'malformed', 'internal'] as const)
    it(`is repeated with the same key when it ended with ${code}`, async () => {
      const { session, transport, clock, backend, eventTypes } = await startTestSession(makeOpenCheckout());
      transport.onCreate = (_, index) => {
        if (index < 2) return new CheckoutError(code, '');
        backend.set(createdResult.checkout);
        return createdResult;
      };
      session.createInvoice();
      await settle();
      assert.equal(expectStatus(session, 'creating').inDoubt, true);
      await clock.advance(10_000);
      assert.equal(session.getState().status, 'waiting');
      assert.deepEqual(
        transport.creates.map(({ request }) => request.key),
        ['key_1', 'key_1', 'key_1'],
      );
      assert.deepEqual(eventTypes(), ['ready', 'status', `error ${code}`, 'created', 'status']);
    });

  it('is repeated after each Retry-After, fifty times, until its result is known', async () => {
    const { session, transport, clock, backend } = createTestSession(makeOpenCheckout());
    const checkoutInDoubt = makeOpenCheckout({ status: 'pending', options: [] });
    transport.onCreate = (_, index) => {
      if (index < 50) return { kind: 'unknown', checkout: checkoutInDoubt, retryAfterMs: 7000 };
      backend.set(createdResult.checkout);
      return createdResult;
    };
    session.start();
    await settle();
    session.createInvoice();
    await clock.advance(8749); // a Retry-After, and a part of half of it
    assert.equal(transport.creates.length, 1);
    assert.equal(expectStatus(session, 'creating').inDoubt, true);
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
    it(`shows the methods again when it is rejected with ${code}`, async () => {
      const { session, transport, clock, eventTypes } = await startTestSession(makeOpenCheckout());
      transport.onCreate = () => new CheckoutError(code, '');
      session.select('pm_sbp');
      session.createInvoice();
      await clock.advance(60_000);
      const { refusal, selected } = expectStatus(session, 'choosing');
      assert.deepEqual([refusal?.code, selected], [code, /method|limits/.test(code) ? undefined : 'pm_sbp']);
      assert.equal(transport.creates.length, 1);
      assert.deepEqual(eventTypes(), ['ready', 'status', `error ${code}`]);
      session.select('pm_sbp');
      session.createInvoice();
      assert.equal(transport.creates.at(-1)?.request.key, 'key_2');
    });

  for (const typedMs of [1000, 100])
    it(`reads once when it is rejected ${typedMs} ms after an amount was typed`, async () => {
      const { session, transport, clock } = await startTestSession(makeOpenCheckout({ amount: null }));
      session.setAmount('500');
      await clock.advance(typedMs);
      const readCount = transport.reads.length;
      transport.onCreate = () => new CheckoutError('try_again', '');
      session.createInvoice();
      await clock.advance(900);
      expectStatus(session, 'choosing');
      assert.deepEqual(
        transport.reads.slice(readCount).map(({ request }) => request.amount),
        ['500'],
      );
    });

  it('shows the existing invoice when it is rejected with invoice_pending; the next create request replaces that invoice', async () => {
    const { session, transport, backend } = await startTestSession(makeOpenCheckout());
    backend.set(makeCheckout('pending', { payment_method_id: 'pm_sbp' }));
    transport.onCreate = () => new CheckoutError('invoice_pending', '');
    session.createInvoice();
    await settle();
    assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_1');
    session.dismissInvoice();
    session.select('pm_card');
    transport.onCreate = () => ({ kind: 'created', checkout: makeCheckout('pending', { id: 'inv_2' }) });
    session.createInvoice();
    assert.deepEqual(transport.creates.at(-1)?.request, {
      key: 'key_2',
      payment_method_id: 'pm_card',
      replace: true,
    });
    await settle();
    assert.equal(expectStatus(session, 'waiting').invoice.id, 'inv_2');
  });

  it('ends when a read returns its invoice before its own response arrives', async () => {
    const { session, transport, backend, clock, eventTypes } = createTestSession(makeOpenCheckout());
    const slowResponse = new Deferred<typeof createdResult>();
    transport.onCreate = () => slowResponse.promise;
    session.start();
    await settle();
    session.createInvoice();
    backend.set(createdResult.checkout);
    await clock.advance(3000);
    assert.equal(session.getState().status, 'waiting');
    assert.equal(transport.creating, 0);
    slowResponse.resolve(createdResult);
    await clock.advance(60_000);
    assert.equal(eventTypes().filter((type) => type === 'created').length, 1);
  });

  it('ends when its response is a paid checkout', async () => {
    const { session, transport, clock } = await startTestSession(makeOpenCheckout());
    transport.onCreate = () => ({ kind: 'unknown', checkout: makeCheckout('paid'), retryAfterMs: undefined });
    session.createInvoice();
    await clock.advance(600_000);
    assert.equal(session.getState().status, 'paid');
    assert.equal(transport.creates.length, 1);
    assert.equal(clock.pending, 0);
  });

  it('aborts the read that is under way when its response arrives, and polling continues', async () => {
    const { session, transport, clock, backend } = await startTestSession(makeOpenCheckout());
    transport.onRead = () => new Promise(() => undefined);
    await clock.advance(15_000);
    transport.onCreate = () => createdResult;
    session.createInvoice();
    await settle();
    assert.equal(transport.reads[1]?.signal.aborted, true);
    transport.onRead = backend.read;
    await clock.advance(1999);
    assert.equal(transport.reads.length, 2);
    await clock.advance(1);
    assert.equal(transport.reads.length, 3);
  });
});

describe('a typed amount', () => {
  const checkoutWithoutAmount = makeOpenCheckout({
    amount: null,
    amount_limits: { min_amount: '10', max_amount: '60000' },
  });

  it('has its options requested 350 ms after the last key, and is sent without rounding', async () => {
    const { session, transport, clock } = await startTestSession(checkoutWithoutAmount);
    session.createInvoice();
    assert.equal(transport.creates.length, 0);
    for (const text of ['5', '55', '55,', '55,5']) {
      session.setAmount(text);
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
      checkout: { ...makeCheckout('pending', { amount: '55.50' }), amount: null },
    });
    session.createInvoice();
    await settle();
    assert.equal(transport.creates[0]?.request.amount, '55.5');
    assert.equal(expectStatus(session, 'waiting').invoice.amount, '55.50');
  });

  it('has no fault while only a space is typed', async () => {
    const { session } = await startTestSession(checkoutWithoutAmount);
    session.setAmount(' ');
    assert.equal(expectStatus(session, 'choosing').fault, undefined);
  });

  it('hides an invoice whose amount differs from it by a kopeck', async () => {
    const { session, transport, backend, clock, eventTypes } = await startTestSession(checkoutWithoutAmount);
    session.setAmount('55.5');
    const wrongCheckout = {
      ...checkoutWithoutAmount,
      status: 'pending',
      invoice: makeInvoice({ amount: '55.51' }),
    } as const;
    transport.onCreate = () => {
      backend.set(wrongCheckout);
      return { kind: 'created', checkout: wrongCheckout };
    };
    session.createInvoice();
    await clock.advance(120_000);
    const state = expectStatus(session, 'choosing');
    assert.equal(state.refusal?.code, 'amount_mismatch');
    assert.equal(state.checkout.invoice, null);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'status', 'error amount_mismatch']);
    session.createInvoice();
    assert.equal(transport.creates.at(-1)?.request.replace, true);
  });
});
