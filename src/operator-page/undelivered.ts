import { html, type TemplateResult } from 'lit';
import { callAdmin, type CheckoutDetails, type Checkouts, type Outcome } from './admin-client.ts';
import { deliveryResult } from './checkout-details.ts';
import { foreign } from './page-parts.ts';
import type { Translator } from './texts.ts';

// What the shop has not received.

/** How many checkouts the list shows: the page asks for them each 15 s. */
const shownCount = 5;

export interface Undelivered {
  /** The newest checkouts with an outcome that the shop has not received. */
  readonly checkouts: readonly CheckoutDetails[];
  readonly hasMore: boolean;
}

export const nothingUndelivered: Undelivered = { checkouts: [], hasMore: false };

const listUndelivered = async (token: string, limit: number): Promise<readonly string[]> =>
  (await callAdmin<Checkouts>(token, ['checkouts'], { undelivered: 1, limit })).checkouts.map(({ id }) => id);

const missing = ({ outcomes }: CheckoutDetails): readonly Outcome[] =>
  outcomes.filter((outcome) => outcome.delivered_at === null);

export async function loadUndelivered(token: string): Promise<Undelivered> {
  const ids = await listUndelivered(token, shownCount + 1);
  const shown = ids.slice(0, shownCount).map((id) => callAdmin<CheckoutDetails>(token, ['checkouts', id]));
  // One may have been delivered since.
  const checkouts = (await Promise.all(shown)).filter((checkout) => missing(checkout).length > 0);
  return { checkouts, hasMore: ids.length > shownCount };
}

/** The paths of the calls that deliver again what the shop has not received. */
export async function pathsToRedeliver(token: string): Promise<readonly (readonly string[])[]> {
  const paths: (readonly string[])[] = [];
  for (const id of await listUndelivered(token, 500)) {
    const checkout = await callAdmin<CheckoutDetails>(token, ['checkouts', id]);
    paths.push(...missing(checkout).map((outcome) => ['outcomes', outcome.id, 'redeliver']));
  }
  return paths;
}

/** Each outcome with its age, why its last delivery failed, and when it is tried again. */
export function undeliveredList({ checkouts }: Undelivered, translator: Translator): TemplateResult {
  const { text: t, kindText, money, ago, time } = translator;
  return html`<ul class="list">
    ${checkouts.flatMap((checkout) =>
      missing(checkout).map((outcome) => {
        const { next_delivery_at: nextAt, abandoned_at: abandonedAt } = outcome;
        const last = outcome.deliveries.at(-1);
        const next =
          abandonedAt === null ? `${t('nextTry')} ${time(nextAt)}` : `${t('abandoned')} ${time(abandonedAt)}`;
        return html`<li>
          <a href="#${checkout.id}">
            <strong>${foreign(outcome.order_id)}</strong>
            <strong class="end">${money(outcome.amount, checkout.currency)}</strong>
            <span class="muted">${foreign(kindText(outcome.kind))} · ${ago(outcome.occurred_at)}</span>
            <span class="bad whole"
              >${last === undefined ? '' : html`${foreign(deliveryResult(last, translator))} · `}${next}</span
            >
          </a>
        </li>`;
      }),
    )}
  </ul>`;
}
