import { html, nothing, svg, type TemplateResult } from 'lit';
import type { CheckoutDetails, Invoice, Outcome } from './admin-client.ts';
import { paidAt } from './amounts.ts';
import { decisionName, foreign, invoiceName, methodOf } from './page-parts.ts';
import type { Translator } from './texts.ts';

export const deliveryResult = ({ status, error }: Outcome['deliveries'][number], { textOr }: Translator): string =>
  textOr(error ?? (status === null ? 'OK' : `HTTP ${status}`));

interface Line {
  readonly at: string;
  /** Who has caused it. */
  readonly actor: 'payer' | 'service' | 'shop' | 'person';
  readonly text: TemplateResult;
}

/** A head with shoulders, a bank, a shop with its awning, and a headset, each in a square of 24. */
const icons: Readonly<Record<Line['actor'], string>> = {
  payer: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 20a8 8 0 0 1 16 0',
  service: 'M3 10 12 4l9 6ZM6 10v7M10 10v7M14 10v7M18 10v7M3 20h18',
  shop: 'M4 4h16l1 6a3 3 0 0 1-6 0 3 3 0 0 1-6 0 3 3 0 0 1-6 0ZM5 13v7h14v-7M10 20v-4h4v4',
  person: 'M4 15v-3a8 8 0 0 1 16 0v3M4 14h3v5H4ZM17 14h3v5h-3ZM18 19c0 2-2 2-4 2',
};

/** Who has caused it: drawn, and on a narrow page in words for hearing alone. */
const actorOf = (actor: Line['actor'], { text: t }: Translator): TemplateResult =>
  html`<span class="actor muted">
    <svg class="icon ${actor}" viewBox="0 0 24 24" aria-hidden="true">${svg`<path d=${icons[actor]} />`}</svg>
    <span class="actor-name">${t(actor)}</span>
  </span>`;

/** Everything that has happened to a checkout, oldest first, by day. */
export function history(checkout: CheckoutDetails, translator: Translator): TemplateResult {
  const { text: t, clock, day } = translator;
  const lines = linesOf(checkout, translator);
  const now = Date.now();
  return html`<ol class="card history">
    ${lines.map(({ at, actor, text }, index) => {
      const isNewDay = day(at) !== day(lines[index - 1]?.at ?? '');
      const isAhead = Date.parse(at) > now;
      return html`${isNewDay ? html`<li class="day">${day(at)}</li>` : nothing}
        <li class=${isAhead ? 'ahead' : nothing}>
          <time datetime=${at}>${clock(at)}</time>${actorOf(actor, translator)}
          <span>${text}${isAhead ? html` (${t('ahead')})` : nothing}</span>
        </li>`;
    })}
  </ol>`;
}

/** Whether an invoice was paid, or ended otherwise, before its deadline, which then means nothing any more. */
function hasEndedBefore(deadline: string | null, invoice: Invoice, outcomes: readonly Outcome[]): boolean {
  const { status, resolution, status_history: words } = invoice;
  const isUndecided = status === 'pending' || status === 'creating' || status === 'unresolved';
  const ended = resolution?.at ?? (isUndecided ? undefined : (paidAt(invoice, outcomes) ?? words.at(-1)?.at));
  return ended !== undefined && Date.parse(ended) < Date.parse(deadline ?? '');
}

function linesOf(checkout: CheckoutDetails, translator: Translator): readonly Line[] {
  const { text: t, actionText, kindText, money } = translator;
  const lines: Line[] = [];
  const add = (at: string | null, actor: Line['actor'], text: TemplateResult): void => {
    if (at !== null) lines.push({ at, actor, text });
  };
  const nameOf = (externalId: string): string => {
    const index = checkout.invoices.findIndex((invoice) => invoice.external_id === externalId);
    return index < 0 ? '' : invoiceName(index, translator);
  };
  add(checkout.created_at, 'shop', html`${t('created')}`);
  for (const invoice of checkout.invoices) {
    const { external_id: externalId, resolution } = invoice;
    const name = nameOf(externalId);
    add(
      invoice.created_at,
      'payer',
      html`${t('asked')}: ${name}, ${methodOf(invoice, translator)}, ${money(invoice.amount, checkout.currency)}`,
    );
    for (const { at, status } of invoice.status_history)
      add(at, 'service', html`${t('serviceSays')} ${foreign(status)}: ${name}`);
    if (!hasEndedBefore(invoice.expires_at, invoice, checkout.outcomes))
      add(invoice.expires_at, 'service', html`${t('deadline')}: ${name}`);
    if (resolution !== null)
      add(
        resolution.at,
        'person',
        html`${t('decided')}: ${t(decisionName(resolution.as))}, ${name}. ${foreign(resolution.note)}`,
      );
  }
  for (const { kind, deliveries, ...outcome } of checkout.outcomes) {
    const told = foreign(kindText(kind));
    add(outcome.occurred_at, 'shop', html`${t('message')}: ${told}`);
    // Of the hundreds of tries at a shop that is down: those after which the result is another, and the last one.
    const results = deliveries.map((delivery) => deliveryResult(delivery, translator));
    for (const [index, { at }] of deliveries.entries())
      if (results[index] !== results[index - 1] || index + 1 === results.length)
        add(at, 'shop', html`${t('delivery')} ${index + 1}, ${told}: ${foreign(results[index] ?? '')}`);
    add(outcome.abandoned_at, 'shop', html`${told}: ${t('abandoned')}`);
  }
  const decidedAt = new Set(checkout.invoices.map(({ resolution }) => resolution?.at));
  for (const { at, action, target, answer } of checkout.actions) {
    if (action === 'resolve' && decidedAt.has(at)) continue; // it is said above, with the decision and its note
    const outcome = checkout.outcomes.find(({ id }) => id === target);
    const about = outcome === undefined ? nameOf(target ?? '') : kindText(outcome.kind);
    add(at, 'person', html`${actionText(action, answer)}${about === '' ? nothing : html`, ${foreign(about)}`}`);
  }
  add(checkout.paid_at, 'payer', html`${translator.statusText('paid')}`);
  return lines.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}
