import type { CheckoutInvoice } from '../protocol.ts';

// Requisites read back before they are shown: check digits catch what a hand or a service got wrong.

const plain = (text: string): string => text.replace(/[\s-]/g, '');

/** Whether the check digit of a card number fits (Luhn); 12 to 19 digits, spaces and dashes between them. */
export function isCardNumber(text: string): boolean {
  const digits = plain(text);
  if (!/^\d{12,19}$/.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/**
 * Whether the key of a Russian account fits its bank's BIK: the last three digits of the BIK (at the Bank of Russia,
 * whose BIK ends with 000 to 002, "0" and its digits 5-6) and the account, weights 7-1-3, sum 0 mod 10.
 */
export function isAccountOf(bik: string, account: string): boolean {
  const digits = plain(account);
  if (!/^\d{9}$/.test(bik) || !/^\d{20}$/.test(digits)) return false;
  const bank = /00[0-2]$/.test(bik) ? `0${bik.slice(4, 6)}` : bik.slice(6);
  const sum = Array.from(bank + digits).reduce(
    (total, digit, index) => total + ((Number(digit) * Number('713'.charAt(index % 3))) % 10),
    0,
  );
  return sum % 10 === 0;
}

/** Whether a text has the form of a Russian phone number: +7, 7 or 8 and ten digits, or a mobile's ten alone. */
export function isRussianPhone(text: string): boolean {
  return /^(?:(?:\+?7|8)\d{10}|9\d{9})$/.test(text.replace(/[\s()-]/g, ''));
}

/** The requisites of an invoice whose check digits or form do not fit, by name; never their values. */
export function suspectFields({ card, sbp, bank_transfer: transfer }: CheckoutInvoice): string[] {
  const fields: string[] = [];
  if (card?.card_number && !isCardNumber(card.card_number)) fields.push('card_number');
  if (sbp?.phone && !isRussianPhone(sbp.phone)) fields.push('phone');
  const { bik, account } = transfer ?? {};
  if (bik && !/^\d{9}$/.test(bik)) fields.push('bik');
  else if (bik && account && !isAccountOf(bik, account)) fields.push('account');
  return fields;
}
