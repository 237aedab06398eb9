import { html, type TemplateResult } from 'lit';
import { sumOf } from '../base/decimal.ts';
import type { Checkout, Invoice, Outcome } from './admin-client.ts';
import { foreign } from './page-parts.ts';
import type { TextName, Translator } from './texts.ts';

// What was expected, and what came.

type Priced = Pick<Checkout, 'amount' | 'amount_limits' | 'currency' | 'invoices' | 'status'>;

/** The amount of an order: what came, once it is paid; the shop's, the one that the payer has typed, or the limits of the one that he will type. */
export function amountOf(checkout: Priced, { text: t, money, moneyRange }: Translator): string {
  const { status, invoices, currency, amount_limits: limits } = checkout;
  const counted = invoices.find((invoice) => isCounted(invoice));
  const came = status === 'paid' ? counted?.paid_amount : null;
  const amount = came ?? checkout.amount ?? (status === 'pending' ? invoices.at(-1) : counted)?.amount ?? null;
  const { min_amount: min, max_amount: max } = (amount === null ? limits : null) ?? {};
  if (min !== undefined && max !== undefined) return moneyRange(min, max, currency);
  if (min !== undefined) return `${t('atLeast')} ${money(min, currency)}`;
  return max === undefined ? money(amount, currency) : `${t('atMost')} ${money(max, currency)}`;
}

const isCounted = ({ status, resolution }: Invoice): boolean => status === 'paid' || resolution?.as === 'paid';

/** The invoices whose money came, without those whose money a person has decided to give back. */
export const paymentsOf = ({ invoices }: Pick<Checkout, 'invoices'>): readonly Invoice[] =>
  invoices.filter(
    (invoice) => isCounted(invoice) || (invoice.status === 'amount_mismatch' && invoice.resolution === null),
  );

const paymentKinds: readonly Outcome['kind'][] = ['paid', 'duplicate_payment', 'amount_mismatch', 'test_payment'];

/** When it became known that an invoice is paid; undefined when it is not. The service may have said other words of it since. */
export const paidAt = ({ external_id: id }: Invoice, outcomes: readonly Outcome[]): string | undefined =>
  outcomes.find(({ kind, external_id: paid }) => paid === id && paymentKinds.includes(kind))?.occurred_at;

/** What came of an order that is paid more than once; undefined when it is not. */
export function paidAgain(checkout: Priced, translator: Translator): TemplateResult | undefined {
  const payments = paymentsOf(checkout);
  const expected = checkout.amount ?? payments.find(isCounted)?.amount;
  if (checkout.status !== 'paid' || payments.length < 2 || expected === undefined) return undefined;
  const came = sumOf(payments.map(({ amount, paid_amount: paid }) => ({ price: paid ?? amount, quantity: 1 })));
  return expectedAndCame(expected, came, checkout.currency, translator);
}

/** The service's words of the payments where they differ: one may have been paid back, and the service alone knows what its words mean. */
export function differingWords(checkout: Pick<Checkout, 'invoices'>, { text }: Translator): TemplateResult | undefined {
  const words = paymentsOf(checkout).map(({ service_status: word }) => word ?? '–');
  return new Set(words).size < 2 ? undefined : html`${text('serviceSays')}: ${foreign(words.join(', '))}`;
}

/** Why a person has to decide about an invoice: both sums where another amount came. */
export function whyUndecided(invoice: Invoice, currency: string | null, translator: Translator): TemplateResult {
  const { text: t } = translator;
  const { amount, paid_amount: came } = invoice;
  if (came !== null) return expectedAndCame(amount, came, currency, translator);
  if (invoice.id === null) return html`${t('unknownInvoice')}`;
  if (invoice.status === 'pending') return html`${t('unknownWord')} ${foreign(invoice.service_status ?? '')}`;
  return html`${t('unknownEnd')}`;
}

function expectedAndCame(expected: string, came: string, currency: string | null, t: Translator): TemplateResult {
  const sums = [t.money(expected, currency), t.money(came, currency), differenceOf(expected, came, currency, t)];
  return withParts('expectedAndCame', sums, t);
}

/** A text whose `$1`, `$2` are these parts, in this order. No part is broken at the end of a line. */
const withParts = (name: TextName, parts: readonly string[], { text }: Translator): TemplateResult =>
  html`${text(name)
    .split(/\$\d/)
    .map((piece, index) => html`${piece}${parts[index] && html`<span class="sum">${parts[index]}</span>`}`)}`;

/** How much more or less has come, with a sign. */
export const differenceOf = (amount: string, came: string, currency: string | null, { money }: Translator): string =>
  money(sumOf([{ price: came, quantity: 1 }, { price: amount, quantity: -1 }]), currency, 'always'); // prettier-ignore
