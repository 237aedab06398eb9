import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutDetails, Invoice, Outcome } from './admin-client.ts';
import { amountOf, paidAgain, paidAt, paymentsOf, whyUndecided } from './amounts.ts';
import { checkMessage, isNotTold } from './check-message.ts';
import { deliveryState } from './delivery-state.ts';
import { deliveryResult, history } from './history.ts';
import {
  checkoutChip,
  decisionName,
  factList,
  foreign,
  invoiceName,
  isUndecided,
  methodOf,
  methodText,
  statusChip,
} from './page-parts.ts';
import { isPayable } from './payment-link.ts';
import type { Action } from './question-dialog.ts';
import type { Translator } from './texts.ts';

interface View {
  readonly checkout: CheckoutDetails;
  readonly translator: Translator;
  readonly act: (action: Action) => void;
  /** Whether the service was just asked, and what it has answered is said. */
  readonly isChecked: boolean;
  /** The link that was handed out, or nothing. */
  readonly link: unknown;
  /** What was just copied. */
  readonly copied: string;
  readonly copy: (text: string) => void;
}

const actionButton = (action: Action, { act, translator }: View, isMain = false): TemplateResult =>
  html`<button type="button" class=${isMain ? 'main' : nothing} @click=${() => act(action)}>
    ${translator.text(action.name)}
  </button>`;

/** A checkout with its invoices, its outcomes, and everything that has happened to it. What a person has to know comes first. */
export function checkoutDetails(view: View): TemplateResult {
  const { checkout, translator, link } = view;
  const { invoices, outcomes } = checkout;
  const outcomeCards = outcomes.map((outcome) => outcomeCard(outcome, view));
  const invoiceCards = invoices.map((invoice, index) => invoiceCard(invoice, index, view));
  const hasFailed = outcomes.some(isMissing);
  return html`
    <section class="card">
      <div class="row">
        <h1>${translator.text('order')} ${foreign(checkout.order_id)}</h1>
        ${checkoutChip(checkout, translator)}
      </div>
      <p class="amount">${amountOf(checkout, translator)}</p>
      ${checkout.description === null ? nothing : html`<p>${foreign(checkout.description)}</p>`}
      ${link === nothing ? actionsAndFacts(view) : nothing}
    </section>
    ${
      link === nothing
        ? nothing
        : html`${link}
            <section class="card">${actionsAndFacts(view)}</section>`
    }
    ${invoices.map((invoice, index) => (invoice.needs_decision ? undecidedCard(invoice, index, view) : nothing))}
    ${paidAgainCard(view)} ${hasFailed ? cards('outcomes', outcomeCards, view) : nothing}
    ${cards('invoices', invoiceCards, view)} ${hasFailed ? nothing : cards('outcomes', outcomeCards, view)}
    <h2>${translator.text('history')}</h2>
    ${history(checkout, translator)}
  `;
}

function actionsAndFacts(view: View): TemplateResult {
  const { checkout, translator, link, isChecked } = view;
  const { id, status, closed_at: closedAt, invoices, methods } = checkout;
  const { text: t, statusText, time } = translator;
  const isClosed = closedAt !== null || status === 'closed';
  const isLinkable = isPayable(checkout) && !isUndecided(checkout) && link === nothing;
  const button = (name: Exclude<Action['name'], 'redeliverAll'>, isMain = false): TemplateResult =>
    actionButton({ name, path: ['checkouts', id, name] }, view, isMain);
  return html`<div class="row actions">
      ${isLinkable ? button('link', true) : nothing} ${invoices.length === 0 ? nothing : button('check')}
      ${status === 'paid' ? nothing : button(isClosed ? 'reopen' : 'close')}
    </div>
    <div role="status">${isChecked ? checkMessage(checkout, translator) : nothing}</div>
    ${factList({
      [t('amount')]: checkout.amount === null ? t('byPayer') : null,
      [t('methods')]: methods && foreign(methods.map((type) => methodText({ type }, translator)).join(', ')),
      [t('created')]: time(checkout.created_at),
      [t('payableUntil')]: checkout.expires_at && time(checkout.expires_at),
      [statusText('paid')]: checkout.paid_at && time(checkout.paid_at),
    })}
    ${forDevelopers({ [t('checkout')]: id, [t('reference')]: checkout.reference }, view)}`;
}

const cards = (
  title: 'invoices' | 'outcomes',
  shown: readonly TemplateResult[],
  { translator }: View,
): TemplateResult =>
  html`<h2>${translator.text(title)}</h2>
    ${shown.length === 0 ? html`<p class="muted">${translator.text('noneYet')}</p>` : shown}`;

