import { smallestUnitOf } from '../../base/smallest-unit.ts';
import type { ChoosingState } from '../../core.ts';
import type { Checkout, CheckoutInvoice } from '../../checkout-api.ts';
import type { MomentStyle, Translator } from '../../i18n.ts';
import type { Copyable } from './screen-props.ts';

// What the screens of the second file say, without templates: the pay page without script says the same.

/** The reasons that have a text of their own. */
const refusals = [
  'method_unavailable',
  'amount_out_of_limits',
  'amount_required',
  'amount_mismatch',
  'already_paid',
  'checkout_closed',
  'rate_limited',
] as const;

/** Why the create request was refused, in the payer's language. He may have paid an earlier invoice. */
export const refusalText = (code: string, { checkout }: Pick<ChoosingState, 'checkout'>, t: Translator): string =>
  (code === 'too_precise' && stepText(checkout, t)) ||
  t.m(`refused.${refusals.find((one) => one === code) ?? (checkout.invoice ? 'again' : 'other')}`);

/** That an amount has more digits after the point than its currency; empty without a currency. */
const stepText = ({ currency }: Checkout, { m, brief }: Translator): string =>
  currency ? m('amount.step', { step: brief(smallestUnitOf(currency), currency) }) : '';

/** Why the typed amount cannot be paid; empty where it can. */
export function amountErrorText(state: Pick<ChoosingState, 'checkout' | 'amount' | 'fault'>, t: Translator): string {
  const { checkout, fault, amount } = state;
  const { min_amount: least, max_amount: largest } = checkout.amount_limits ?? {};
  if (checkout.amount !== null || amount !== undefined) return '';
  const smallestUnit = smallestUnitOf(checkout.currency ?? '');
  if (fault === 'too_small') return t.m('amount.too-small', { min: t.brief(least ?? smallestUnit, checkout.currency) });
  if (fault === 'too_large' && largest) return t.m('amount.too-large', { max: t.brief(largest, checkout.currency) });
  if (fault === 'too_precise' && checkout.currency) return stepText(checkout, t);
  if (fault) return t.m('amount.form', { example: t.plainAmount(smallestUnit.replace(/^./, '1500')) });
  return t.m('amount.enter', { limits: limitsText(state, t) }).trim();
}

/** The limits of the amount in words, without the currency of the first where the currency comes last. */
export function limitsText({ checkout }: Pick<ChoosingState, 'checkout'>, { m, brief }: Translator): string {
  const { min_amount: least, max_amount: largest } = checkout.amount_limits ?? {};
  const [min = '', max = ''] = [least, largest].map((limit) => (limit ? brief(limit, checkout.currency) : ''));
  if (min && max) return m('amount.range', { min: min.replace(/\s\D{1,20}$/, ''), max });
  return min ? m('amount.min', { min }) : max && m('amount.max', { max });
}

/** A value with its label. */
export interface LabelledValue extends Copyable {
  /** The displayed value, split into groups that are easy to read. */
  readonly groups: readonly string[];
  /** An instruction below the value. */
  readonly hint?: string | undefined;
  /** Whether the payer enters the value elsewhere. The whole row then copies it. */
  readonly isCopied: boolean;
  /** Whether a mistake in the value would send the money to somebody else. Such values are displayed larger. */
  readonly prominent?: boolean;
}

/** The heading of each kind, and its name where there are several. */
export const kindTexts = {
  phone: ['waiting.phone-number', 'transfer.by-phone'],
  card: ['waiting.card', 'transfer.by-card'],
  account: ['waiting.account', 'transfer.by-account'],
} as const;

/** The requisites of one kind: everything that the payer enters in the bank's app. */
export interface RequisiteList {
  readonly kind: keyof typeof kindTexts;
  readonly rows: readonly LabelledValue[];
}

/** The fields of all kinds of requisites. */
type RequisiteValues = Partial<
  Readonly<Record<'phone' | 'card_number' | 'holder_name' | 'bik' | 'account', string | undefined>>
>;

/** How to split a number of a certain form into groups. */
const numberForms: readonly (readonly [field: string, form: RegExp, groups: RegExp])[] = [
  ['phone', /^\+7\d{10}$/, /^(..)(...)(...)(..)(..)$/],
  ['account', /^\d{20}$/, /^(.{5})(...)(.)(....)(.{7})$/],
];

