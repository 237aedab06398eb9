import { html, nothing, type TemplateResult } from 'lit';
import { maxDescriptionLength, maxIdentifierLength } from '../base/text-limits.ts';
import { tryCompareDecimals } from '../base/decimal.ts';
import { readAmount } from '../core/select-public-state.ts';
import { callAdmin, type Checkouts, type LinkedCheckout } from './admin-client.ts';
import { hasSecret } from './list-address.ts';
import type { TextName, Translator } from './texts.ts';

// The form of a new payment. It keeps what was typed until the server has accepted it.

/** What is wrong with a field, by the field's name: a text of the page, or the server's own words. */
export type Faults = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, string>>;

interface View {
  readonly translator: Translator;
  readonly currencies: readonly string[];
  readonly faults: Faults;
  /** Whether the payer types the amount. */
  readonly isTyped: boolean;
  readonly isBusy: boolean;
  readonly chooseTyped: (isTyped: boolean) => void;
  readonly submit: (event: SubmitEvent) => void;
}

/** The types of methods that occur at the service. It decides which of them a payer gets. */
const methodTypes = ['SBP', 'CARD', 'BANK_TRANSFER'] as const;

export function newPaymentForm(view: View): TemplateResult {
  const { translator, currencies, isTyped, isBusy, chooseTyped, submit } = view;
  const { text: t, textOr } = translator;
  const amountField = (name: string, label: TextName): TemplateResult =>
    field(view, name, label, { inputmode: 'decimal', unit: currencies.length === 1 ? `, ${currencies[0] ?? ''}` : '' });
  const kind = (typed: boolean, label: TextName): TemplateResult =>
    html`<label
      ><input
        type="radio"
        name="kind"
        .checked=${isTyped === typed}
        @change=${() => chooseTyped(typed)}
      />${t(label)}</label
    >`;
  return html`<form class="card narrow fields" novalidate @submit=${submit}>
    <h1>${t('newPayment')}</h1>
    ${field(view, 'description', 'whatFor', { maxlength: maxDescriptionLength, hint: 'whatForHint', isFirst: true })}
    <fieldset class="segments">
      <legend>${t('whoseAmount')}</legend>
      ${kind(false, 'amountBySeller')} ${kind(true, 'amountByPayer')}
    </fieldset>
    <div class="pair">
      ${isTyped ? [amountField('min_amount', 'atLeast'), amountField('max_amount', 'atMost')] : amountField('amount', 'amount')}
      ${
        currencies.length === 1
          ? html`<input type="hidden" name="currency" value=${currencies[0] ?? ''} />`
          : html`<label
              >${t('currency')}<select name="currency" autocomplete="off">
                ${currencies.map((currency) => html`<option>${currency}</option>`)}
              </select></label
            >`
      }
    </div>
    ${field(view, 'order_id', 'orderNumber', { maxlength: maxIdentifierLength, hint: 'orderNumberHint' })}
    ${field(view, 'expires_at', 'payableUntil', { type: 'datetime-local', hint: 'payableUntilHint' })}
    <details ?open=${'methods' in view.faults}>
      <summary>${t('methods')}</summary>
      <p class="muted">${t('methodsHint')}</p>
      ${methodTypes.map(
        (type) => html`<label class="check"><input type="checkbox" name="method_${type}" />${textOr(type)}</label>`,
      )}
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
  const isWrong = name in view.faults;
  return html`<div>
    <label for=${name}>${t(label)}${unit}</label>
    <input
      id=${name}
      name=${name}
      type=${type}
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

const problemOf = ({ faults, translator }: View, name: string): TemplateResult =>
  html`<p class="bad" id="${name}-problem">${name in faults ? translator.textOr(faults[name] ?? '') : nothing}</p>`;

interface NewOrder {
  readonly order_id: string;
}

/** Reads the form: the body of `POST /admin/checkouts`, or what is wrong. The server checks it once more. */
export function readNewPayment(fields: Fields, now: Date): { readonly order?: NewOrder; readonly faults: Faults } {
  const faults: Record<string, string> = {};
  const currency = fields['currency'] ?? '';
  const read = (name: string): string | undefined => {
    const typed = fields[name]?.trim() ?? '';
    if (typed === '') return undefined;
    const { amount, fault } = readAmount(typed, null, currency);
    if (fault !== undefined) faults[name] = `amount_${fault}`;
    return amount;
  };
  const isTyped = !('amount' in fields);
  const [amount, min, max] = [read('amount'), read('min_amount'), read('max_amount')];
  if (!isTyped && amount === undefined) faults['amount'] ??= 'amount_missing';
  if (isTyped && min === undefined && max === undefined && faults['max_amount'] === undefined)
    faults['min_amount'] ??= 'limits_missing';
  if (min !== undefined && max !== undefined && tryCompareDecimals(min, max) === 1)
    faults['max_amount'] = 'limits_empty';
  const until = fields['expires_at'] ?? '';
  if (until !== '' && !(new Date(until) > now)) faults['expires_at'] = 'until_passed';
  const orderId = fields['order_id']?.trim() ?? '';
  if (hasSecret(orderId)) faults['order_id'] = 'secret'; // a create searches for the number first
  if (Object.keys(faults).length > 0) return { faults };
  const methods = methodTypes.filter((type) => `method_${type}` in fields);
  const number = orderId === '' ? makeOrderNumber(now) : orderId;
  const description = fields['description']?.trim() ?? '';
  const limits = { ...(min !== undefined && { min_amount: min }), ...(max !== undefined && { max_amount: max }) };
  const order = {
    order_id: number,
    reference: number,
    currency,
    ...(isTyped ? { amount_limits: limits } : { amount }),
    ...(description !== '' && { description }),
    ...(until !== '' && { expires_at: new Date(until).toISOString() }),
    ...(methods.length > 0 && { methods }),
  };
  return { order, faults };
}

/** Without signs that are taken for each other when they are read out. */
const signs = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';

/** A number that a person can read out: the day, and six random signs. */
function makeOrderNumber(now: Date): string {
  const random = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => signs[byte % signs.length] ?? '');
  const day = [now.getFullYear() % 100, now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${day.join('')}-${random.join('')}`;
}

/** Makes the payment, or says which fields the server does not accept. */
export async function createPayment(token: string, order: NewOrder): Promise<LinkedCheckout | Answered> {
  try {
    const { checkouts } = await callAdmin<Checkouts>(token, ['checkouts'], { order_id: order.order_id });
    // The shop's own orders have numbers too. A create would answer with the checkout that the order has.
    if (checkouts.length > 0) return { faults: { order_id: 'order_taken' } };
    return await callAdmin<LinkedCheckout>(token, ['checkouts'], {}, order);
  } catch (error) {
    const faults = error instanceof Error ? faultsOfAnswer(error.name, error.message) : undefined;
    if (faults === undefined) throw error;
    return { faults };
  }
}

interface Answered {
  readonly faults: Faults;
}

/** The fields that the server's answer is about: `detail` names each with its rule. Undefined: it is about none of them. */
function faultsOfAnswer(code: string, detail: string): Faults | undefined {
  if (code === 'order_conflict') return { order_id: 'order_taken' };
  if (code !== 'invalid_request') return undefined;
  const [, name = '', rule = ''] = /^(?:amount_limits\.)?(\w+): (.*)$/s.exec(detail) ?? [];
  const known = ['description', 'amount', 'min_amount', 'max_amount', 'order_id', 'expires_at', 'methods'];
  return known.includes(name) ? { [name]: rule } : undefined;
}
