import { html, type TemplateResult } from 'lit';
import type { Checkout, Outcome } from './admin-client.ts';
import { deliveryState } from './delivery-state.ts';
import { deliveryResult } from './history.ts';
import type { Undelivered } from './list-data.ts';
import { foreign } from './page-parts.ts';
import type { Translator } from './texts.ts';

/** What the shop has not received: each outcome with its age, why its last delivery failed, and when it is tried again. */
export const undeliveredList = (undelivered: readonly Undelivered[], translator: Translator): TemplateResult =>
  html`<ul class="list">
    ${undelivered.flatMap(({ checkout, outcomes }) =>
      (outcomes ?? [undefined]).map(
        (outcome) =>
          html`<li>
            <a href="#${checkout.id}">
              ${outcome === undefined || outcomes === undefined ? unread(checkout, translator) : undeliveredOutcome(outcome, outcomes, checkout, translator)}
            </a>
          </li>`,
      ),
    )}
  </ul>`;

const unread = (checkout: Checkout, { text: t }: Translator): TemplateResult =>
  html`<strong>${foreign(checkout.order_id)}</strong> <span class="bad">${t('unread')}</span>`;

function undeliveredOutcome(
  outcome: Outcome,
  outcomes: readonly Outcome[],
  { order_id: orderId, currency }: Checkout,
  translator: Translator,
): TemplateResult {
  const { kindText, money, ago } = translator;
  const last = outcome.deliveries.at(-1);
  const state = deliveryState(outcome, outcomes, translator);
  return html`<span class="line">
      <strong>${foreign(orderId)}</strong>
      <strong class="end">${money(outcome.amount, currency)}</strong>
    </span>
    <span class="muted">${foreign(kindText(outcome.kind))} · ${ago(outcome.occurred_at)}</span>
    <span class="bad"
      >${last === undefined ? '' : html`${foreign(deliveryResult(last, translator))} · `}${state}</span
    >`;
}
