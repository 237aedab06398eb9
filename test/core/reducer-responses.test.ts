import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import type { Action } from '../../src/core/session-commands.ts';
import { selectState } from '../../src/core/select-public-state.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { makeCheckout, makeInvoice, makeOpenCheckout } from '../support/checkout-responses.ts';
import { applyActions, createInvoice, loaded, modelAfter } from './models.ts';

describe('methods that a response omits', () => {
  const knownModel = modelAfter(loaded(1, makeOpenCheckout()));
  const pendingResponse = loaded(2, makeCheckout('pending'));
  for (const [title, model, expected] of [
    [
      'are kept while an invoice waits for payment',
      applyActions(knownModel, pendingResponse),
      makeOpenCheckout().options,
    ],
    [
      'are removed when the read had requested them',
      applyActions(knownModel, { ...pendingResponse, query: { options: true } }),
      [],
    ],
    [
      'are removed when no invoice waits for payment',
      applyActions(knownModel, loaded(2, makeOpenCheckout({ options: [] }))),
      [],
    ],
    ['stay empty when no earlier response had any', modelAfter(pendingResponse), []],
  ] as const)
    it(title, () => assert.deepEqual(model.payment.checkout?.options, expected));
});

describe('a pending create request', () => {
  it('is not settled by an invoice of a checkout that is open', () => {
    const model = modelAfter(
      loaded(1, makeOpenCheckout()),
      createInvoice,
      loaded(2, makeOpenCheckout({ invoice: makeInvoice() })),
    );
    assert.equal(selectState(model).status, 'creating');
  });
});

describe('a typed amount', () => {
  const createFor = (amount: string): readonly Action[] => [
    { type: 'setAmount', text: amount },
    { type: 'createInvoice', key: `key ${amount}`, now: 1000 },
  ];
  const checkoutWithInvoice = (id: string, amount: string): Checkout => ({
    ...makeCheckout('pending', { id, amount }),
    amount: null,
  });
  const actionsBefore = [loaded(1, makeOpenCheckout({ amount: null })), ...createFor('55.5')] as const;

  for (const [amount, shownId] of [
    ['55.50', 'inv_1'],
    ['55.51', undefined],
  ] as const)
    it(`of 55.5 ${shownId === undefined ? 'hides' : 'shows'} an invoice for ${amount} that a read returns before the create response`, () => {
      assert.equal(
        modelAfter(...actionsBefore, loaded(2, checkoutWithInvoice('inv_1', amount))).payment.checkout?.invoice?.id,
        shownId,
      );
    });

  it('is not compared with the invoice that is to be replaced', () => {
    const responseWithInvoice = loaded(2, checkoutWithInvoice('inv_1', '55.50'));
    const rejected: Action = { type: 'createRejected', error: new CheckoutError('try_again', '') };
    const state = selectState(
      modelAfter(
        ...actionsBefore,
        responseWithInvoice,
        { type: 'dismissInvoice' },
        ...createFor('60'),
        { ...responseWithInvoice, number: 3 },
        rejected,
      ),
    );
    assert.ok(state.status === 'choosing' && state.activeInvoice?.id === 'inv_1');
  });

  it('is kept for its invoice when the response to a later create has no invoice', () => {
    const response = { checkout: { ...checkoutWithInvoice('inv_2', '60'), invoice: null }, now: 1000, number: 3 };
    const model = modelAfter(
      ...[...actionsBefore, loaded(2, checkoutWithInvoice('inv_1', '55.50')), ...createFor('60')],
      ...[{ type: 'created', ...response } as const, loaded(4, checkoutWithInvoice('inv_1', '55.51'))],
    );
    assert.equal(model.payment.checkout?.invoice, null);
  });

  it('is ignored once the checkout has its own amount', () => {
    const typing: Action = { type: 'setAmount', text: '55' };
    const state = selectState(
      modelAfter(loaded(1, makeOpenCheckout({ amount: null })), typing, loaded(2, makeOpenCheckout())),
    );
    assert.ok(state.status === 'choosing' && state.typed === undefined);
  });

  it('is not compared with an invoice that another page created', () => {
    const model = modelAfter(
      ...actionsBefore,
      loaded(2, checkoutWithInvoice('inv_1', '55.50')),
      loaded(3, checkoutWithInvoice('inv_2', '60')),
    );
    assert.equal(model.payment.checkout?.invoice?.id, 'inv_2');
  });
});

describe('a second response about the same checkout', () => {
  it('updates the return addresses of a paid checkout', () => {
    const urls = { success_url: 'https://shop.example/thanks', fail_url: null };
    const model = modelAfter(
      loaded(1, makeCheckout('paid')),
      loaded(2, makeCheckout('paid', {}, { return_urls: urls })),
    );
    assert.deepEqual(model.payment.checkout?.return_urls, urls);
  });
});

describe('an issue', () => {
  it('is recorded once for each field of each invoice', () => {
    const oneUnsafeLink = { payment_url: 'http://x.example' };
    const twoUnsafeLinks = { ...oneUnsafeLink, nspk_url: 'http://x.example' };
    const model = modelAfter(
      ...[oneUnsafeLink, oneUnsafeLink, twoUnsafeLinks, { ...twoUnsafeLinks, id: 'inv_2' }].map((invoice, index) =>
        loaded(index, makeCheckout('pending', invoice)),
      ),
    );
    assert.deepEqual(
      model.emitted.issues.map(({ error }) => error.field),
      ['payment_url', 'nspk_url', 'payment_url', 'nspk_url'],
    );
  });
});
