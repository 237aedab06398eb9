import type { Checkout, CheckoutInvoice } from '../../checkout-api.ts';
import type { Translator } from '../../i18n.ts';

/** A value that the payer enters in the app of a bank, in groups that are easy to read. */
interface RequisiteRow {
  readonly label: string;
  readonly groups: readonly string[];
  readonly hint?: string | undefined;
}

/** The requisites of one kind, with their heading. */
export interface RequisiteList {
  readonly heading: string;
  readonly rows: readonly RequisiteRow[];
}

const phonePattern = /^(\+7)(\d{3})(\d{3})(\d\d)(\d\d)$/;
const accountPattern = /^(\d{5})(\d{3})(\d)(\d{4})(\d{7})$/;

function groupsOf(value: string): readonly string[] {
  const compact = value.replace(/[\s()-]/g, '');
  if (!/^\+?\d+$/.test(compact)) return [value.trim()];
  const parts = phonePattern.exec(compact) ?? accountPattern.exec(compact);
  return parts?.slice(1) ?? (compact.length >= 12 ? (compact.match(/.{1,4}/g) ?? []) : [compact]);
}

/** The requisites of an invoice: the kind that the payer chose comes first. The amount is the last row of each list. */
export function requisiteLists(
  invoice: CheckoutInvoice,
  { currency }: Pick<Checkout, 'currency'>,
  t: Translator,
): readonly RequisiteList[] {
  const { sbp, card, bank_transfer: transfer, bank, method } = invoice;
  const amount: RequisiteRow = { label: t.m('header.amount'), groups: [t.money(invoice.amount, currency).text] };
  const row = (label: string, value: string | undefined, hint?: string): readonly RequisiteRow[] =>
    value?.trim() ? [{ label, groups: groupsOf(value), hint }] : [];
  const bankRow = (hint?: string) => row(t.m('requisite.bank'), bank?.name ?? bank?.code, hint);
  const recipient = (name: string | undefined, hint?: string) => row(t.m('requisite.recipient'), name, hint);
  const [bankHint, nameHint] = [t.m('requisite.bank-hint'), t.m('requisite.recipient-hint')];
  const lists = [
    {
      type: 'SBP',
      key: sbp?.phone,
      heading: t.m('waiting.phone-number'),
      rows: [
        ...row(t.m('requisite.phone'), sbp?.phone),
        ...bankRow(bankHint),
        ...recipient(sbp?.holder_name, nameHint),
        ...row(t.m('requisite.account'), sbp?.account),
      ],
    },
    {
      type: 'CARD',
      key: card?.card_number,
      heading: t.m('waiting.card'),
      rows: [
        ...row(t.m('requisite.card'), card?.card_number),
        ...bankRow(bankHint),
        ...recipient(card?.holder_name, nameHint),
        ...row(t.m('requisite.account'), card?.account),
      ],
    },
    {
      type: 'BANK_TRANSFER',
      key: transfer?.account,
      heading: t.m('waiting.account'),
      rows: [
        ...bankRow(),
        ...recipient(transfer?.holder_name),
        ...row(t.m('requisite.bik'), transfer?.bik),
        ...row(t.m('requisite.account'), transfer?.account),
      ],
    },
  ];
  return lists
    .filter(({ key }) => key)
    .sort((one, other) => Number(other.type === method?.type) - Number(one.type === method?.type))
    .map(({ heading, rows }) => ({ heading, rows: [...rows, amount] }));
}
