import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutDetails, Invoice, Outcome } from './admin-client.ts';
import type { Translator } from './texts.ts';

/** What the operator may do. Each is confirmed before it is sent; `redeliverAll` has no path of its own. */
export interface Action {
  readonly name: 'check' | 'close' | 'reopen' | 'resolve' | 'redeliver' | 'redeliverAll';
  readonly path?: readonly string[];
  readonly body?: { readonly invoice_id: string };
}

interface View {
  readonly checkout: CheckoutDetails;
  readonly translator: Translator;
  readonly act: (action: Action) => void;
}

/**
 * A text of the shop, of its payers or of the service, isolated from the line around it: a sign in it that turns the direction of
 * a text must not make the page say something else.
 */
export const foreign = (text: string): TemplateResult => html`<bdi>${text}</bdi>`;

const statusClasses: Readonly<Record<string, string>> = { paid: 'good', failed: 'bad', expired: 'bad' };

export const statusBadge = (status: string, { textOr }: Translator): TemplateResult =>
  html`<strong class=${statusClasses[status] ?? nothing}>${foreign(textOr(status))}</strong>`;

const actionButton = (action: Action, { act, translator }: View): TemplateResult =>
  html`<button type="button" @click=${() => act(action)}>${translator.text(action.name)}</button>`;

/** A heading with what stands beside it, the facts by their names, and a note between them. */
const card = (heading: unknown, note: unknown, facts: Readonly<Record<string, unknown>>): TemplateResult =>
  html`<section class="card">
    <div class="row">${heading}</div>
    ${note}
    <dl>
      ${Object.entries(facts).map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
  </section>`;

/** A checkout with its invoices, its outcomes, and everything that has happened to it. */
export function checkoutDetails(view: View): TemplateResult {
  const { checkout, translator } = view;
  const { id, status, closed_at: closedAt, invoices, outcomes } = checkout;
  const { text: t, time, money } = translator;
  const isClosed = closedAt !== null || status === 'closed';
  const closing = isClosed ? 'reopen' : 'close';
  return html`
    ${card(
      html`<h1>${t('order')} ${foreign(checkout.order_id)}</h1>
        ${statusBadge(status, translator)}
        <strong>${money(checkout.amount, checkout.currency)}</strong>
        ${invoices.length === 0 ? nothing : actionButton({ name: 'check', path: ['checkouts', id, 'check'] }, view)}
        ${status === 'paid' ? nothing : actionButton({ name: closing, path: ['checkouts', id, closing] }, view)}`,
      checkout.description === null ? nothing : html`<p>${foreign(checkout.description)}</p>`,
      {
        [t('checkout')]: id,
        [t('reference')]: foreign(checkout.reference ?? '–'),
        [t('created')]: time(checkout.created_at),
        [t('paid')]: time(checkout.paid_at),
      },
    )}
    <h2>${t('invoices')}</h2>
    ${invoices.length === 0 ? html`<p>${t('noneYet')}</p>` : invoices.map((invoice) => invoiceCard(invoice, view))}
    <h2>${t('outcomes')}</h2>
    ${outcomes.length === 0 ? html`<p>${t('noneYet')}</p>` : outcomes.map((outcome) => outcomeCard(outcome, view))}
    <h2>${t('history')}</h2>
    <ol class="card">
      ${historyOf(checkout, translator).map(
        ([at, line]) => html`<li><time datetime=${at}>${time(at)}</time> ${line}</li>`,
      )}
    </ol>
  `;
}

function invoiceCard(invoice: Invoice, view: View): TemplateResult {
  const { checkout, translator } = view;
  const { text: t, time } = translator;
  const path = ['checkouts', checkout.id, 'resolve'];
  return card(
    html`<h3>${foreign(invoice.id ?? invoice.external_id)}</h3>
      ${statusBadge(invoice.status, translator)}
      <strong>${translator.money(invoice.amount, checkout.currency)}</strong>`,
    invoice.needs_decision
      ? html`<p class="row bad">
          ${t('needsDecision')}
          ${actionButton({ name: 'resolve', path, body: { invoice_id: invoice.external_id } }, view)}
        </p>`
      : nothing,
    {
      [t('method')]: foreign(invoice.method?.name ?? '–'),
      [t('attempt')]: invoice.external_id,
      [t('serviceSays')]: foreign(invoice.service_status ?? '–'),
      [t('deadline')]: time(invoice.expires_at),
      [t('lastCheck')]: time(invoice.checked_at),
      [t('nextCheck')]: time(invoice.next_check_at),
    },
  );
}

