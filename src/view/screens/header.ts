import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import type { CheckoutState, Clock, Deadline } from '../../core.ts';
import { countdownStepMs, type FirstFileTranslator } from '../../i18n.ts';
import type { TimeLeft } from './screen-props.ts';
import { foreignText } from './shared-templates.ts';

export interface CountdownOptions {
  readonly deadline: () => Deadline | undefined;
  /** Called when the displayed text changes. */
  readonly onTick: () => void;
}

/** The time left until a deadline. It ticks only when the displayed text can change. */
export class CountdownController implements ReactiveController, TimeLeft {
  remainingMs: number | undefined;
  totalMs: number | undefined;
  readonly #clock: Clock;
  readonly #options: CountdownOptions;
  #cancel: (() => void) | undefined;

  constructor(host: ReactiveControllerHost, clock: Clock, options: CountdownOptions) {
    this.#clock = clock;
    this.#options = options;
    host.addController(this);
  }

  hostUpdate(): void {
    this.#cancel?.();
    const deadline = this.#options.deadline();
    const remainingMs = deadline?.certain ? Math.max(0, deadline.at - this.#clock.now()) : undefined;
    this.remainingMs = remainingMs;
    this.totalMs = deadline?.span;
    if (!remainingMs) return;
    const stepMs = countdownStepMs(remainingMs);
    // Timers fire up to 1 ms early, and the text changes only with the step.
    this.#cancel = this.#clock.schedule(Math.ceil(remainingMs % stepMs || stepMs) + 1, () => {
      this.hostUpdate();
      this.#options.onTick();
    });
  }

  hostDisconnected(): void {
    this.#cancel?.();
  }
}

/** The time left as text; nothing where it is not known, or cannot be written yet. */
export function timeLeft(time: TimeLeft, t: FirstFileTranslator): TemplateResult | typeof nothing {
  const text = time.remainingMs === undefined ? '' : t.timeLeft(time.remainingMs);
  if (!text) return nothing;
  return html`<div class="time">
    <span id="left" aria-hidden="true">${t.m('header.time-left')}</span>
    <span part="timer" role="timer" translate="no" aria-labelledby="left">${text}</span>
  </div>`;
}

/** The amount of the current screen, once it is known. */
function amountOf(state: CheckoutState): string | undefined {
  if (!('checkout' in state)) return undefined;
  // A typed amount is in its field: in the header it would come and go.
  if (state.status === 'choosing') return state.checkout.amount ?? undefined;
  // While an invoice is created, the checkout still has the invoice before it.
  const { amount, invoice } = state.checkout;
  return (state.status === 'creating' ? undefined : invoice?.amount) ?? amount ?? undefined;
}

/** Whether nothing is to be paid now: the time is up, or the payment has ended. The screen itself then shows the order's number. */
const isOver = (state: CheckoutState): boolean =>
  state.status === 'waiting' ? state.verifyingExpiry : 'invoice' in state;

/** The text above the amount. */
const amountLabel = (state: CheckoutState, { m }: FirstFileTranslator): string =>
  m(
    state.status === 'loading'
      ? 'widget.name'
      : state.status === 'paid'
        ? 'header.paid'
        : isOver(state)
          ? 'header.amount'
          : 'header.due',
  );

/** The order's number, unless the description or the screen shows it, and the shop's own lines. Only wide layouts show them. */
function orderDetails(state: CheckoutState, { m }: FirstFileTranslator): TemplateResult {
  const { reference, description } = 'checkout' in state ? state.checkout : {};
  return html`<div class="order">
    ${
      reference && !description?.includes(reference) && !isOver(state)
        ? html`<p class="muted">${m('header.order')}: <bdi translate="no">${reference}</bdi></p>`
        : nothing
    }
    <slot name="order"></slot>
  </div>`;
}

/** The shop's logo, the amount with the test badge beside its label and the time left to pay (`time`), the description and the order. */
export function header(state: CheckoutState, time: unknown, t: FirstFileTranslator): TemplateResult | typeof nothing {
  const { m } = t;
  if (state.status === 'lost') return nothing;
  const checkout = 'checkout' in state ? state.checkout : undefined;
  const description = checkout?.description;
  const amount = amountOf(state);
  const money = amount === undefined ? undefined : t.money(amount, checkout?.currency ?? null);
  const badge = checkout?.test ? html`<span part="badge">${m('header.test')}</span>` : nothing;
  const isShown = money ?? (state.status === 'loading' && !state.connection.failures);
  return html`<div part="header" class=${isShown ? '' : 'bare'}>
    <slot name="logo"></slot>
    <slot name="header"></slot>
    <div class="summary">
      ${time}
      <h2 part="amount">
        ${
          isShown
            ? html`<span class="due ${state.status === 'paid' ? 'paid' : ''}"
                  >${`${amountLabel(state, t)} `}${badge}</span
                >
                <span class="money" translate="no"
                  >${money?.major}<small class=${money ? '' : 'skeleton line'}>${money?.minor}</small></span
                >`
            : html`${m('widget.name')} ${badge}`
        }
      </h2>
      ${description ? html`<p part="description" class="clamp">${foreignText(description, t)}</p>` : nothing}
      ${orderDetails(state, t)}
    </div>
  </div>`;
}
