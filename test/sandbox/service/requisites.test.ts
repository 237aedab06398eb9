import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { banksFor, paymentOptions } from '../../../src/tools/sandbox/service/payment-options.ts';
import { checksum, linkCode, nspkLink } from '../../../src/tools/sandbox/invoices/nspk-link.ts';
import { requisitesFor, type Requisites } from '../../../src/tools/sandbox/service/requisites.ts';

const ids = Array.from({ length: 200 }, (_, index) => `inv_${index}`);
const biks = new Map(paymentOptions.flatMap((option) => banksFor(option, '5000')).map(({ code, bik }) => [code, bik]));

function createAll(type: 'SBP' | 'CARD' | 'BANK_TRANSFER'): readonly Requisites[] {
  const option = paymentOptions.find((candidate) => candidate.type === type);
  assert.ok(option);
  return ids.map((id) => requisitesFor(id, 'TEST', option, banksFor(option, '5000')));
}

/** The Luhn check of card numbers, written differently from the generator. */
function isLuhn(number: string): boolean {
  const digits = Array.from(number, Number).reverse();
  const sum = digits.reduce((total, digit, index) => {
    const weightedDigit = index % 2 === 1 ? digit * 2 : digit;
    return total + Math.floor(weightedDigit / 10) + (weightedDigit % 10);
  }, 0);
  return sum % 10 === 0;
}

/** The check of the Bank of Russia (No. 515 of 1997): weights 7-1-3 over the last three digits of the BIK and the account. */
function hasValidCheckDigit(bik: string, account: string): boolean {
  const weights = '71371371371371371371371';
  const digits = `${bik.slice(6)}${account}`;
  const sum = Array.from(digits, (digit, index) => (Number(digit) * Number(weights[index])) % 10);
  return digits.length === 23 && sum.reduce((a, b) => a + b, 0) % 10 === 0;
}

describe('the requisites of the sandbox', () => {
  it('have card numbers of sixteen digits from a test range that pass the Luhn check', () => {
    for (const { card } of createAll('CARD')) {
      assert.match(card?.card_number ?? '', /^22000000\d{8}$/);
      assert.ok(isLuhn(card?.card_number ?? ''), card?.card_number);
    }
  });

  for (const type of ['SBP', 'CARD', 'BANK_TRANSFER'] as const)
    it(`have accounts for ${type} with a valid check digit for the bank's BIK`, () => {
      for (const { sbp, card, bank_transfer, bank } of createAll(type)) {
        const account = (sbp ?? card ?? bank_transfer)?.account ?? '';
        assert.match(account, /^40817810\d{12}$/);
        assert.ok(hasValidCheckDigit(biks.get(bank.code) ?? '', account), account);
        if (bank_transfer !== undefined) assert.equal(bank_transfer.bik, biks.get(bank.code));
      }
    });

  it('have phone numbers +7XXXXXXXXXX with an area code that is not in use', () => {
    for (const { sbp } of createAll('SBP')) assert.match(sbp?.phone ?? '', /^\+7000000\d{4}$/);
  });

  it('have banks with a UUID v4, differ between invoices, and are the same for the same invoice', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const { bank } of createAll('SBP')) assert.match(bank.id, uuid);
    assert.ok(new Set(createAll('SBP').map(({ bank }) => bank.code)).size > 1);
    assert.deepEqual(createAll('CARD'), createAll('CARD'));
  });

  it('never have an unavailable bank', () => {
    assert.ok(createAll('SBP').every(({ bank }) => bank.code !== 'vtb'));
    assert.ok(createAll('CARD').every(({ bank }) => bank.code !== 'sovcombank'));
  });

  it('have links with different codes, and a checksum that is the CRC-16/CCITT-FALSE of the text before it', () => {
    assert.equal(new Set(ids.map(linkCode)).size, ids.length);
    assert.equal(checksum('123456789'), '29B1');
    const [, link, crc] =
      /^http:\/\/x\/qr\/(AD1\?type=02&bank=\d+&sum=1500&cur=RUB)&crc=(\w+)$/.exec(nspkLink('http://x', 'AD1', '15')) ??
      [];
    assert.equal(crc, checksum(link ?? ''));
  });
});
