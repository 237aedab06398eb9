import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';

/** Whether the screen itself shows the order's number: once there is something to quote it for. */
const isOnScreen = (state: CheckoutState): boolean =>
  state.status === 'waiting' ? state.verifyingExpiry : 'invoice' in state;

/** The order's number, where neither the description nor the screen has it, and the shop's own lines. Wide layouts show them. */
export function orderDetails(state: CheckoutState, { m }: Translator): TemplateResult {
  const { reference, description } = 'checkout' in state ? state.checkout : {};
  const isNew = reference && !description?.includes(reference) && !isOnScreen(state);
  return html`<div class="order">
    ${isNew ? html`<p class="muted">${m.order}: <bdi>${reference}</bdi></p>` : nothing}
    <slot name="order"></slot>
  </div>`;
}
