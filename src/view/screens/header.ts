import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Texts } from '../../i18n.ts';

/** What is left of an invoice's time, in milliseconds. */
export interface TimeLeft {
  readonly left: number | undefined;
  readonly span: number | undefined;
}

/** The steps of the progress bar: each is about the width of a pixel or two. */
const steps = 200;

/** The amount of whatever is on the screen, once it is known. */
function amountOf(state: CheckoutState): string | undefined {
  if (!('checkout' in state)) return undefined;
  if (state.status === 'choosing') return state.amount;
  return state.checkout.invoice?.amount ?? state.checkout.amount ?? undefined;
}

/** Writes the time left, in words and as a bar, into a header; without Lit, for it is written each second. */
export function showTime(root: ParentNode, { left, span = 1 }: TimeLeft, t: Texts): void {
  const [timer, bar] = [root.querySelector('[part=timer]'), root.querySelector('progress')];
  if (!timer || !bar || left === undefined) return;
  timer.textContent = t.timeLeft(left);
  const part = Math.ceil((left / span) * steps) / steps;
  // Most seconds change nothing of it, and to say the same again costs a style.
  if (bar.position !== part) bar.value = part;
}

/** What is paid for, the amount, the test mark, and a place for `showTime`. */
export function header(state: CheckoutState, hasTime: boolean, t: Texts): TemplateResult {
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
        hasTime
          ? html`<div class="time">
              <span id="left">${m.timeLeft}</span>
              <span part="timer" role="timer" aria-labelledby="left"></span>
              <progress part="progress" aria-hidden="true"></progress>
            </div>`
          : nothing
      }
    </div>
  </div>`;
}
