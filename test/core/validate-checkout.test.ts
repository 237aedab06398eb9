import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  hasAccountKey,
  isCardNumber,
  isRussianPhone,
  findSuspectFields,
  validateCheckout,
} from '../../src/core/validate-checkout.ts';
import { makeCheckout, makeInvoice, makeOpenCheckout } from '../support/checkout-responses.ts';

describe('a card number', () => {
  for (const [text, isValid] of [
    ['4111111111111111', true],
    ['4111 1111 1111 1111', true],
    ['4111-1111-1111-1111', true],
    ['2200000000000004', true],
    ['378282246310005', true],
    ['4111111111111112', false],
    ['4111111111111', false],
    ['0'.repeat(11), false],
    ['0'.repeat(20), false],
    ['2200 **** **** 0004', false],
    ['', false],
  ] as const)
    it(`${text || '""'} ${isValid ? 'is' : 'is not'} valid`, () => assert.equal(isCardNumber(text), isValid));

  it('is valid with exactly one of the ten last digits', () => {
    for (const stem of ['411111111111111', '220000000000000', '123456789012345']) {
      const results = Array.from({ length: 10 }, (_, digit) => isCardNumber(`${stem}${digit}`));
      assert.equal(results.filter(Boolean).length, 1);
    }
  });

  it('matches nothing when it or the BIK has a digit too many, in front or behind', () => {
    for (let key = 0; key < 10; key += 1) {
      const account = `40702810${key}38000060473`;
      for (const bik of ['1044525225', '0445252251']) assert.equal(hasAccountKey(bik, account), false);
      for (const long of [`1${account}`, `${account}1`]) assert.equal(hasAccountKey('044525225', long), false);
    }
  });
});

describe('an account', () => {
  for (const [bik, account, isValid] of [
    ['044525225', '40702810438000060473', true],
    ['044525225', '4070 2810 4380 0006 0473', true],
    ['044525225', '40702810438000060474', false],
    ['044525225', '40702810538000060473', false],
    ['044525974', '40702810438000060473', false],
    // Accounts at the Bank of Russia that everyone can look up: those of two banks and of the treasury.
    ['044525000', '30101810400000000225', true],
    ['044525000', '30101810145250000974', true],
    ['044525000', '40102810545370000003', true],
    ['044525225', '30101810400000000225', false],
    // No BIK of the Bank of Russia: 001 and 002 are not at its end, and 005 is another number.
    ['040012345', '40702810138000060473', true],
    ['040020345', '40702810138000060473', true],
    ['044525005', '40702810638000060473', true],
    ['04452522', '40702810438000060473', false],
    ['044525225', '4070281043800006047', false],
  ] as const)
    it(`${account} ${isValid ? 'matches' : 'does not match'} the BIK ${bik}`, () =>
      assert.equal(hasAccountKey(bik, account), isValid));

  it('matches the BIK with exactly one of the ten key digits', () => {
    for (const bik of ['044525225', '044525001', '049205603']) {
      const results = Array.from({ length: 10 }, (_, key) => hasAccountKey(bik, `40702810${key}38000060473`));
      assert.equal(results.filter(Boolean).length, 1);
    }
  });
});

describe('a phone number', () => {
  for (const [text, isValid] of [
    ['+79000000000', true],
    ['+7 (900) 000-00-00', true],
    ['79000000000', true],
    ['89000000000', true],
    ['9000000000', true],
    ['+89000000000', false],
    ['4950000000', false],
    ['+7900000000', false],
    ['+380501234567', false],
    ['+7900000000O', false],
    ['+790000000001', false],
    ['19000000000', false],
    ['90000000001', false],
  ] as const)
    it(`${text} ${isValid ? 'is' : 'is not'} a Russian phone number`, () =>
      assert.equal(isRussianPhone(text), isValid));
});

describe('requisites', () => {
  it('are reported by the names of their invalid fields', () => {
    const invalidRequisites = {
      card: { card_number: '1' },
      sbp: { phone: '1' },
      bank_transfer: { bik: '044525225', account: '40702810438000060474' },
    };
    assert.deepEqual(findSuspectFields(makeInvoice(invalidRequisites)), ['card_number', 'phone', 'account']);
    assert.deepEqual(findSuspectFields(makeInvoice({ bank_transfer: { bik: '1', account: '1' } })), ['bik']);
    assert.deepEqual(findSuspectFields(makeInvoice({ bank_transfer: { account: '1' }, card: {}, sbp: {} })), []);
  });
});

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

  it('does not reveal a requisite in the message of an issue', () => {
    const { issues } = validateCheckout(
      makeCheckout('pending', { card: { card_number: '4111111111111112' } }),
      undefined,
      page,
    );
    assert.equal(issues.length, 1);
    assert.ok(!JSON.stringify(issues.map(({ message, field }) => [message, field])).includes('4111'));
  });

  it('is not required: a checkout without an invoice is not changed', () =>
    assert.deepEqual(validateCheckout(makeOpenCheckout(), '1500.00', undefined).checkout, makeOpenCheckout()));
});
