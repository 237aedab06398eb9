import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutDetails, Delivery, Invoice, Outcome } from './admin-client.ts';
import type { Translator } from './texts.ts';

/** What the operator may do with a checkout. Each is confirmed before it is sent. */
export type Action =
  | { readonly name: 'check' | 'close' }
  | { readonly name: 'resolve'; readonly invoice: Invoice }
  | { readonly name: 'redeliver'; readonly outcome: Outcome };

type Act = (action: Action) => void;

const statusClass = (status: string): string =>
  status === 'paid' ? 'good' : status === 'failed' || status === 'expired' ? 'bad' : '';

export const statusBadge = (status: string, translator: Translator): TemplateResult =>
  html`<span class="badge ${statusClass(status)}">${translator.status(status)}</span>`;

const fact = (name: string, value: unknown): TemplateResult =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

const actionButton = (text: string, act: () => void): TemplateResult =>
  html`<button type="button" @click=${act}>${text}</button>`;

/** A checkout with its invoices, its outcomes, and everything that has happened to it. */
export function checkoutDetails(checkout: CheckoutDetails, translator: Translator, act: Act): TemplateResult {
  const t = translator.text;
  const { status, closed_at: closedAt, invoices, outcomes } = checkout;
  return html`
    <section class="card">
      <div class="row">
        <h1>${t('order')} ${checkout.order_id}</h1>
        ${statusBadge(status, translator)}
        <span class="money">${translator.money(checkout.amount, checkout.currency)}</span>
      </div>
      ${checkout.description === null ? nothing : html`<p>${checkout.description}</p>`}
      <dl>
        ${fact(t('checkout'), checkout.id)} ${fact(t('reference'), checkout.reference ?? '–')}
        ${fact(t('created'), translator.time(checkout.created_at))}
        ${fact(t('paid'), translator.time(checkout.paid_at))} ${fact(t('closed'), translator.time(closedAt))}
      </dl>
      <p class="row">
        ${invoices.length === 0 ? nothing : actionButton(t('check'), () => act({ name: 'check' }))}
        ${closedAt === null && status !== 'paid' ? actionButton(t('close'), () => act({ name: 'close' })) : nothing}
      </p>
    </section>
    <h2>${t('invoices')}</h2>
    ${invoices.length === 0 ? html`<p>${t('noInvoices')}</p>` : nothing}
    ${invoices.map((invoice) => invoiceCard(invoice, checkout, translator, act))}
    <h2>${t('outcomes')}</h2>
    ${outcomes.length === 0 ? html`<p>${t('noOutcomes')}</p>` : nothing}
    ${outcomes.map((outcome) => outcomeCard(outcome, checkout, translator, act))}
    <h2>${t('history')}</h2>
    <ol class="card">
      ${historyOf(checkout, translator).map(
        ({ at, text }) =>
          html`<li>
            <time datetime=${at}>${translator.time(at)}</time>
            <span>${text}</span>
          </li>`,
      )}
    </ol>
  `;
}

function invoiceCard(
  invoice: Invoice,
  { currency }: CheckoutDetails,
  translator: Translator,
  act: Act,
): TemplateResult {
  const t = translator.text;
  return html`<section class="card">
    <div class="row">
      <h3>${invoice.id ?? invoice.external_id}</h3>
      ${statusBadge(invoice.status, translator)}
      <span class="money">${translator.money(invoice.amount, currency)}</span>
    </div>
    ${
      invoice.needs_decision
        ? html`<p class="row bad">
            ${t('needsDecision')} ${actionButton(t('resolve'), () => act({ name: 'resolve', invoice }))}
          </p>`
        : nothing
    }
    <dl>
      ${fact(t('method'), invoice.method?.name ?? '–')} ${fact(t('attempt'), invoice.external_id)}
      ${fact(t('serviceSays'), invoice.service_status ?? '–')}
      ${fact(t('deadline'), translator.time(invoice.expires_at))}
      ${fact(t('lastCheck'), translator.time(invoice.checked_at, t('never')))}
      ${fact(t('nextCheck'), translator.time(invoice.next_check_at, t('onlyNow')))}
    </dl>
  </section>`;
}

function outcomeCard(
  outcome: Outcome,
  { currency }: CheckoutDetails,
  translator: Translator,
  act: Act,
): TemplateResult {
  const t = translator.text;
  const { delivered_at: deliveredAt, abandoned_at: abandonedAt } = outcome;
  const state =
    deliveredAt !== null
      ? html`<span class="good">${t('delivered')} ${translator.time(deliveredAt)}</span>`
      : abandonedAt !== null
        ? html`<span class="bad">${t('abandoned')} ${translator.time(abandonedAt)}</span>`
        : html`<span class="bad">${t('nextTry')} ${translator.time(outcome.next_delivery_at)}</span>`;
  return html`<section class="card">
    <div class="row">
      <h3>${outcome.kind}</h3>
      <span class="money">${translator.money(outcome.amount, currency)}</span>
      ${state} ${actionButton(t('redeliver'), () => act({ name: 'redeliver', outcome }))}
    </div>
    <dl>
      ${fact('id', outcome.id)}
      ${fact(
        t('tries'),
        outcome.deliveries.length === 0
          ? '–'
          : outcome.deliveries.map(
              (delivery) => html`<div>${translator.time(delivery.at)}: ${deliveryResult(delivery)}</div>`,
            ),
      )}
    </dl>
  </section>`;
}

const deliveryResult = ({ status, error }: Delivery): string => error ?? (status === null ? 'OK' : `HTTP ${status}`);

interface HistoryLine {
  readonly at: string;
  readonly text: string;
}

/** Everything that has happened to a checkout, oldest first. */
function historyOf(checkout: CheckoutDetails, { text: t }: Translator): readonly HistoryLine[] {
  const lines: HistoryLine[] = [{ at: checkout.created_at, text: t('created') }];
  const add = (at: string | null, text: string): void => {
    if (at !== null) lines.push({ at, text });
  };
  for (const invoice of checkout.invoices) {
    const name = invoice.id ?? invoice.external_id;
    add(invoice.created_at, `${t('asked')}: ${invoice.external_id}, ${invoice.method?.name ?? '–'}, ${invoice.amount}`);
    for (const { at, status } of invoice.status_history) add(at, `${t('serviceSays')} ${status}: ${name}`);
    add(invoice.expires_at, `${t('deadline')}: ${name}`);
    if (invoice.resolution !== null)
      add(invoice.resolution.at, `${t('decided')}: ${invoice.resolution.as}, ${name}. ${invoice.resolution.note}`);
  }
  for (const outcome of checkout.outcomes) {
    add(outcome.occurred_at, `${t('told')} ${outcome.kind}: ${outcome.external_id}`);
    for (const delivery of outcome.deliveries)
      add(delivery.at, `${t('delivery')} ${outcome.kind}: ${deliveryResult(delivery)}`);
    add(outcome.abandoned_at, `${t('delivery')} ${outcome.kind}: ${t('abandoned')}`);
  }
  for (const { at, action, target } of checkout.actions)
    add(at, `${t('person')}: ${action}${target === null ? '' : ` ${target}`}`);
  add(checkout.paid_at, t('paid'));
  add(checkout.closed_at, t('closed'));
  return lines.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
