import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { orderTexts } from '../../demo/payment-view.ts';

describe('the heading of an order in the demo shop', () => {
  for (const checkout of ['open', 'pending', 'failed', 'expired', 'closed'] as const)
    it(`does not thank for an order that is not paid (the checkout is ${checkout})`, () => {
      assert.notEqual(orderTexts('new', checkout).title, 'orderThanks');
    });

  it('does not ask for a payment while a person at the shop has to check one', () => {
    assert.deepEqual(orderTexts('new', 'pending', true), { title: 'orderUnpaid', note: 'orderKept' });
  });

  it('is followed by a note that the shop still has to confirm a payment that only the checkout shows', () => {
    assert.deepEqual(orderTexts('new', 'paid'), { title: 'orderThanks', note: 'orderConfirming' });
  });

  for (const checkout of ['open', 'failed', 'closed', 'paid'] as const)
    it(`thanks for an order that is paid at the shop’s server, even if the checkout is ${checkout}`, () => {
      assert.deepEqual(orderTexts('paid', checkout), { title: 'orderThanks', note: 'orderPaid' });
    });
});
