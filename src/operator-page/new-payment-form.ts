import { html, nothing, type LitElement, type TemplateResult } from 'lit';
import { maxDescriptionLength, maxIdentifierLength } from '../base/text-limits.ts';
import { methodTypes, type NewPayment } from './new-payment.ts';
import { fieldsOf, methodText } from './page-parts.ts';
import type { TextName, Translator } from './texts.ts';

interface View {
  readonly payment: NewPayment;
  readonly translator: Translator;
  readonly currencies: readonly string[];
  readonly isBusy: boolean;
  /** Something was typed or chosen. */
  readonly type: (fields: Readonly<Record<string, string>>) => void;
  readonly submit: (event: SubmitEvent) => void;
}

/** The form of a new payment. */
export function newPaymentForm(view: View): TemplateResult {
  const { payment, translator, currencies, isBusy, type, submit } = view;
  const { fields, faults, isPayersAmount } = payment;
  const { text: t } = translator;
  const amountField = (name: string, label: TextName): TemplateResult =>
    field(view, name, label, { inputmode: 'decimal', unit: currencies.length === 1 ? `, ${currencies[0] ?? ''}` : '' });
  const kind = (value: 'shop' | 'payer', label: TextName): TemplateResult =>
    html`<label
      ><input
        type="radio"
        name="kind"
        value=${value}
        .checked=${isPayersAmount === (value === 'payer')}
      />${t(label)}</label
    >`;
  const onInput = ({ currentTarget: form }: Event): void =>
    form instanceof HTMLFormElement ? type(fieldsOf(form)) : undefined;
  return html`<form class="card narrow fields" novalidate @submit=${submit} @input=${onInput}>
    <h1>${t('newPayment')}</h1>
    ${field(view, 'description', 'whatFor', { maxlength: maxDescriptionLength, hint: 'whatForHint', isFirst: true })}
    <fieldset class="segments">
      <legend>${t('whoseAmount')}</legend>
      ${kind('shop', 'amountBySeller')} ${kind('payer', 'amountByPayer')}
    </fieldset>
    <div class="pair">
      ${isPayersAmount ? [amountField('min_amount', 'atLeast'), amountField('max_amount', 'atMost')] : amountField('amount', 'amount')}
      ${
        currencies.length === 1
          ? html`<input type="hidden" name="currency" value=${currencies[0] ?? ''} />`
          : html`<label
              >${t('currency')}<select name="currency" autocomplete="off">
                ${currencies.map((currency) => html`<option ?selected=${fields['currency'] === currency}>${currency}</option>`)}
              </select></label
            >`
      }
    </div>
    ${field(view, 'order_id', 'orderNumber', { maxlength: maxIdentifierLength, hint: 'orderNumberHint' })}
    ${field(view, 'expires_at', 'payableUntil', { type: 'datetime-local', hint: 'payableUntilHint' })}
    <details ?open=${'methods' in faults || methodTypes.some((method) => `method_${method}` in fields)}>
      <summary>${t('methods')}</summary>
      <p class="muted">${t('methodsHint')}</p>
      ${methodTypes.map((method) => {
        const name = `method_${method}`;
        return html`<label class="check"
          ><input
            type="checkbox"
            name=${name}
            ?checked=${name in fields}
          />${methodText({ type: method }, translator)}</label
        >`;
      })}
      ${problemOf(view, 'methods')}
    </details>
    <button class="main" ?disabled=${isBusy}>${t('createLink')}</button>
  </form>`;
}

interface FieldOptions {
  readonly type?: string;
  readonly inputmode?: string;
  readonly maxlength?: number;
  /** What follows the label. */
  readonly unit?: string;
  readonly hint?: TextName;
  readonly isFirst?: boolean;
}

function field(view: View, name: string, label: TextName, options: FieldOptions = {}): TemplateResult {
  const { type = 'text', inputmode, maxlength, unit = '', hint, isFirst = false } = options;
  const { text: t } = view.translator;
  const { fields, faults } = view.payment;
  const isWrong = name in faults;
  return html`<div>
    <label for=${name}>${t(label)}${unit}</label>
    <input
      id=${name}
      name=${name}
      type=${type}
      value=${fields[name] ?? ''}
      autocomplete="off"
      ?data-start=${isFirst}
      inputmode=${inputmode ?? nothing}
      maxlength=${maxlength ?? nothing}
      aria-invalid=${isWrong}
      aria-describedby="${name}-problem ${name}-hint"
    />
    ${problemOf(view, name)} ${hint === undefined ? nothing : html`<p class="muted" id="${name}-hint">${t(hint)}</p>`}
  </div>`;
}

/** What is wrong with a field. A number that is taken leads to the payment that has it. */
function problemOf({ payment, translator }: View, name: string): TemplateResult {
  const { faults, takenBy } = payment;
  const { text: t, textOr } = translator;
  const way =
    name === 'order_id' && takenBy !== undefined ? html` <a href="#${takenBy}">${t('openTaken')}</a>` : nothing;
  return html`<p class="bad" id="${name}-problem">
    ${name in faults ? html`${textOr(faults[name] ?? '')}${way}` : nothing}
  </p>`;
}

/** Gives the focus to the first field that is wrong, once the page says so. */
export async function focusFault(page: LitElement): Promise<void> {
  await page.updateComplete;
  const field = page.renderRoot.querySelector('[aria-invalid=true]');
  if (field instanceof HTMLElement) field.focus();
}
