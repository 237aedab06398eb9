import { html, type TemplateResult } from 'lit';
import type { Outcome } from './admin-client.ts';
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
              <strong>${foreign(checkout.order_id)}</strong>
              ${outcome === undefined || outcomes === undefined ? unread(translator) : undeliveredOutcome(outcome, outcomes, checkout.currency, translator)}
            </a>
          </li>`,
      ),
    )}
  </ul>`;

const unread = ({ text: t }: Translator): TemplateResult => html`<span class="bad whole">${t('unread')}</span>`;

function undeliveredOutcome(
  outcome: Outcome,
  outcomes: readonly Outcome[],
  currency: string | null,
  translator: Translator,
): TemplateResult {
  const { kindText, money, ago } = translator;
  const last = outcome.deliveries.at(-1);
  const state = deliveryState(outcome, outcomes, translator);
  return html`<strong class="end">${money(outcome.amount, currency)}</strong>
    <span class="muted whole">${foreign(kindText(outcome.kind))} · ${ago(outcome.occurred_at)}</span>
    <span class="bad whole"
      >${last === undefined ? '' : html`${foreign(deliveryResult(last, translator))} · `}${state}</span
    >`;
}
