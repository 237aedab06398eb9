import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';

/** The remaining and the total time of an invoice, in milliseconds. */
export interface TimeLeft {
  readonly remainingMs: number | undefined;
  readonly totalMs: number | undefined;
}

/** The steps of the progress bar: each is one or two pixels wide. */
const steps = 200;

/** The amount of the current screen, once it is known. */
function amountOf(state: CheckoutState): string | undefined {
  if (!('checkout' in state)) return undefined;
  if (state.status === 'choosing') return state.amount;
  return state.checkout.invoice?.amount ?? state.checkout.amount ?? undefined;
}

/** The part of the time that is left, in steps. */
const partLeft = ({ remainingMs = 0, totalMs = 1 }: TimeLeft): number =>
  Math.ceil((remainingMs / totalMs) * steps) / steps;

/** Updates the time left in the rendered header, as text and bar: each second, and so without rendering the widget. */
export function showTime(root: ParentNode, time: TimeLeft, t: Translator): void {
  const [timer, bar] = [root.querySelector('[part=timer]'), root.querySelector('progress')];
  // Lit's text stands behind its marker.
  const text = timer?.firstChild?.nextSibling;
  if (!text || !bar || time.remainingMs === undefined) return;
  text.nodeValue = t.timeLeft(time.remainingMs);
  const part = partLeft(time);
  // Most seconds do not change the value, and writing the same value again recalculates styles.
  if (bar.position !== part) bar.value = part;
}

/** The description, the amount, the test mark, and the time left, which `showTime` updates. */
export function header(state: CheckoutState, time: TimeLeft, t: Translator): TemplateResult {
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
        time.remainingMs !== undefined
          ? html`<div class="time">
              <span id="left">${m.timeLeft}</span>
              <span part="timer" role="timer" aria-labelledby="left">${t.timeLeft(time.remainingMs)}</span>
              <progress part="progress" value=${partLeft(time)} aria-hidden="true"></progress>
            </div>`
          : nothing
      }
    </div>
  </div>`;
}
