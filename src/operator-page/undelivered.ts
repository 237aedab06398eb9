import { html, type TemplateResult } from 'lit';
import type { Outcome } from './admin-client.ts';
import { deliveryResult } from './history.ts';
import type { Undelivered } from './list-data.ts';
import { foreign } from './page-parts.ts';
import type { Translator } from './texts.ts';

/** What the shop has not received: each outcome with its age, why its last delivery failed, and when it is tried again. */
export const undeliveredList = (undelivered: readonly Undelivered[], translator: Translator): TemplateResult =>
  html`<ul class="list">
    ${undelivered.flatMap(({ checkout, outcomes = [undefined] }) =>
      outcomes.map(
        (outcome) =>
          html`<li>
            <a href="#${checkout.id}">
              <strong>${foreign(checkout.order_id)}</strong>
              ${outcome === undefined ? unread(translator) : undeliveredOutcome(outcome, checkout.currency, translator)}
            </a>
          </li>`,
      ),
    )}
  </ul>`;

const unread = ({ text: t }: Translator): TemplateResult => html`<span class="bad whole">${t('unread')}</span>`;

function undeliveredOutcome(outcome: Outcome, currency: string | null, translator: Translator): TemplateResult {
  const { text: t, kindText, money, ago, time } = translator;
  const { next_delivery_at: nextAt, abandoned_at: abandonedAt } = outcome;
  const last = outcome.deliveries.at(-1);
  const next = abandonedAt === null ? `${t('nextTry')} ${time(nextAt)}` : `${t('abandoned')} ${time(abandonedAt)}`;
  return html`<strong class="end">${money(outcome.amount, currency)}</strong>
    <span class="muted whole">${foreign(kindText(outcome.kind))} · ${ago(outcome.occurred_at)}</span>
    <span class="bad whole"
      >${last === undefined ? '' : html`${foreign(deliveryResult(last, translator))} · `}${next}</span
    >`;
}