/** Identifiers, which the log and the service name, each with a button that copies it. */
function forDevelopers(
  names: Readonly<Record<string, string | null>>,
  { translator, copied, copy }: View,
): TemplateResult {
  const { text: t } = translator;
  const withButton = (name: string, value: string): TemplateResult =>
    html`${foreign(value)}
      <button
        type="button"
        class="small"
        aria-label="${t(copied === value ? 'copied' : 'copy')}: ${name}"
        @click=${() => copy(value)}
      >
        ${copied === value ? '✓' : '⧉'}
      </button>`;
  return html`<details>
    <summary>${t('developers')}</summary>
    ${factList(Object.fromEntries(Object.entries(names).map(([name, value]) => [name, value && withButton(name, value)])))}
  </details>`;
}

function undecidedCard(invoice: Invoice, index: number, view: View): TemplateResult {
  const { checkout, translator } = view;
  const action: Action = { name: 'resolve', path: ['checkouts', checkout.id, 'resolve'], invoice };
  return html`<section class="card alarm">
    <h2>${translator.text('needsDecision')}</h2>
    <p>${invoiceName(index, translator)}: ${whyUndecided(invoice, checkout.currency, translator)}</p>
    ${actionButton(action, view, true)}
  </section>`;
}

/** The payments of an order that is paid more than once. Nobody but the shop can pay one back. */
function paidAgainCard({ checkout, translator }: View): TemplateResult | typeof nothing {
  const { text: t, money, time } = translator;
  const sums = paidAgain(checkout, translator);
  if (sums === undefined) return nothing;
  return html`<section class="card alarm">
    <h2>${t('paidAgain')}</h2>
    <p>${sums}</p>
    <ul>
      ${paymentsOf(checkout).map((invoice) => {
        const { paid_amount: came, amount, status_history: words } = invoice;
        const name = invoiceName(checkout.invoices.indexOf(invoice), translator);
        const at = paidAt(invoice, checkout.outcomes) ?? null;
        const since = words.findLast((word) => at !== null && Date.parse(word.at) > Date.parse(at));
        return html`<li>
          ${name}: ${money(came ?? amount, checkout.currency)}, ${methodOf(invoice, translator)},
          ${time(at)}${since && html`; ${t('serviceSaysSince')} ${foreign(since.status)}, ${time(since.at)}`}
        </li>`;
      })}
    </ul>
    <p class="muted">${t('paidAgainAdvice')}</p>
  </section>`;
}

function invoiceCard(invoice: Invoice, index: number, view: View): TemplateResult {
  const { checkout, translator } = view;
  const { text: t, time, money } = translator;
  const { currency } = checkout;
  const { paid_amount: came, resolution } = invoice;
  return html`<section class="card">
    <div class="row">
      <h3>${invoiceName(index, translator)}</h3>
      ${statusChip(invoice.status, translator)}
      <strong>${money(invoice.amount, currency)}</strong>
    </div>
    ${factList({
      [t('method')]: methodOf(invoice, translator),
      [t('cameAmount')]: came === null ? null : money(came, currency),
      [t('decided')]: resolution === null ? null : html`${t(decisionName(resolution.as))}. ${foreign(resolution.note)}`,
      [t('serviceSays')]: foreign(invoice.service_status ?? '–'),
      [t('deadline')]: time(invoice.expires_at),
      [t('lastCheck')]: time(invoice.checked_at),
      [t('askedSince')]: isNotTold(invoice)
        ? html`<span class="bad">${time(invoice.answered_at)}: ${t('withoutIt')}</span>`
        : null,
      [t('nextCheck')]: invoice.next_check_at && time(invoice.next_check_at),
    })}
    ${forDevelopers({ [t('invoiceId')]: invoice.id, [t('attempt')]: invoice.external_id }, view)}
  </section>`;
}

/** Whether a delivery of an outcome has failed, and none has succeeded. */
const isMissing = ({ delivered_at: at, deliveries }: Outcome): boolean => at === null && deliveries.length > 0;

function outcomeCard(outcome: Outcome, view: View): TemplateResult {
  const { text: t, time, money, kindText } = view.translator;
  const { delivered_at: deliveredAt, deliveries } = outcome;
  const state = deliveryState(outcome, view.checkout.outcomes, view.translator);
  const last = deliveries.at(-1);
  return html`<section class="card ${isMissing(outcome) ? 'alarm' : ''}">
    <div class="row">
      <h3>${foreign(kindText(outcome.kind))}</h3>
      <strong>${money(outcome.amount, view.checkout.currency)}</strong>
      <span class=${isMissing(outcome) ? 'bad' : deliveredAt === null ? 'muted' : 'good'}>${state}</span>
      ${actionButton({ name: 'redeliver', path: ['outcomes', outcome.id, 'redeliver'] }, view)}
    </div>
    ${factList({
      [t('tries')]: deliveries.length,
      [t('lastTry')]:
        last === undefined ? null : html`${time(last.at)}: ${foreign(deliveryResult(last, view.translator))}`,
    })}
    ${forDevelopers({ [t('outcomeId')]: outcome.id }, view)}
  </section>`;
}
