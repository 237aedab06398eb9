import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Texts } from '../../i18n.ts';

/** What is left of an invoice's time, as written, and the shares of a progress bar. */
export interface TimeLeft {
  readonly text: string;
  readonly left: number;
  readonly span: number;
}

/** The amount of whatever is on the screen, once it is known. */
function amountOf(state: CheckoutState): string | undefined {
  if (!('checkout' in state)) return undefined;
  if (state.status === 'choosing') return state.amount;
  return state.checkout.invoice?.amount ?? state.checkout.amount ?? undefined;
}

/** What is paid for, the amount, the test mark, and the time. */
export function header(state: CheckoutState, time: TimeLeft | undefined, t: Texts): TemplateResult {
  const { m } = t;
  const checkout = 'checkout' in state ? state.checkout : undefined;
  const about = checkout?.description;
  const amount = amountOf(state);
  const money = amount === undefined ? undefined : t.money(amount, checkout?.currency ?? null);
  const heading =
    state.status === 'lost'
      ? m.region
      : html`<span class="due">${state.status === 'paid' ? m.sum : checkout ? m.due : m.region}</span>
          ${money?.major}<small>${money ? money.minor : '—'}</small>`;
  return html`<div part="header">
    <div class="stay">
      <slot name="header"></slot>
      ${checkout?.test ? html`<p part="badge">${m.test}</p>` : nothing}
      <h2 part="amount">${heading}</h2>
      ${about ? html`<p class="about clamp"><bdi>${about}</bdi></p>` : nothing}
      ${
        time
          ? html`<div class="time">
              <span id="left">${m.timeLeft}</span>
              <span part="timer" role="timer" aria-labelledby="left">${time.text}</span>
              <progress part="progress" aria-hidden="true" max=${time.span} .value=${time.left}></progress>
            </div>`
          : nothing
      }
    </div>
  </div>`;
}