function outcomeCard(outcome: Outcome, view: View): TemplateResult {
  const { text: t, time, money } = view.translator;
  const { delivered_at: deliveredAt, abandoned_at: abandonedAt, deliveries } = outcome;
  const state = deliveredAt !== null ? 'delivered' : abandonedAt !== null ? 'abandoned' : 'nextTry';
  const at = time(deliveredAt ?? abandonedAt ?? outcome.next_delivery_at);
  const last = deliveries.at(-1);
  return card(
    html`<h3>${foreign(outcome.kind)}</h3>
      <strong>${money(outcome.amount, view.checkout.currency)}</strong>
      <span class=${deliveredAt === null ? 'bad' : 'good'}>${t(state)} ${at}</span>
      ${actionButton({ name: 'redeliver', path: ['outcomes', outcome.id, 'redeliver'] }, view)}`,
    nothing,
    {
      id: outcome.id,
      [t('tries')]: deliveries.length,
      [t('lastTry')]:
        last === undefined ? '–' : html`${time(last.at)}: ${foreign(deliveryResult(last, view.translator))}`,
    },
  );
}

const deliveryResult = ({ status, error }: Outcome['deliveries'][number], { textOr }: Translator): string =>
  textOr(error ?? (status === null ? 'OK' : `HTTP ${status}`));

/** Everything that has happened to a checkout, oldest first: when, and the line. */
function historyOf(checkout: CheckoutDetails, translator: Translator): readonly (readonly [string, TemplateResult])[] {
  const { text: t, textOr } = translator;
  const lines: [string, TemplateResult][] = [];
  const add = (at: string | null | undefined, line: TemplateResult): void => {
    if (at != null) lines.push([at, line]);
  };
  add(checkout.created_at, html`${t('created')}`);
  for (const invoice of checkout.invoices) {
    const { id, external_id: externalId, resolution } = invoice;
    const name = foreign(id ?? externalId);
    const method = foreign(invoice.method?.name ?? '–');
    add(invoice.created_at, html`${t('asked')}: ${foreign(externalId)}, ${method}, ${invoice.amount}`);
    for (const { at, status } of invoice.status_history) add(at, html`${t('serviceSays')} ${foreign(status)}: ${name}`);
    add(invoice.expires_at, html`${t('deadline')}: ${name}`);
    if (resolution !== null)
      add(resolution.at, html`${t('decided')}: ${resolution.as}, ${name}. ${foreign(resolution.note)}`);
  }
  for (const { kind, deliveries, ...outcome } of checkout.outcomes) {
    add(outcome.occurred_at, html`${t('told')} ${kind}: ${foreign(outcome.external_id)}`);
    // Of the hundreds of tries at a shop that is down: those after which the result is another, and the last one.
    const results = deliveries.map((delivery) => deliveryResult(delivery, translator));
    for (const [index, { at }] of deliveries.entries())
      if (results[index] !== results[index - 1] || index + 1 === results.length)
        add(at, html`${t('delivery')} ${index + 1}, ${kind}: ${foreign(results[index] ?? '')}`);
    add(outcome.abandoned_at, html`${t('delivery')} ${kind}: ${t('abandoned')}`);
  }
  for (const { at, action, target } of checkout.actions)
    add(at, html`${t('person')}: ${textOr(action)} ${foreign(target ?? '')}`);
  add(checkout.paid_at, html`${t('paid')}`);
  add(checkout.closed_at, html`${t('closed')}`);
  return lines.sort(([a], [b]) => Date.parse(a) - Date.parse(b));
}
