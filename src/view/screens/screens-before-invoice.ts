import { html, nothing, type TemplateResult } from 'lit';
import { isUsable, type CheckoutState, type ChoosingState } from '../../core.ts';
import type { FirstFileTranslator } from '../../i18n.ts';
import type { PaymentOption } from '../../checkout-api.ts';
import { banksFor, continueText, isForeign, methodName, unusableReason } from './method-texts.ts';
import { button, foreignText, icon, note, title } from './shared-templates.ts';
import type { FirstFileHandlers } from './screen-props.ts';

/** What the second file adds to the methods. */
export interface ChoosingAdditions {
  /** The notes above the methods: an invoice that can still be paid, or why none was created. */
  readonly notes: unknown;
  /** Why the typed amount cannot be paid; '' while there is nothing to correct. */
  readonly amountError: string;
  /** The limits of the amount in words. */
  readonly limits: string;
}

const cardPath = 'M3 6h18v12H3zM3 10h18M7 15h3';
const phonePath = 'M7 2h10v20H7zM11 18h2';
const bankPath = 'M3 10l9-6 9 6zM5 10v8M10 10v8M14 10v8M19 10v8M3 21h18';

const iconPathOf = (type: string): string =>
  /card/i.test(type) ? cardPath : /sbp|phone|qr/i.test(type) ? phonePath : bankPath;

function amountField(
  state: ChoosingState,
  more: ChoosingAdditions | undefined,
  on: FirstFileHandlers,
  t: FirstFileTranslator,
): TemplateResult {
  const onInput = (event: InputEvent): void => {
    if (event.target instanceof HTMLInputElement) on.setAmount(event.target.value);
  };
  return html`<div class="field">
    <label for="amount">${t.m('header.amount')}</label>
    <div class="input" data-unit=${t.brief('0', state.checkout.currency).replace(/[\d\s]/g, '')}>
      <input
        id="amount"
        part="input"
        inputmode="decimal"
        autocomplete="off"
        maxlength="24"
        aria-describedby="amount-note"
        aria-invalid=${!!more?.amountError}
        .value=${state.typed ?? ''}
        @input=${onInput}
        @change=${on.checkAmount}
      />
    </div>
    <small id="amount-note" class=${more?.amountError ? 'failed' : 'muted'}
      >${more && (more.amountError || more.limits)}</small
    >
  </div>`;
}

/** The banks that take the amount, as text because there is nothing to choose: at most five, or four and how many more. */
function bankNames(option: PaymentOption, { amount }: ChoosingState, t: FirstFileTranslator): TemplateResult {
  const names = banksFor(option, amount);
  return html`<small part="banks" class="muted"
    >${names[0] && html`<span class="sr">${t.m('method.banks')} </span>`}${names.map((name) => html`${foreignText(name, t)} `)}</small
  >`;
}

function methodTemplate(
  option: PaymentOption,
  index: number,
  isOnlyChoice: boolean,
  state: ChoosingState,
  on: FirstFileHandlers,
  t: FirstFileTranslator,
): TemplateResult {
  const ofSameType = state.checkout.options.filter(({ type }) => type === option.type);
  const name = methodName(option, on, t, ofSameType.length === 1);
  const isSelected = option.id === state.selected;
  const isMethodUsable = isUsable(option, state.amount);
  // Where the page does not allow the method, `preventDefault` makes the browser restore the previous choice.
  const onClick = (event: Event): void => {
    if (!isSelected && !on.select(option)) event.preventDefault();
  };
  const radio = html`<input
    type="radio"
    name="method"
    aria-labelledby="m${index}"
    aria-describedby="d${index}"
    .checked=${isSelected}
    ?disabled=${!isMethodUsable}
    @click=${onClick}
  />`;
  // A list that is inert needs no radio.
  return html`<label part="method" class=${isMethodUsable ? (isSelected ? 'chosen' : '') : 'off'}>
    ${isOnlyChoice ? nothing : radio}
    <span
      ><b class="clamp" id="m${index}" lang=${isForeign(name, t) ? 'ru' : nothing}>${name}</b
      ><span id="d${index}"
        >${isMethodUsable ? bankNames(option, state, t) : html`<small>${unusableReason(option, state, t)}</small>`}</span
      ></span
    >
    <slot name="method-${option.type.toLowerCase().replace(/_/g, '-')}">${icon(iconPathOf(option.type))}</slot>
  </label>`;
}

/**
 * The methods to choose from, and the field for the amount where the checkout has none. A form with the method `dialog` outside
 * a dialog is not submitted by the browser, so that a click before the scripts are loaded does not leave the page. The button does
 * not need the form: in a frame with `sandbox` and without `allow-forms`, nothing is submitted.
 */
function choosingScreen(
  state: ChoosingState,
  more: ChoosingAdditions | undefined,
  on: FirstFileHandlers,
  t: FirstFileTranslator,
  late: TemplateResult | undefined,
): TemplateResult {
  const { m } = t;
  const { checkout, amount, selected } = state;
  const { options } = checkout;
  const [usable, ...others] = options.filter((option) => isUsable(option, amount));
  // With an amount that is typed, the radios would come and go.
  const isOnlyChoice = checkout.amount !== null && !others[0] && usable?.id === selected;
  return html`
    ${more?.notes}
    <form novalidate method="dialog" aria-busy=${state.refreshing} @submit=${on.createInvoice}>
      ${checkout.amount === null ? amountField(state, more, on, t) : nothing}
      <div class="stack">
        <div id="choose">${title(m('options.title'))}</div>
        <div
          part="methods"
          role=${isOnlyChoice ? nothing : 'radiogroup'}
          aria-labelledby=${isOnlyChoice ? nothing : 'choose'}
        >
          ${options.map((option, index) => methodTemplate(option, index, isOnlyChoice, state, on, t))}
        </div>
      </div>
      <slot name="terms"></slot>
      <button part="continue" class="main" ?disabled=${selected === undefined} @click=${on.createInvoice}>
        ${continueText(options.find(({ id }) => id === selected)?.type ?? '', t)}
      </button>
      ${(state.refusal ?? state.fault) && late}
    </form>
  `;
}

/** Placeholders with the shape of the screen that is being loaded, whose heading may be there. */
export const skeleton = (heading: unknown = html`<div class="skeleton line"></div>`): TemplateResult => html`
  ${heading}
  <div class="stack" aria-hidden="true">
    <div class="skeleton"></div>
    <div class="skeleton"></div>
    <div class="skeleton"></div>
  </div>
`;

/**
 * The screen of a state before there is an invoice. Other states show `pending`. The second file says why the payer cannot go on:
 * while it is late, `late` says so in its place.
 */
export function optionsScreen(
  state: CheckoutState,
  on: FirstFileHandlers,
  t: FirstFileTranslator,
  more: ChoosingAdditions | undefined,
  pending: TemplateResult,
  late: TemplateResult | undefined,
): TemplateResult {
  const { m } = t;
  if (state.status === 'choosing' && state.checkout.options[0]) return choosingScreen(state, more, on, t, late);
  return state.status === 'creating' ? skeleton(title(m('creating.title'))) : pending;
}

/** In place of what cannot be shown because its file has not come in time. */
export const lateNote = ({ m }: FirstFileTranslator): TemplateResult =>
  note(
    m('file-late.title'),
    m('file-late.text'),
    button(m('file-late.reload'), () => location.reload(), 'main'),
  );
