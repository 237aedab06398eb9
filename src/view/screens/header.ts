import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { OptionsTranslator } from '../../i18n.ts';

/** The amount of the current screen, once it is known. */
function amountOf(state: CheckoutState): string | undefined {
  if (!('checkout' in state)) return undefined;
  if (state.status === 'choosing') return state.amount;
  return state.checkout.invoice?.amount ?? state.checkout.amount ?? undefined;
}

/** Whether the payer still has to pay, and not only to wait or to check. */
const isPayable = (state: CheckoutState): boolean =>
  state.status === 'waiting' ? !state.verifyingExpiry : !('invoice' in state);

/** The test badge, the amount and the description. `content` is what the payment chunk shows below them. */
export function header(state: CheckoutState, content: unknown, t: OptionsTranslator): TemplateResult {
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
    ${description ? html`<p class="about clamp"><bdi>${description}</bdi></p>` : nothing} ${content}
  </div>`;
}
