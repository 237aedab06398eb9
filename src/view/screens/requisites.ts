import { html, nothing, type TemplateResult } from 'lit';
import type { WaitingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import type { Checkout, CheckoutInvoice } from '../../checkout-api.ts';
import { copyableRow, copyNote, copyOnClick, type LabelledValue } from './labelled-value.ts';
import { checkButton, checkNote } from './outcome-screen.ts';
import type { Handlers, PaymentScreenProps } from './screen-props.ts';
import { button, errorNote, note } from './shared-templates.ts';
import type { WaitingAdditions } from './waiting-screen.ts';

/** The requisites of one kind: everything that the payer enters in the bank's app. */
interface RequisiteList {
  /** The key of the kind's name in the messages. */
  readonly kind: 'byPhone' | 'byCard' | 'byAccount';
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

/** A bank's name is cut to this length in a sentence. */
const maxNameLength = 60;

/**
 * The requisites of an invoice: a list for each kind. The values have the order in which a bank's app requests them, with the
 * amount last. Each list is complete, so that a payer does not combine the recipients of two kinds.
 */
function requisitesOf(invoice: CheckoutInvoice, { currency }: Checkout, t: Translator): readonly RequisiteList[] {
  const { sbp, card, bank_transfer: transfer } = invoice;
  const { m } = t;
  const groups = [t.money(invoice.amount, currency).text];
  const amount = { field: 'amount', label: m.sum, text: t.plainAmount(invoice.amount), groups };
  const kinds: readonly (RequisiteValues | undefined)[] = [sbp, card, transfer]; // in the order of `methodTypes`
  const lists = kinds.map((values): RequisiteList => {
    const rows: LabelledValue[] = [];
    const add = (field: string, label: string, value = '', hint?: string): void => {
      const text = withoutSeparators(value);
      if (text !== '')
        rows.push({ field, label, text, groups: groupsOf(field, text), hint, prominent: prominentFields.test(field) });
    };
    const kind = values?.phone ? 'byPhone' : values?.card_number ? 'byCard' : 'byAccount';
    if (!values) return { kind, rows };
    add('phone', m.phone, values.phone);
    add('card_number', m.card, values.card_number);
    add('bank', m.bank, bankOf(invoice));
    // A bank's app shows the holder of a phone number or a card for comparison; the holder of an account is typed in.
    add('holder_name', m.holder, values.holder_name, values === transfer ? undefined : m.holderHint);
    add('bik', m.bik, values.bik);
    add('account', m.account, values.account);
    rows.push(amount);
    return { kind, rows };
  });
  // The kind that the payer chose comes first.
  lists.unshift(...lists.splice(Math.max(0, methodTypes.indexOf(invoice.method?.type ?? '')), 1));
  return lists.filter(({ rows }) => rows.length > 1); // an amount alone is no requisite
}

/** How to send the money: the amount, the bank, and the deadline. `timeZone` is by default that of the device. */
function transferRule(
  invoice: CheckoutInvoice,
  { currency }: Checkout,
  t: Translator,
  { withDate = false, timeZone }: { readonly withDate?: boolean; readonly timeZone?: string | undefined },
): string {
  const bank = bankOf(invoice)?.trim().slice(0, maxNameLength);
  const { amount, expires_at: end, expires_in_ms: leftMs } = invoice;
  return t.m.transferText(
    t.money(amount, currency).text,
    // Isolated, so that a name does not change the text direction of the sentence.
    bank && `\u2068${bank}\u2069`,
    end && t.moment(end, withDate || (leftMs ?? Infinity) > undatedMs ? 'day' : 'none', timeZone),
  );
}

/** A deadline within this time, in ms, is written without its date. */
const undatedMs = 12 * 60 * 60 * 1000;

/** A list as text lines, to paste into a message: how to send the money, the values, and the warnings. */
function asMessage(rule: string, { rows }: RequisiteList): string {
  const hints = rows.flatMap(({ hint }) => hint ?? []);
  return [rule, ...rows.map(({ label, text }) => `${label}: ${text}`), ...hints].join('\n');
}

/** A list of requisites, with a button that copies all values and the instruction how to send the money. */
function requisiteList(
  list: RequisiteList,
  { checkout, invoice }: WaitingState,
  { copyResult, timeZone }: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const allValues = {
    field: 'all',
    // A getter, because writing the date constructs a formatter of `Intl`, which is slow. It runs only when the payer copies.
    get text() {
      return asMessage(transferRule(invoice, checkout, t, { withDate: true, timeZone }), list);
    },
  };
  return html`<dl part="requisites">${list.rows.map((row) => copyableRow(row, copyResult, on, t, 'requisite'))}</dl>
    <div>${button(t.m.copyAll, copyOnClick(allValues, on), 'quiet')}${copyNote(allValues, copyResult, t)}</div>`;
}

/** Closes the other kinds of requisites, as `name` of `<details>` does in browsers that support it. */
function closeOthers({ currentTarget: openedList }: Event): void {
  if (!(openedList instanceof HTMLDetailsElement) || !openedList.open) return;
  for (const list of openedList.parentElement?.querySelectorAll<HTMLDetailsElement>('.kind') ?? [])
    if (list !== openedList) list.open = false;
}

/** The instruction how to send the money, and the lists of requisites. Of several lists, only one is open at a time. */
function requisiteLists(
  lists: readonly RequisiteList[],
  state: WaitingState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const templates = lists.map((list) => requisiteList(list, state, props, on, t));
  return html`<p class="rule">${transferRule(state.invoice, state.checkout, t, props)}</p>
    ${
      templates.length === 1
        ? templates
        : templates.map(
            (template, index) =>
              html`<details class="kind" name="kind" ?open=${index === 0} @toggle=${closeOthers}>
                <summary>${t.m[lists[index]?.kind ?? 'byAccount']}</summary>
                ${template}
              </details>`,
          )
    }`;
}

/** Help for a payer whose browser did not open a bank's app. */
function appHelp(
  link: string,
  { appLaunchHelp: help, copyResult: result }: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult | typeof nothing {
  if (!help) return nothing;
  const { m } = t;
  const { phoneUrl, browserUrl } = help;
  const copyButton = (text: string, address: string): TemplateResult => {
    const value = { field: 'link', text: address };
    return html`${button(text, copyOnClick(value, on))}${copyNote(value, result, t)}`;
  };
  return note(
    m.stuck,
    m.stuckText,
    html`<bdi class="muted clamp">${link}</bdi>${copyButton(m.copyLink, link)}
      ${phoneUrl && copyButton(m.copyPage, phoneUrl)} ${browserUrl && html`<a href=${browserUrl}>${m.openBrowser}</a>`}`,
  );
}

/** What this file adds to the screen of a waiting invoice. */
export function waitingAdditions(
  state: WaitingState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): WaitingAdditions {
  const { m } = t;
  const { invoice, checkout, connection } = state;
  const lists = requisitesOf(invoice, checkout, t);
  const isStale = checkout.stale || connection.failures > 1;
  return {
    notes: html`${state.slow ? note('', m.long, html`${isStale ? nothing : checkNote(props)} ${checkButton(props, on, t)}`) : nothing}
    ${isStale ? errorNote(m.stale) : nothing}`,
    help: appHelp(invoice.nspk_url ?? '', props, on, t),
    requisites: lists[0]
      ? html`${invoice.nspk_url ? html`<h4>${m.orTransfer}</h4>` : nothing}
        ${requisiteLists(lists, state, props, on, t)}`
      : undefined,
    tail: html`<div class="tail">${button(m.leave, on.dismissInvoice, 'quiet')}</div>`,
  };
}
