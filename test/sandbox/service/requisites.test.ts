import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { banksFor, paymentOptions } from '../../../src/sandbox/service/payment-options.ts';
import { checksum, linkCode, nspkLink } from '../../../src/sandbox/invoices/nspk-link.ts';
import { requisitesFor, type Requisites } from '../../../src/sandbox/service/requisites.ts';

const ids = Array.from({ length: 200 }, (_, index) => `inv_${index}`);
const biks = new Map(paymentOptions.flatMap((option) => banksFor(option, '5000')).map(({ code, bik }) => [code, bik]));

function all(type: 'SBP' | 'CARD' | 'BANK_TRANSFER'): readonly Requisites[] {
  const option = paymentOptions.find((candidate) => candidate.type === type);
  assert.ok(option);
  return ids.map((id) => requisitesFor(id, 'TEST', option, banksFor(option, '5000')));
}

/** The Luhn check of card numbers, written differently from the generator. */
function isLuhn(number: string): boolean {
  const digits = Array.from(number, Number).reverse();
  const sum = digits.reduce((total, digit, index) => {
    const weighed = index % 2 === 1 ? digit * 2 : digit;
    return total + Math.floor(weighed / 10) + (weighed % 10);
  }, 0);
  return sum % 10 === 0;
}

/** The check of the Bank of Russia (No. 515 of 1997): weights 7-1-3 over the last three digits of the BIK and the account. */
function hasKey(bik: string, account: string): boolean {
  const weights = '71371371371371371371371';
  const digits = `${bik.slice(6)}${account}`;
  const sum = Array.from(digits, (digit, index) => (Number(digit) * Number(weights[index])) % 10);
  return digits.length === 23 && sum.reduce((a, b) => a + b, 0) % 10 === 0;
}

describe('requisites', () => {
  it('the checks of this test accept known examples, and reject wrong values', () => {
    assert.ok(isLuhn('4111111111111111') && !isLuhn('4111111111111112'));
    assert.ok(hasKey('049805746', '40602810700000000025') && !hasKey('049805746', '40602810800000000025'));
  });

  it('card numbers are sixteen digits of a test range and pass Luhn', () => {
    for (const { card } of all('CARD')) {
      assert.match(card?.card_number ?? '', /^22000000\d{8}$/);
      assert.ok(isLuhn(card?.card_number ?? ''), card?.card_number);
    }
  });

  for (const type of ['SBP', 'CARD', 'BANK_TRANSFER'] as const)
    it(`accounts of ${type} pass the check with the bank's BIK`, () => {
      for (const { sbp, card, bank_transfer, bank } of all(type)) {
        const account = (sbp ?? card ?? bank_transfer)?.account ?? '';
        assert.match(account, /^40817810\d{12}$/);
        assert.ok(hasKey(biks.get(bank.code) ?? '', account), account);
        if (bank_transfer !== undefined) assert.equal(bank_transfer.bik, biks.get(bank.code));
      }
    });

  it('phones have the form +7XXXXXXXXXX with a code that is not in use', () => {
    for (const { sbp } of all('SBP')) assert.match(sbp?.phone ?? '', /^\+7000000\d{4}$/);
  });

  it('banks have a UUID v4 and differ between invoices, and the same invoice gets the same requisites', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const { bank } of all('SBP')) assert.match(bank.id, uuid);
    assert.ok(new Set(all('SBP').map(({ bank }) => bank.code)).size > 1);
    assert.deepEqual(all('CARD'), all('CARD'));
  });

  it('banks that are not available are never chosen', () => {
    assert.ok(all('SBP').every(({ bank }) => bank.code !== 'vtb'));
    assert.ok(all('CARD').every(({ bank }) => bank.code !== 'sovcombank'));
  });

  it('the codes of links differ, and their checksum is CRC-16/CCITT-FALSE of the text before it', () => {
    assert.equal(new Set(ids.map(linkCode)).size, ids.length);
    assert.equal(checksum('123456789'), '29B1');
    const [, link, crc] =
      /^http:\/\/x\/qr\/(AD1\?type=02&bank=\d+&sum=1500&cur=RUB)&crc=(\w+)$/.exec(nspkLink('http://x', 'AD1', '15')) ??
      [];
    assert.equal(crc, checksum(link ?? ''));
  });
});
