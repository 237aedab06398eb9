import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { FirstFileTranslator } from '../../i18n.ts';
import { foreignText } from './shared-templates.ts';

/** The amount of the current screen, once it is known. */
function amountOf(state: CheckoutState): string | undefined {
  if (!('checkout' in state)) return undefined;
  // A typed amount is in its field: in the header it would come and go.
  if (state.status === 'choosing') return state.checkout.amount ?? undefined;
  // While an invoice is created, the checkout still has the invoice before it.
  const { amount, invoice } = state.checkout;
  return (state.status === 'creating' ? undefined : invoice?.amount) ?? amount ?? undefined;
}

/** The text above the amount. */
function amountLabel(state: CheckoutState, { m }: FirstFileTranslator): string {
  if (state.status === 'loading') return m('widget.name');
  if (state.status === 'paid') return m('paid.title');
  const isPayable = state.status === 'waiting' ? !state.verifyingExpiry : !('invoice' in state);
  return m(isPayable ? 'header.due' : 'header.amount');
}

/** Whether the screen itself shows the order's number: when the time is up, and in every outcome. */
const showsReference = (state: CheckoutState): boolean =>
  state.status === 'waiting' ? state.verifyingExpiry : 'invoice' in state;

/** The order's number, unless the description or the screen shows it, and the shop's own lines. Only wide layouts show them. */
function orderDetails(state: CheckoutState, { m }: FirstFileTranslator): TemplateResult {
  const { reference, description } = 'checkout' in state ? state.checkout : {};
  return html`<div class="order">
    ${
      reference && !description?.includes(reference) && !showsReference(state)
        ? html`<p class="muted">${m('header.order')}: <bdi>${reference}</bdi></p>`
        : nothing
    }
    <slot name="order"></slot>
  </div>`;
}

/** The shop's logo, the test badge, the amount beside the time left to pay (`time`), the description and the order. */
export function header(state: CheckoutState, time: unknown, t: FirstFileTranslator): TemplateResult | typeof nothing {
  const { m } = t;
  if (state.status === 'lost') return nothing;
  const checkout = 'checkout' in state ? state.checkout : undefined;
  const description = checkout?.description;
  const amount = amountOf(state);
  const money = amount === undefined ? undefined : t.money(amount, checkout?.currency ?? null);
  const isLoading = state.status === 'loading' && !state.connection.failures;
  return html`<div part="header" class=${money || isLoading ? '' : 'bare'}>
    <div class="summary">
      <slot name="logo"></slot>
      <slot name="header"></slot>
      ${checkout?.test ? html`<p part="badge">${m('header.test')}</p>` : nothing} ${time}
      <h2 part="amount">
        ${
          money || isLoading
            ? html`<span class="due ${state.status === 'paid' ? 'paid' : ''}">${amountLabel(state, t)}</span>
                ${money?.major}<small class=${money ? '' : 'skeleton line'}>${money?.minor}</small>`
            : m('widget.name')
        }
      </h2>
      ${description ? html`<p part="description" class="clamp">${foreignText(description, t)}</p>` : nothing}
      ${orderDetails(state, t)}
    </div>
  </div>`;
}
