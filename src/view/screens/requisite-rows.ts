import type { Translator } from '../../i18n.ts';
import type { Checkout, CheckoutInvoice } from '../../protocol.ts';
import type { Copyable } from './screen-props.ts';

/** A value that the payer has to give to the bank. */
export interface Requisite extends Copyable {
  readonly label: string;
  /** The value in the groups in which it is read; together they are the value. */
  readonly groups: readonly string[];
}

/** The fields of all kinds of requisites. */
type Values = Partial<
  Readonly<Record<'phone' | 'card_number' | 'holder_name' | 'bik' | 'account', string | undefined>>
>;

/** The groups in which a number of a known form is displayed. */
const forms: readonly (readonly [field: string, form: RegExp, groups: RegExp])[] = [
  ['phone', /^\+7\d{10}$/, /^(..)(...)(...)(..)(..)$/],
  ['account', /^\d{20}$/, /^(.{5})(...)(.)(....)(.{7})$/],
];

function groupsOf(field: string, text: string): readonly string[] {
  if (field === 'card_number') return text.match(/.{1,4}/g) ?? [];
  const form = forms.find(([name, whole]) => name === field && whole.test(text));
  return form?.[2].exec(text)?.slice(1) ?? [text];
}

/** Removes spaces, dashes and brackets between the digits of a number; other text is only trimmed. */
function withoutSeparators(text: string): string {
  const bare = text.replace(/[\s()-]/g, '');
  return /^\+?\d+$/.test(bare) ? bare : text.trim();
}

/**
 * The requisites of an invoice: a list for each kind, in the order in which a bank's app asks for them, the amount last.
 * Each list is complete, so that a payer does not combine the recipients of two kinds.
 */
export function requisitesOf(invoice: CheckoutInvoice, { currency }: Checkout, t: Translator): readonly Requisite[][] {
  const { sbp, card, bank_transfer: transfer, bank } = invoice;
  const { m } = t;
  const groups = [t.money(invoice.amount, currency).text];
  const amount = { field: 'amount', label: m.sum, text: t.plainAmount(invoice.amount), groups };
  const kinds: readonly (Values | undefined)[] = [sbp, card, transfer];
  const lists = kinds.map((values) => {
    const list: Requisite[] = [];
    const add = (field: string, label: string, value = ''): void => {
      const text = withoutSeparators(value);
      if (text !== '') list.push({ field, label, text, groups: groupsOf(field, text) });
    };
    if (!values) return list;
    add('phone', m.phone, values.phone);
    add('card_number', m.card, values.card_number);
    add('bank', m.bank, bank?.name ?? bank?.code);
    add('holder_name', m.holder, values.holder_name);
    add('bik', m.bik, values.bik);
    add('account', m.account, values.account);
    list.push(amount);
    return list;
  });
  return lists.filter(({ length }) => length > 1); // an amount alone is no requisite
}

/** A list as text lines, to paste into a message. */
export function asMessage(list: readonly Requisite[]): string {
  return list.map(({ label, text }) => `${label}: ${text}`).join('\n');
}
