import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutDetails, Invoice, Outcome } from './admin-client.ts';
import { decisionName, foreign, invoiceName } from './page-parts.ts';
import type { Translator } from './texts.ts';

export const deliveryResult = ({ status, error }: Outcome['deliveries'][number], { textOr }: Translator): string =>
  textOr(error ?? (status === null ? 'OK' : `HTTP ${status}`));

interface Line {
  readonly at: string;
  /** Who has caused it. */
  readonly actor: 'payer' | 'service' | 'shop' | 'person';
  readonly text: TemplateResult;
}

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
          <time datetime=${at}>${clock(at)}</time><span class="muted">${t(actor)}</span>
          <span>${text}${isAhead ? html` (${t('ahead')})` : nothing}</span>
        </li>`;
    })}
  </ol>`;
}

/** Whether an invoice was paid, or ended otherwise, before its deadline, which then means nothing any more. */
function hasEndedBefore(deadline: string | null, { status, resolution, status_history: words }: Invoice): boolean {
  const isUndecided = status === 'pending' || status === 'creating' || status === 'unresolved';
  const ended = resolution?.at ?? (isUndecided ? undefined : words.at(-1)?.at);
  return ended !== undefined && Date.parse(ended) < Date.parse(deadline ?? '');
}

function linesOf(checkout: CheckoutDetails, translator: Translator): readonly Line[] {
  const { text: t, textOr, kindText, money } = translator;
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
    const method = foreign(invoice.method?.name ?? '–');
    add(
      invoice.created_at,
      'payer',
      html`${t('asked')}: ${name}, ${method}, ${money(invoice.amount, checkout.currency)}`,
    );
    for (const { at, status } of invoice.status_history)
      add(at, 'service', html`${t('serviceSays')} ${foreign(status)}: ${name}`);
    if (!hasEndedBefore(invoice.expires_at, invoice))
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
    add(outcome.occurred_at, 'shop', html`${t('told')}: ${told}`);
    // Of the hundreds of tries at a shop that is down: those after which the result is another, and the last one.
    const results = deliveries.map((delivery) => deliveryResult(delivery, translator));
    for (const [index, { at }] of deliveries.entries())
      if (results[index] !== results[index - 1] || index + 1 === results.length)
        add(at, 'shop', html`${t('delivery')} ${index + 1}, ${told}: ${foreign(results[index] ?? '')}`);
    add(outcome.abandoned_at, 'shop', html`${told}: ${t('abandoned')}`);
  }
  for (const { at, action, target } of checkout.actions) {
    const outcome = checkout.outcomes.find(({ id }) => id === target);
    const about = outcome === undefined ? nameOf(target ?? '') : kindText(outcome.kind);
    add(at, 'person', html`${textOr(action)}${about === '' ? nothing : html`, ${foreign(about)}`}`);
  }
  add(checkout.paid_at, 'payer', html`${translator.statusText('paid')}`);
  return lines.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}