/** The values by which a bank finds the recipient. */
const prominentFields = /^(?:phone|card_number|bank|account)$/;

function groupsOf(field: string, text: string): readonly string[] {
  if (field === 'card_number') return text.match(/.{1,4}/g) ?? [];
  const numberForm = numberForms.find(([name, pattern]) => name === field && pattern.test(text));
  return numberForm?.[2].exec(text)?.slice(1) ?? [text];
}

/** Removes spaces, dashes and brackets between the digits of a number; other text is only trimmed. */
function withoutSeparators(text: string): string {
  const compactText = text.replace(/[\s()-]/g, '');
  return /^\+?\d+$/.test(compactText) ? compactText : text.trim();
}

/** The types of payment methods that have their own kind of requisites. */
const methodTypes: readonly string[] = ['SBP', 'CARD', 'BANK_TRANSFER'];

const bankOf = ({ bank }: CheckoutInvoice): string | undefined => bank?.name ?? bank?.code;

/**
 * The requisites of an invoice: a list for each kind. The values have the order in which a bank's app requests them, with the
 * amount last. Each list is complete, so that a payer does not combine the recipients of two kinds.
 */
export function requisitesOf(
  invoice: CheckoutInvoice,
  { currency }: Checkout,
  t: Translator,
): readonly RequisiteList[] {
  const { sbp, card, bank_transfer: transfer } = invoice;
  const { m } = t;
  const groups = [t.money(invoice.amount, currency).text];
  const text = t.plainAmount(invoice.amount);
  const amount = { field: 'amount', label: m('header.amount'), text, groups, isCopied: true };
  const kinds: readonly (RequisiteValues | undefined)[] = [sbp, card, transfer]; // in the order of `methodTypes`
  const lists = kinds.map((values): RequisiteList => {
    const rows: LabelledValue[] = [];
    const add = (field: string, label: string, value = '', isCopied = true, hint = ''): void => {
      const text = withoutSeparators(value);
      const prominent = prominentFields.test(field);
      if (text !== '') rows.push({ field, label, text, groups: groupsOf(field, text), hint, isCopied, prominent });
    };
    const kind = values?.phone ? 'phone' : values?.card_number ? 'card' : 'account';
    if (!values) return { kind, rows };
    // The bank and the name of a phone number's or a card's owner are chosen and compared; everything else is entered.
    const isTransfer = values === transfer;
    add('phone', m('requisite.phone'), values.phone);
    add('card_number', m('requisite.card'), values.card_number);
    add('bank', m('requisite.bank'), bankOf(invoice), false, isTransfer ? '' : m('requisite.bank-hint'));
    add(
      'holder_name',
      m('requisite.recipient'),
      values.holder_name,
      isTransfer,
      isTransfer ? '' : m('requisite.recipient-hint'),
    );
    add('bik', m('requisite.bik'), values.bik);
    add('account', m('requisite.account'), values.account);
    rows.push(amount);
    return { kind, rows };
  });
  // The kind that the payer chose comes first.
  lists.unshift(...lists.splice(Math.max(0, methodTypes.indexOf(invoice.method?.type ?? '')), 1));
  return lists.filter(({ rows }) => rows.length > 1); // an amount alone is no requisite
}

/** A deadline within this time, in ms, is written without its date. */
const undatedMs = 12 * 60 * 60 * 1000;

/** How to send the money: the amount and the deadline, each changed by `mark`. */
export function transferRule(
  { amount, expires_at: end, expires_in_ms: leftMs }: CheckoutInvoice,
  { currency }: Checkout,
  { m, brief, moment }: Pick<Translator, 'm' | 'brief' | 'moment'>,
  mark = (value: string): string => value,
  style: MomentStyle = (leftMs ?? Infinity) > undatedMs ? 'day' : 'time',
): string {
  const time = end && moment(end, style);
  const values = { amount: mark(brief(amount, currency)), time: time ? mark(time) : '' };
  return m(values.time ? 'transfer.rule-until' : 'transfer.rule', values);
}
