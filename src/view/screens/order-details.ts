import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';

/** Whether the screen itself shows the order's number: when the time is up, and in every outcome. */
const isOnScreen = (state: CheckoutState): boolean =>
  state.status === 'waiting' ? state.verifyingExpiry : 'invoice' in state;

/** The order's number, unless the description or the screen shows it, and the shop's own lines. Only wide layouts show them. */
export function orderDetails(state: CheckoutState, { m }: Translator): TemplateResult {
  const { reference, description } = 'checkout' in state ? state.checkout : {};
  const showsReference = reference && !description?.includes(reference) && !isOnScreen(state);
  return html`<div class="order">
    ${showsReference ? html`<p class="muted">${m.order}: <bdi>${reference}</bdi></p>` : nothing}
    <slot name="order"></slot>
  </div>`;
}
