import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { emptyModel, type Model } from '../../src/core/model.ts';
import { reduce, type Action } from '../../src/core/reducer.ts';
import { selectState } from '../../src/core/select-state.ts';
import type { Checkout } from '../../src/protocol.ts';
import { makeCheckout, makeInvoice, makeOpenCheckout } from '../support/checkouts.ts';

const after = (...actions: readonly Action[]): Model => actions.reduce(reduce, emptyModel);
const answer = (number: number, checkout: Checkout): Action & { type: 'answer' } => ({
  type: 'answer',
  number,
  checkout,
  now: 1000,
});

describe('methods that an answer leaves out', () => {
  const known = after(answer(1, makeOpenCheckout()));
  const pending = answer(2, makeCheckout('pending'));
  for (const [title, model, expected] of [
    ['are still there while an invoice waits', reduce(known, pending), makeOpenCheckout().options],
    ['are none where they were asked for', reduce(known, { ...pending, query: { options: true } }), []],
    ['are none while no invoice waits', reduce(known, answer(2, makeOpenCheckout({ options: [] }))), []],
    ['are none where none were known', after(pending), []],
  ] as const)
    it(title, () => assert.deepEqual(model.checkout?.options, expected));
});

describe('an ask', () => {
  it('is not settled by an invoice of a checkout that is open', () => {
    const asked: Action = { type: 'asked', request: { key: 'key_1', payment_method_id: 'pm_card' } };
    const model = after(answer(1, makeOpenCheckout()), asked, answer(2, makeOpenCheckout({ invoice: makeInvoice() })));
    assert.equal(selectState(model).status, 'creating');
  });
});

describe('a typed amount', () => {
  const typed = (amount: string): Action => ({
    type: 'asked',
    request: { key: `key ${amount}`, payment_method_id: 'pm_sbp', amount },
  });
  const over = (id: string, amount: string): Checkout => ({ ...makeCheckout('pending', { id, amount }), amount: null });
  const begun = [answer(1, makeOpenCheckout({ amount: null })), typed('55.5')] as const;

  for (const [amount, shown] of [
    ['55.50', 'inv_1'],
    ['55.51', undefined],
  ] as const)
    it(`${shown === undefined ? 'keeps' : 'lets'} an invoice over ${amount}, which a read brings first, ${shown === undefined ? 'from' : 'onto'} the screen`, () => {
      assert.equal(after(...begun, answer(2, over('inv_1', amount))).checkout?.invoice?.id, shown);
    });

  it('is not held against the invoice that is to be replaced', () => {
    const shown = answer(2, over('inv_1', '55.50'));
    const refused: Action = { type: 'refused', error: new CheckoutError('try_again', '') };
    const state = selectState(after(...begun, shown, { type: 'leave' }, typed('60'), { ...shown, number: 3 }, refused));
    assert.ok(state.status === 'choosing' && state.activeInvoice?.id === 'inv_1');
  });

  it('is kept for its invoice when a later ask is answered without one', () => {
    const came = { checkout: { ...over('inv_2', '60'), invoice: null }, now: 1000, number: 3 };
    const model = after(
      ...[...begun, answer(2, over('inv_1', '55.50')), typed('60')],
      ...[{ type: 'created', came } as const, answer(4, over('inv_1', '55.51'))],
    );
    assert.equal(model.checkout?.invoice, null);
  });

  it('is not shown once the checkout has its own', () => {
    const typing: Action = { type: 'type', text: '55' };
    const state = selectState(
      after(answer(1, makeOpenCheckout({ amount: null })), typing, answer(2, makeOpenCheckout())),
    );
    assert.ok(state.status === 'choosing' && state.typed === undefined);
  });

  it('is not held against an invoice that another page asked for', () => {
    const model = after(...begun, answer(2, over('inv_1', '55.50')), answer(3, over('inv_2', '60')));
    assert.equal(model.checkout?.invoice?.id, 'inv_2');
  });
});

describe('an answer about the same', () => {
  it('says more of what is paid', () => {
    const urls = { success_url: 'https://shop.example/thanks', fail_url: null };
    const model = after(answer(1, makeCheckout('paid')), answer(2, makeCheckout('paid', {}, { return_urls: urls })));
    assert.deepEqual(model.checkout?.return_urls, urls);
  });

  it('leaves a long wait long', () => {
    const waiting = after(answer(1, makeCheckout('pending')), { type: 'tick', now: 200_000 });
    assert.equal(reduce(waiting, { ...answer(2, makeCheckout('pending')), now: 200_001 }).long, true);
  });
});

describe('a flaw', () => {
  it('is told again of another field and of another invoice, and not of the same', () => {
    const one = { payment_url: 'http://x.example' };
    const two = { ...one, nspk_url: 'http://x.example' };
    const model = after(
      ...[one, one, two, { ...two, id: 'inv_2' }].map((flawed, index) =>
        answer(index, makeCheckout('pending', flawed)),
      ),
    );
    assert.deepEqual(
      model.findings.map(({ error }) => error.field),
      ['payment_url', 'nspk_url', 'payment_url', 'nspk_url'],
    );
  });
});
