import { html, raw } from 'hono/html';
import type { AmountLimits, PaymentOption } from '../../checkout-api.ts';
import { isUsable } from '../../core.ts';
import { readAmount } from '../../core/select-public-state.ts';
import { banksFor, continueText, methodName, unusableReason } from '../../view/screens/method-texts.ts';
import { amountErrorText, limitsText, refusalText } from '../../view/screens/payment-texts.ts';
import {
  foreignText,
  heading,
  mark,
  methodLogo,
  noOwnNames,
  withExact,
  type CheckoutView,
  type Html,
} from './page-parts.ts';

/** The longest amount that the field takes. */
export const maxTypedLength = 24;

/** Reads the amount in the field, as a payer of the page's language has typed it. */
export const readTyped = (
  typed: string,
  limits: AmountLimits | null,
  currency: string | null,
  t: CheckoutView['t'],
): ReturnType<typeof readAmount> => readAmount(typed, limits, currency, t.money('10000.5', null).text);

/** The methods as a form, and the field for the amount where the checkout has none. */
export function choosingScreen(view: CheckoutView): Html {
  const { checkout, t, problem, key, path } = view;
  const { m } = t;
  const amount = checkout.amount ?? undefined;
  const usable = checkout.options.filter((option) => isUsable(option, amount));
  const read = view.typedAmount.trim() ? readTyped(view.typedAmount, checkout.amount_limits, checkout.currency, t) : {};
  const reason =
    problem &&
    (amountErrorText({ checkout, amount: undefined, fault: undefined, ...read }, t) || refusalText(problem, view, t));
  const error = reason ? html`<p class="note error" role="alert">${reason}</p>` : '';
  const [first, second] = usable;
  if (first === undefined)
    return html`${error}
      <div class="outcome">
        ${mark('note')} ${heading(view, 'title', m('options.none-title'))}
        <p class="muted">${m('options.none-text')}</p>
      </div>
      <div class="actions">
        <a class="main" href="${path}">${m('action.try-again')}</a>
      </div>`;
  const selected = usable.find(({ id }) => id === view.methodId) ?? first;
  const only = second === undefined && checkout.amount !== null ? first : undefined;
  return html`${error}${invoiceNote(view)}
    <form method="post" action="${path}">
      <input type="hidden" name="key" value="${key}" />
      ${checkout.status === 'open' ? '' : html`<input type="hidden" name="replace" value="1" />`}
      ${checkout.amount === null ? amountField(view) : ''} ${heading(view, 'title', m('options.title'))}
      <div class="methods">
        ${checkout.options.map((option) => methodRow(view, option, selected, only !== undefined))}
      </div>
      <button class="main">${continueTexts(usable, t)}</button>
    </form>`;
}

/** What the button says by the method that is chosen: the style sheet shows one of the texts, or, in an old browser, the first. */
function continueTexts(usable: readonly PaymentOption[], t: CheckoutView['t']): Html | string {
  const texts = new Map(usable.map(({ type }) => [continueText(type, t), kindOf(type)]));
  const [only, other] = texts.keys();
  if (other === undefined) return only ?? '';
  const anyMethod = continueText('', t);
  texts.delete(anyMethod);
  return html`<span class="any">${anyMethod}</span
    >${Array.from(texts, ([text, kind]) => html`<span class="${kind}" hidden>${text}</span>`)}`;
}

/** The class of a method, by which the style sheet finds the text of the button. */
const kindOf = (type: string): string => (/sbp/i.test(type) ? 'sbp' : /card|bank/i.test(type) ? 'bank' : '');

/** An invoice that can still be paid, before another one is asked for. */
function invoiceNote({ checkout, t, path }: CheckoutView): Html | string {
  const { status, invoice } = checkout;
  if (status !== 'pending' || invoice === null) return '';
  const { m } = t;
  return html`<div class="note">
    <strong>${m('dismissed.title')}</strong>
    <p>${withExact((amount) => m('dismissed.text', { amount }), t.brief(invoice.amount, checkout.currency))}</p>
    <a href="${path}">${m('dismissed.back')}</a>
  </div>`;
}

const amountField = (view: CheckoutView): Html =>
  html`<input type="hidden" name="currency" value="${view.checkout.currency ?? ''}" />
    <label class="field"
      >${view.t.m('header.amount')}
      <span
        ><input
          name="amount"
          inputmode="decimal"
          autocomplete="off"
          maxlength="${maxTypedLength}"
          value="${view.typedAmount}"
          required
        />${view.t.brief('0', view.checkout.currency).replace(/[\d\s]/g, '')}</span
      >
      <small>${limitsText(view, view.t)}</small></label
    >`;

/** The widget takes over what the payer has chosen, which is what has no `checked="checked"`. */
function methodRow(view: CheckoutView, option: PaymentOption, selected: PaymentOption, isOnly: boolean): Html {
  const { checkout, t } = view;
  const amount = checkout.amount ?? undefined;
  const isEnabled = isUsable(option, amount);
  const isOnlyOfType = checkout.options.filter(({ type }) => type === option.type).length === 1;
  const name = foreignText(methodName(option, noOwnNames, t, isOnlyOfType), t);
  const banks = banksFor(option, amount).map((bank) => html`${foreignText(bank, t)} `);
  const input =
    isOnly && isEnabled
      ? html`<input type="hidden" name="payment_method_id" value="${option.id}" />`
      : html`<input
          type="radio"
          name="payment_method_id"
          value="${option.id}"
          ${isEnabled ? '' : raw(' disabled')}${option.id === selected.id ? raw(option.id === view.methodId ? ' checked' : ' checked="checked"') : ''}
          required
        />`;
  const detail = isEnabled ? banks : [unusableReason(option, { amount, checkout }, t)];
  return html`<label class="method ${isEnabled ? kindOf(option.type) : 'off'}"
    >${input}<span><b>${name}</b>${detail[0] ? html` <small>${detail}</small>` : ''}</span
    >${isEnabled ? methodLogo(view, option.type) : ''}</label
  >`;
}
