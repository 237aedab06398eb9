import type { CheckoutInvoice } from '../checkout-api.ts';

const withoutSeparators = (text: string): string => text.replace(/[\s-]/g, '');

/** Whether a text is a card number: 12 to 19 digits with a valid check digit (Luhn), spaces and dashes between them. */
export function isCardNumber(text: string): boolean {
  const digits = withoutSeparators(text);
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
 * Whether the check key of a Russian account is valid for its bank. The digits of the bank and the account have the weights
 * 7, 1, 3 in turn; the last digits of the products have a sum divisible by 10. The bank's digits are the last three of its
 * BIK. For the Bank of Russia, whose BIK ends with 000, 001 or 002, they are "0" and the digits 5 and 6 of the BIK.
 */
export function hasAccountKey(bik: string, account: string): boolean {
  const accountDigits = withoutSeparators(account);
  if (!/^\d{9}$/.test(bik) || !/^\d{20}$/.test(accountDigits)) return false;
  const bankDigits = /00[0-2]$/.test(bik) ? `0${bik.slice(4, 6)}` : bik.slice(6);
  const sum = Array.from(bankDigits + accountDigits).reduce(
    (total, digit, index) => total + ((Number(digit) * Number('713'.charAt(index % 3))) % 10),
    0,
  );
  return sum % 10 === 0;
}

/** Whether a text has the form of a Russian phone number: +7, 7 or 8 and ten digits, or only ten digits that begin with 9. */
export function isRussianPhone(text: string): boolean {
  return /^(?:(?:\+?7|8)\d{10}|9\d{9})$/.test(text.replace(/[\s()-]/g, ''));
}

/**
 * The names of the requisites with wrong check digits or a wrong form; never their values.
 * @example
 * ```ts
 * import { findSuspectFields, type DecodedCheckout } from 'pay-invoice/core';
 *
 * const warn = ({ checkout: { invoice } }: DecodedCheckout): void => {
 *   if (invoice !== null) console.warn('look at', findSuspectFields(invoice)); // such as ['card_number']
 * };
 * ```
 */
export function findSuspectFields({ card, sbp, bank_transfer: transfer }: CheckoutInvoice): string[] {
  const fields: string[] = [];
  if (card?.card_number && !isCardNumber(card.card_number)) fields.push('card_number');
  if (sbp?.phone && !isRussianPhone(sbp.phone)) fields.push('phone');
  const { bik, account } = transfer ?? {};
  if (bik && !/^\d{9}$/.test(bik)) fields.push('bik');
  else if (bik && account && !hasAccountKey(bik, account)) fields.push('account');
  return fields;
}
