import { html, noChange, nothing, type TemplateResult } from 'lit';
import { isUsable, type CheckoutErrorCode, type ChoosingState } from '../../core.ts';
import type { MessageOverrides, OptionsTranslator } from '../../i18n.ts';
import type { BankOption, PaymentOption } from '../../protocol.ts';
import { onServer } from '../on-server.ts';
import { button, icon, note, problem, title, type IconName } from './shared-templates.ts';
import type { OptionsHandlers } from './screen-props.ts';

/** Why the create request was refused, in the payer's language. Its texts come with the code that requests invoices. */
export function refusalText(code: CheckoutErrorCode, { refused = {} }: MessageOverrides): string {
  const texts: Partial<Record<CheckoutErrorCode, string>> = refused;
  return texts[code] ?? refused.other ?? '';
}

const iconOf = (type: string): IconName =>
  /card/i.test(type) ? 'card' : /sbp|phone|qr/i.test(type) ? 'phone' : 'bank';

function amountField(
  { checkout, typed, fault }: ChoosingState,
  on: OptionsHandlers,
  t: OptionsTranslator,
): TemplateResult {
  const limits = t.limits(checkout.amount_limits, checkout.currency);
  const wrong = fault && (fault !== 'malformed' && limits ? t.m.outOfLimits(limits) : t.m.malformed);
  const onInput = (event: InputEvent): void => {
    if (event.target instanceof HTMLInputElement) on.setAmount(event.target.value);
  };
  return html`<div class="field">
    <label for="amount">${t.m.enterAmount}</label>
    <input
      id="amount"
      inputmode="decimal"
      autocomplete="off"
      maxlength="24"
      aria-describedby="amount-note"
      aria-invalid=${fault !== undefined}
      .value=${typed ?? ''}
      @input=${onInput}
    />
    <small id="amount-note" class=${fault ? 'failed' : 'muted'}>${wrong ?? limits}</small>
  </div>`;
}

function bankItem(
  bank: BankOption,
  option: PaymentOption,
  { amount, checkout }: ChoosingState,
  t: OptionsTranslator,
): unknown {
  const usable = isUsable({ ...option, ...bank, id: '' }, amount);
  const limits = t.limits(bank.limits, checkout.currency);
  const differs = limits !== undefined && limits !== t.limits(option.limits, checkout.currency);
  const about = bank.available ? (differs || !usable ? limits : undefined) : t.m.unavailable;
  return html`<li class=${usable ? '' : 'off'}>
    <bdi>${(bank.name ?? bank.code).slice(0, 60)}</bdi>${about ? html` <small>${about.toLowerCase()}</small>` : nothing}
  </li>`;
}

function method(
  option: PaymentOption,
  index: number,
  state: ChoosingState,
  on: OptionsHandlers,
  t: OptionsTranslator,
): TemplateResult {
  const { checkout, amount } = state;
  const selected = option.id === state.selected;
  const usable = isUsable(option, amount);
  const limits = t.limits(option.limits, checkout.currency);
  const about = !option.available
    ? t.m.unavailable
    : limits !== undefined && !usable
      ? t.m.outOfLimits(limits)
      : checkout.amount === null
        ? limits
        : undefined;
  // Where the page refuses the method, `preventDefault` makes the browser restore the previous choice.
  const onClick = (event: Event): void => {
    if (!selected && !on.select(option)) event.preventDefault();
  };
  return html`<div part="method">
    <label>
      <input
        type="radio"
        name="method"
        aria-labelledby="m${index}"
        aria-describedby="d${index}"
        ?checked=${onServer && selected}
        .checked=${onServer ? noChange : selected}
        ?disabled=${!usable}
        @click=${onClick}
      />
      <span
        ><b class="clamp" id="m${index}">${option.name ?? option.code ?? t.m.unnamed}</b
        ><small id="d${index}">${about}</small></span
      >
      ${icon(iconOf(option.type))}
    </label>
    ${
      selected && option.banks.length > 0
        ? html`<ul
            part="banks"
            tabindex=${option.banks.length > 3 ? 0 : nothing}
            aria-label=${t.m.banks(option.banks.length)}
          >
            ${option.banks.map((bank) => bankItem(bank, option, state, t))}
          </ul>`
        : nothing
    }
  </div>`;
}

/** The payer chooses the method, and types the amount where the checkout has none. */
export function choosingScreen(state: ChoosingState, on: OptionsHandlers, t: OptionsTranslator): TemplateResult {
  const { m } = t;
  const { checkout, activeInvoice, refusal } = state;
  const methods = checkout.options.map((option, index) => method(option, index, state, on, t));
  return html`
    ${
      activeInvoice && m.twice && m.twiceText && m.resume
        ? note(
            m.twice,
            m.twiceText(t.brief(activeInvoice.amount, checkout.currency)),
            button(m.resume, on.resumeInvoice),
          )
        : nothing
    }
    <form novalidate aria-busy=${state.refreshing} @submit=${on.createInvoice}>
      ${checkout.amount === null ? amountField(state, on, t) : nothing}
      ${
        methods.length === 0
          ? note(m.noMethods, m.noMethodsText, button(m.again, on.refresh))
          : html`<div class="stack" role="radiogroup" aria-labelledby="choose">
              <div id="choose">${title(m.choose)}</div>
              <div part="methods">${methods}</div>
            </div>`
      }
      ${refusal ? problem(refusalText(refusal.code, m)) : nothing}
      ${
        methods.length === 0
          ? nothing
          : html`<button
              part="continue"
              class="main"
              ?disabled=${state.selected === undefined || state.amount === undefined}
            >
              ${m.proceed}
            </button>`
      }
    </form>
  `;
}
