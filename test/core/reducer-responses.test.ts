import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { createModel, type Model } from '../../src/core/session-model.ts';
import type { Action } from '../../src/core/session-commands.ts';
import { reduce } from '../../src/core/reducer.ts';
import { selectState } from '../../src/core/select-state.ts';
import type { Checkout } from '../../src/protocol.ts';
import { makeCheckout, makeInvoice, makeOpenCheckout } from '../support/checkout-responses.ts';

const next = (model: Model, ...actions: readonly Action[]): Model =>
  actions.reduce((before, action) => reduce(before, action).model, model);
const after = (...actions: readonly Action[]): Model => next(createModel(), ...actions);
const answer = (number: number, checkout: Checkout): Action & { type: 'loaded' } => ({
  type: 'loaded',
  number,
  checkout,
  now: 1000,
});

describe('methods that a response omits', () => {
  const known = after(answer(1, makeOpenCheckout()));
  const pending = answer(2, makeCheckout('pending'));
  for (const [title, model, expected] of [
    ['are kept while an invoice waits for payment', next(known, pending), makeOpenCheckout().options],
    ['are removed when they were requested', next(known, { ...pending, query: { options: true } }), []],
    ['are removed when no invoice waits for payment', next(known, answer(2, makeOpenCheckout({ options: [] }))), []],
    ['stay empty when none were known', after(pending), []],
  ] as const)
    it(title, () => assert.deepEqual(model.payment.checkout?.options, expected));
});

describe('a pending create request', () => {
  it('is not settled by an invoice of a checkout that is open', () => {
    const create: Action = { type: 'createInvoice', key: 'key_1' };
    const model = after(answer(1, makeOpenCheckout()), create, answer(2, makeOpenCheckout({ invoice: makeInvoice() })));
    assert.equal(selectState(model).status, 'creating');
  });
});

describe('a typed amount', () => {
  const createFor = (amount: string): readonly Action[] => [
    { type: 'setAmount', text: amount },
    { type: 'createInvoice', key: `key ${amount}` },
  ];
  const checkoutWithInvoice = (id: string, amount: string): Checkout => ({
    ...makeCheckout('pending', { id, amount }),
    amount: null,
  });
  const begun = [answer(1, makeOpenCheckout({ amount: null })), ...createFor('55.5')] as const;

  for (const [amount, shown] of [
    ['55.50', 'inv_1'],
    ['55.51', undefined],
  ] as const)
    it(`${shown === undefined ? 'hides' : 'shows'} an invoice for ${amount} that a read returns first`, () => {
      assert.equal(
        after(...begun, answer(2, checkoutWithInvoice('inv_1', amount))).payment.checkout?.invoice?.id,
        shown,
      );
    });

  it('is not compared with the invoice that is to be replaced', () => {
    const shown = answer(2, checkoutWithInvoice('inv_1', '55.50'));
    const refused: Action = { type: 'createRejected', error: new CheckoutError('try_again', '') };
    const state = selectState(
      after(...begun, shown, { type: 'dismissInvoice' }, ...createFor('60'), { ...shown, number: 3 }, refused),
    );
    assert.ok(state.status === 'choosing' && state.activeInvoice?.id === 'inv_1');
  });

  it('is kept for its invoice when the response to a later create has no invoice', () => {
    const response = { checkout: { ...checkoutWithInvoice('inv_2', '60'), invoice: null }, now: 1000, number: 3 };
    const model = after(
      ...[...begun, answer(2, checkoutWithInvoice('inv_1', '55.50')), ...createFor('60')],
      ...[{ type: 'created', ...response } as const, answer(4, checkoutWithInvoice('inv_1', '55.51'))],
    );
    assert.equal(model.payment.checkout?.invoice, null);
  });

  it('is not shown once the checkout has an amount of its own', () => {
    const typing: Action = { type: 'setAmount', text: '55' };
    const state = selectState(
      after(answer(1, makeOpenCheckout({ amount: null })), typing, answer(2, makeOpenCheckout())),
    );
    assert.ok(state.status === 'choosing' && state.typed === undefined);
  });

  it('is not compared with an invoice that another page created', () => {
    const model = after(
      ...begun,
      answer(2, checkoutWithInvoice('inv_1', '55.50')),
      answer(3, checkoutWithInvoice('inv_2', '60')),
    );
    assert.equal(model.payment.checkout?.invoice?.id, 'inv_2');
  });
});

describe('another response about the same checkout', () => {
  it('updates the return addresses of a paid checkout', () => {
    const urls = { success_url: 'https://shop.example/thanks', fail_url: null };
    const model = after(answer(1, makeCheckout('paid')), answer(2, makeCheckout('paid', {}, { return_urls: urls })));
    assert.deepEqual(model.payment.checkout?.return_urls, urls);
  });

  it('keeps a wait marked as slow', () => {
    const waiting = after(answer(1, makeCheckout('pending')), { type: 'tick', now: 200_000 });
    assert.equal(next(waiting, { ...answer(2, makeCheckout('pending')), now: 200_001 }).payment.slow, true);
  });
});

describe('an issue', () => {
  it('is recorded again for another field and for another invoice, and not for the same', () => {
    const one = { payment_url: 'http://x.example' };
    const two = { ...one, nspk_url: 'http://x.example' };
    const model = after(
      ...[one, one, two, { ...two, id: 'inv_2' }].map((flawed, index) =>
        answer(index, makeCheckout('pending', flawed)),
      ),
    );
    assert.deepEqual(
      model.emitted.issues.map(({ error }) => error.field),
      ['payment_url', 'nspk_url', 'payment_url', 'nspk_url'],
    );
  });
});
