import { html, noChange, nothing, type TemplateResult } from 'lit';
import { isUsable, type CheckoutErrorCode, type CheckoutState, type ChoosingState } from '../../core.ts';
import type { LoadedMessages, FirstFileTranslator } from '../../i18n.ts';
import type { BankOption, PaymentOption } from '../../checkout-api.ts';
import { isServerRendering } from '../is-server-rendering.ts';
import { button, icon, note, errorNote, title } from './shared-templates.ts';
import type { NamedMethod, OptionsHandlers } from './screen-props.ts';

/**
 * Why the create request was refused, in the payer's language. The texts come with the second file. Where that file could
 * not be loaded, the text says that there is no connection.
 */
export function refusalText(code: CheckoutErrorCode, { refused = {}, offline }: LoadedMessages): string {
  const texts: Partial<Record<CheckoutErrorCode, string>> = refused;
  return texts[code] ?? refused.other ?? offline;
}

const cardPath = 'M3 6h18v12H3zM3 10h18M7 15h3';
const phonePath = 'M7 2h10v20H7zM11 18h2';
const bankPath = 'M3 10l9-6 9 6zM5 10v8M10 10v8M14 10v8M19 10v8M3 21h18';

const iconPathOf = (type: string): string =>
  /card/i.test(type) ? cardPath : /sbp|phone|qr/i.test(type) ? phonePath : bankPath;

function amountField(
  { checkout, typed, fault }: ChoosingState,
  on: OptionsHandlers,
  t: FirstFileTranslator,
): TemplateResult {
  const limits = t.limits(checkout.amount_limits, checkout.currency);
  const errorText = fault && (fault !== 'malformed' && limits ? t.m.outOfLimits(limits) : t.m.malformed);
  const onInput = (event: InputEvent): void => {
    if (event.target instanceof HTMLInputElement) on.setAmount(event.target.value);
  };
  return html`<div class="field">
    <label for="amount">${t.m.enterAmount}</label>
    <input
      id="amount"
      part="input"
      inputmode="decimal"
      autocomplete="off"
      maxlength="24"
      aria-describedby="amount-note"
      aria-invalid=${fault !== undefined}
      .value=${typed ?? ''}
      @input=${onInput}
    />
    <small id="amount-note" class=${fault ? 'failed' : 'muted'}>${errorText ?? limits}</small>
  </div>`;
}

/** The types that have a name in the payer's language. */
const namedTypes: readonly string[] = ['sbp', 'card', 'bank_transfer'];

/**
 * The displayed name of a method: the merchant's, else the service's. Where the service gives none or only repeats the type
 * ("SBP", "СБП"), a known type has a name in the payer's language.
 */
export function methodName(method: NamedMethod, on: OptionsHandlers, { m }: FirstFileTranslator): string {
  const { name, code, type } = method;
  const lowerType = type.toLowerCase();
  const typeName = [m.sbp, m.toCard, m.toAccount][namedTypes.indexOf(lowerType)];
  const isGenericName = name === undefined || name.toLowerCase() === lowerType || name === 'СБП';
  return on.methodName(method) ?? (isGenericName ? typeName : name) ?? name ?? code ?? m.choose;
}

/** Up to this many banks are all shown. Of more banks, only two are shown until the payer unfolds the list. */
const mostBanksShown = 3;

/** The names of a method's banks, as plain text because there is nothing to choose. Banks that accept the amount come first. */
function bankNames(option: PaymentOption, { amount, checkout }: ChoosingState, t: FirstFileTranslator): TemplateResult {
  const isBankUsable = (bank: BankOption): boolean => isUsable({ ...option, ...bank, banks: [] }, amount);
  const bankText = (bank: BankOption): string => {
    const limits = bank.available ? t.limits(bank.limits, checkout.currency) : t.m.unavailable;
    // Isolated, so that a name does not change the text direction of the names after it.
    return `\u2068${(bank.name ?? bank.code).slice(0, 60)}\u2069${isBankUsable(bank) ? '' : ` (${limits ?? ''})`}`;
  };
  const names = [...option.banks].sort((a, b) => Number(isBankUsable(b)) - Number(isBankUsable(a))).map(bankText);
  if (names.length <= mostBanksShown) return html`<p part="banks">${names.join(', ')}</p>`;
  return html`<details part="banks">
    <summary>${t.m.banks(names.slice(0, 2).join(', '), names.length - 2)}</summary>
    <p>${names.slice(2).join(', ')}</p>
  </details>`;
}

