import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckoutInvoice } from '../../src/checkout-api.ts';
import { validateCheckout } from '../../src/core/validate-checkout.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';

describe('an invoice in a response', () => {
  const page = 'https://shop.example/pay';
  const nspk = (query: string): string => `https://qr.nspk.ru/AD1?type=02${query}`;

  for (const [amount, nspk_url, field] of [
    ['1500.00', nspk('&sum=150000'), undefined],
    ['1500', nspk('&sum=150000'), undefined],
    ['1500.00', nspk(''), undefined],
    ['1500.00', undefined, undefined],
    ['1500.00', nspk('&sum=150001'), 'nspk_url'],
    ['1500.00', nspk('&sum=1500'), 'nspk_url'],
    ['1500.00', nspk('&sum='), 'nspk_url'],
    ['1500.00', nspk('&sum=1500.00'), 'nspk_url'],
    ['1500.00', nspk('&sum=-150000'), 'nspk_url'],
    ['1500.01', nspk('&sum=150000'), 'amount'],
    ['1500.001', undefined, 'amount'],
    ['15000.0', undefined, 'amount'],
  ] as const)
    it(`over ${amount} with ${nspk_url ?? 'no link'} ${field ? 'is not shown' : 'is shown'} where 1500.00 is due`, () => {
      const { checkout, hiddenBecause } = validateCheckout(
        makeCheckout('pending', { amount, nspk_url }),
        '1500.00',
        page,
      );
      assert.equal(hiddenBecause?.field, field);
      assert.equal(checkout.invoice === null, field !== undefined);
    });

  it('is shown when its amount of 0.05 equals the sum of 5 kopecks in its link', () => {
    const checkout = makeCheckout('pending', { amount: '0.05', nspk_url: nspk('&sum=5') });
    assert.equal(validateCheckout(checkout, '0.05', page).hiddenBecause, undefined);
  });

  it('keeps its safe links when another link is unsafe', () => {
    const urls = { success_url: '/thanks', fail_url: 'javascript:alert(1)' };
    const { checkout, issues } = validateCheckout(
      makeCheckout('pending', { payment_url: 'http://x.example', nspk_url: nspk('') }, { return_urls: urls }),
      undefined,
      page,
    );
    assert.equal(checkout.invoice?.payment_url, undefined);
    assert.equal(checkout.invoice?.nspk_url, nspk(''));
    assert.deepEqual(checkout.return_urls, { success_url: '/thanks', fail_url: null });
    assert.deepEqual(
      issues.map(({ code, field }) => [code, field]),
      [
        ['unsafe_link', 'payment_url'],
        ['unsafe_link', 'fail_url'],
      ],
    );
  });

  it('has an issue for each unsafe link', () => {
    const unsafe = 'javascript:alert(1)';
    const urls = { success_url: unsafe, fail_url: unsafe };
    const checkout = makeCheckout('pending', { payment_url: unsafe, nspk_url: unsafe }, { return_urls: urls });
    assert.deepEqual(
      validateCheckout(checkout, undefined, page).issues.map(({ field }) => field),
      ['payment_url', 'nspk_url', 'success_url', 'fail_url'],
    );
  });

  it('has only the issue of its amount when the amount is wrong, whatever else is wrong', () => {
    const checkout = makeCheckout('pending', { card: { card_number: '1' }, payment_url: 'javascript:alert(1)' });
    assert.deepEqual(
      validateCheckout(checkout, '1', page).issues.map(({ code, field }) => [code, field]),
      [['amount_mismatch', 'amount']],
    );
  });

  it('is not required: a checkout without an invoice is not changed', () =>
    assert.deepEqual(validateCheckout(makeOpenCheckout(), '1500.00', undefined).checkout, makeOpenCheckout()));

  it('is shown with each of the requisites that can be transferred to, and hidden without', () => {
    const isShown = (invoice: Partial<CheckoutInvoice>): boolean =>
      validateCheckout(makeCheckout('pending', { sbp: undefined, ...invoice }), undefined, undefined).checkout
        .invoice !== null;
    const ways: readonly Partial<CheckoutInvoice>[] = [
      { sbp: { phone: '+79001234567' } },
      { sbp: { account: '40817810500000000001' } },
      { card: { card_number: '2200000000000004' } },
      { card: { account: '40817810500000000001' } },
      { bank_transfer: { account: '40817810500000000001' } },
    ];
    assert.deepEqual(ways.map(isShown), [true, true, true, true, true]);
    const others: readonly Partial<CheckoutInvoice>[] = [{}, { sbp: { holder_name: 'A' } }, { card: { account: ' ' } }];
    assert.deepEqual(others.map(isShown), [false, false, false]);
  });
});
