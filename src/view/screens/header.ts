import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { FirstFileTranslator } from '../../i18n.ts';

/** The amount of the current screen, once it is known. */
function amountOf(state: CheckoutState): string | undefined {
  if (!('checkout' in state)) return undefined;
  if (state.status === 'choosing') return state.amount;
  return state.checkout.invoice?.amount ?? state.checkout.amount ?? undefined;
}

/** Whether the payer still has to pay, and not only to wait or to check. */
const isPayable = (state: CheckoutState): boolean =>
  state.status === 'waiting' ? !state.verifyingExpiry : !('invoice' in state);

/** Whether the screen itself shows the order's number: when the time is up, and in every outcome. */
const showsReference = (state: CheckoutState): boolean =>
  state.status === 'waiting' ? state.verifyingExpiry : 'invoice' in state;

/** The order's number, unless the description or the screen shows it, and the shop's own lines. Only wide layouts show them. */
function orderDetails(state: CheckoutState, { m }: FirstFileTranslator): TemplateResult {
  const { reference, description } = 'checkout' in state ? state.checkout : {};
  return html`<div class="order">
    ${
      reference && !description?.includes(reference) && !showsReference(state)
        ? html`<p class="muted">${m.order}: <bdi>${reference}</bdi></p>`
        : nothing
    }
    <slot name="order"></slot>
  </div>`;
}

/** The test badge, the amount, the description and the order. `time` is the time left to pay. */
export function header(state: CheckoutState, time: unknown, t: FirstFileTranslator): TemplateResult {
  const { m } = t;
  const checkout = 'checkout' in state ? state.checkout : undefined;
  const description = checkout?.description;
  const amount = amountOf(state);
  const money = amount === undefined ? undefined : t.money(amount, checkout?.currency ?? null);
  const heading = money
    ? html`<span class="due">${isPayable(state) ? m.due : m.sum}</span> ${money.major}<small>${money.minor}</small>`
    : m.region;
  return html`<div part="header">
    <slot name="header"></slot>
    ${checkout?.test ? html`<p part="badge">${m.test}</p>` : nothing}
    <h2 part="amount">${heading}</h2>
    ${description ? html`<p part="description" class="clamp"><bdi>${description}</bdi></p>` : nothing}
    ${orderDetails(state, t)} ${time}
  </div>`;
}