function methodTemplate(
  option: PaymentOption,
  index: number,
  state: ChoosingState,
  on: OptionsHandlers,
  t: FirstFileTranslator,
): TemplateResult {
  const { checkout, amount } = state;
  const isSelected = option.id === state.selected;
  const isMethodUsable = isUsable(option, amount);
  const limits = t.limits(option.limits, checkout.currency);
  const isOutOfLimits = limits !== undefined && isUsable(option, undefined);
  const unusableReason = isMethodUsable ? undefined : isOutOfLimits ? t.m.outOfLimits(limits) : t.m.unavailable;
  // Where the page does not allow the method, `preventDefault` makes the browser restore the previous choice.
  const onClick = (event: Event): void => {
    if (!isSelected && !on.select(option)) event.preventDefault();
  };
  return html`<div part="method">
    <label>
      <input
        type="radio"
        name="method"
        aria-labelledby="m${index}"
        aria-describedby="d${index}"
        ?checked=${isServerRendering && isSelected}
        .checked=${isServerRendering ? noChange : isSelected}
        ?disabled=${!isMethodUsable}
        @click=${onClick}
      />
      <span
        ><b class="clamp" id="m${index}">${methodName(option, on, t)}</b
        ><small id="d${index}">${unusableReason}</small></span
      >
      ${icon(iconPathOf(option.type))}
    </label>
    ${isSelected && option.banks.length > 0 ? bankNames(option, state, t) : nothing}
  </div>`;
}

/** What the payer has chosen and typed on a screen: the index of the method (-1 for none), and the amount. */
export interface ChoosingInput {
  readonly method: number;
  readonly amount: string | undefined;
}

/** Reads what the payer chose and typed on a server's screen before the scripts were loaded. */
export function readInput(root: ParentNode): ChoosingInput {
  const radios = [...root.querySelectorAll<HTMLInputElement>('[type=radio]')];
  const amount = root.querySelector<HTMLInputElement>('#amount')?.value;
  return { method: radios.findIndex(({ checked }) => checked), amount };
}

/** Repeats the input of a server's screen once its state is known. */
export function repeatInput(
  { method, amount }: ChoosingInput,
  getState: () => CheckoutState,
  on: Pick<OptionsHandlers, 'select' | 'setAmount'>,
): void {
  if (amount) on.setAmount(amount);
  const state = getState();
  const option = state.status === 'choosing' && state.checkout.options[method];
  if (option && option.id !== state.selected) on.select(option);
}

/**
 * The methods to choose from, and the field for the amount where the checkout has none. A form with the method `dialog` outside
 * a dialog is not submitted by the browser, so that a click before the scripts are loaded does not leave the page.
 */
export function choosingScreen(state: ChoosingState, on: OptionsHandlers, t: FirstFileTranslator): TemplateResult {
  const { m } = t;
  const { checkout, activeInvoice, refusal } = state;
  const methods = checkout.options.map((option, index) => methodTemplate(option, index, state, on, t));
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
    <form novalidate method="dialog" aria-busy=${state.refreshing} @submit=${on.createInvoice}>
      ${checkout.amount === null ? amountField(state, on, t) : nothing}
      ${
        methods.length === 0
          ? note(m.noMethods, m.noMethodsText, button(m.again, on.refresh))
          : html`<div class="stack" role="radiogroup" aria-labelledby="choose">
              <div id="choose">${title(m.choose)}</div>
              <div part="methods">${methods}</div>
            </div>`
      }
      ${refusal ? errorNote(refusalText(refusal.code, m)) : nothing}
      ${
        methods.length === 0
          ? nothing
          : html`<slot name="terms"></slot>
              <button
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
