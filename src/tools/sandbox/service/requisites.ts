import { hash } from 'node:crypto';
import type { Mode } from '../../../service-api.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Bank, PaymentOption } from './payment-options.ts';

/** The account that receives the payment (invoice-service.md §2.1). The method's type decides which member is present. */
export interface Requisites extends Pick<Invoice, 'sbp' | 'card' | 'bank_transfer'> {
  readonly bank: NonNullable<Invoice['bank']>;
}

/** Names and number ranges that nobody uses. Those of TEST differ from those of LIVE (invoice-service.md §4.1, rule 1). */
const unusedRanges = {
  TEST: { holder: 'Тестовый Получатель Т.', bin: '22000000', phone: '+7000000', branch: '0000' },
  LIVE: { holder: 'Песочный Получатель П.', bin: '22000009', phone: '+7000999', branch: '9999' },
} as const satisfies Record<Mode, unknown>;

/**
 * Derives the requisites of an invoice from its identifier. They pass the usual checks (Luhn, and the check digit of the account
 * with the bank's BIK). They belong to nobody: the phone code 000 and the BIKs are not in use.
 */
export function requisitesFor(
  invoiceId: string,
  mode: Mode,
  option: PaymentOption,
  banks: readonly Bank[],
): Requisites {
  const { holder: holder_name, bin, phone, branch } = unusedRanges[mode];
  const chosenBank = banks[Number(deriveDigits(`bank ${invoiceId}`, 6)) % banks.length];
  if (chosenBank === undefined) throw new RangeError(`no bank for ${option.id}`);
  const { id, code, name, bik } = chosenBank;
  const account = insertCheckDigit('40817810', `${branch}${deriveDigits(`account ${invoiceId}`, 7)}`, bik);
  const bank = { id, code, name };
  switch (option.type) {
    case 'SBP':
      return { sbp: { holder_name, phone: `${phone}${deriveDigits(`phone ${invoiceId}`, 4)}`, account }, bank };
    case 'CARD':
      return {
        card: { holder_name, card_number: appendLuhnDigit(`${bin}${deriveDigits(`card ${invoiceId}`, 7)}`), account },
        bank,
      };
    case 'BANK_TRANSFER':
      return { bank_transfer: { holder_name, bik, account }, bank };
  }
}

/** Derives decimal digits from a seed. */
function deriveDigits(seed: string, count: number): string {
  const number = BigInt(`0x${hash('sha256', seed, 'hex')}`);
  return String(number % 10n ** BigInt(count)).padStart(count, '0');
}

/** Appends the Luhn check digit to a card number. */
function appendLuhnDigit(body: string): string {
  const sum = Array.from(body, (char, index) => Number(char) * ((body.length - index) % 2 === 1 ? 2 : 1)).reduce(
    (total, value) => total + (value > 9 ? value - 9 : value),
    0,
  );
  return `${body}${(10 - (sum % 10)) % 10}`;
}

/** Inserts the ninth digit of a 20-digit account: a check digit with weights 7-1-3 over the BIK's last three digits and the account. */
function insertCheckDigit(accountHead: string, accountTail: string, bik: string): string {
  const sum = Array.from(
    `${bik.slice(-3)}${accountHead}0${accountTail}`,
    (char, index) => Number(char) * ([7, 1, 3][index % 3] ?? 0),
  ).reduce((total, product) => total + (product % 10), 0);
  // The check digit has index 11 and so the weight 3. Multiplying by 7 undoes it, because 3 × 7 = 21.
  return `${accountHead}${((10 - (sum % 10)) * 7) % 10}${accountTail}`;
}
