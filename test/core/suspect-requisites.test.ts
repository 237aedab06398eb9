import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSuspectFields, hasAccountKey, isCardNumber, isRussianPhone } from '../../src/core/suspect-requisites.ts';
import { makeInvoice } from '../support/checkout-responses.ts';

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
