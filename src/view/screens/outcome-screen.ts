import { html, nothing, type TemplateResult } from 'lit';
import type { CreatingState, EndedState, WaitingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { methodName } from './choosing-screen.ts';
import { copyableRow, donePath, type LabelledValue } from './labelled-value.ts';
import { button, errorNote, headingWithText, icon } from './shared-templates.ts';
import type { Handlers, PaymentScreenProps } from './screen-props.ts';

const clockPath = 'M12 3a9 9 0 1 0 .01 0M12 7v5l3 3';
const exclamationPath = 'M12 6v8M12 18v.01';
const outcomeIcons = {
  paid: donePath,
  failed: 'M6 6l12 12M18 6L6 18',
  expired: clockPath,
  closed: exclamationPath,
} as const;

/** A screen with one message: icon, heading, text and actions. */
const messageScreen = (
  iconPath: string,
  iconClass: string,
  heading: string,
  text: unknown,
  content: unknown,
): TemplateResult =>
  html`<div part="outcome">${icon(iconPath, `icon mark ${iconClass}`)} ${headingWithText(heading, text)}</div>
    ${content}`;

/** The screen of a checkout that does not exist. */
export const lostScreen = ({ m }: Translator): TemplateResult =>
  messageScreen(exclamationPath, '', m.lost, m.lostText, '');

/** The numbers to quote to the shop and, once the checkout is paid, the method and the time. The amount is in the header. */
function outcomeFacts(
  { status, checkout, invoice }: WaitingState | EndedState,
  { timeZone }: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): readonly LabelledValue[] {
  const { m, moment } = t;
  const { reference, paid_at: paidAt } = checkout;
  const isPaid = status === 'paid';
  // The invoice's number means nothing to a payer, so it is shown only where the shop gave no number of the order.
  const values = [
    ['reference', m.order, reference],
    ['invoice', m.invoice, reference ? undefined : (invoice?.external_id ?? invoice?.id)],
    ['method', m.method, isPaid && invoice?.method && methodName(invoice.method, on, t)],
    ['paid_at', m.paidAt, isPaid && paidAt && moment(paidAt, 'year', timeZone)],
  ] as const;
  return values.flatMap(([field, label, text]) => (text ? { field, label, text, groups: [text] } : []));
}

/** The list of `outcomeFacts`. Each value can be copied. */
function factList(
  state: WaitingState | EndedState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult | typeof nothing {
  const rows = outcomeFacts(state, props, on, t);
  return rows.length > 0 ? html`<dl>${rows.map((row) => copyableRow(row, props.copyResult, on, t))}</dl>` : nothing;
}

/** The button that checks the payment. While a check is running, its text is `refreshing`. */
export const checkButton = (
  { isChecking }: PaymentScreenProps,
  on: Handlers,
  { m }: Translator,
  kind = '',
): TemplateResult => button(isChecking ? m.refreshing : m.check, on.refresh, kind);

/** The result of the last check. */
export const checkNote = ({ checkResult }: PaymentScreenProps): TemplateResult | typeof nothing =>
  checkResult ? html`<p class="checked">${checkResult}</p>` : nothing;

/** The buttons when the time is up. The check comes first, because the payer may have sent the money. */
const timeIsUpButtons = (
  props: PaymentScreenProps,
  newInvoiceLabel: string,
  on: Handlers,
  t: Translator,
): TemplateResult =>
  html`${checkNote(props)} ${checkButton(props, on, t, 'main')} ${newInvoiceLabel && button(newInvoiceLabel, on.retry)}`;

/** The screen while the expiry or the amount is checked, or while the payer is asked before a new invoice. */
export const timeIsUpScreen = (
  heading: string,
  newInvoiceLabel: string,
  state: WaitingState | EndedState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult =>
  messageScreen(
    clockPath,
    '',
    heading,
    t.m.checkingText,
    html`${state.connection.failures > 1 ? errorNote(t.m.stale) : nothing} ${factList(state, props, on, t)}
      <div part="actions">${timeIsUpButtons(props, newInvoiceLabel, on, t)}</div>`,
  );

/** A create request that has been in doubt for long: the payer may choose another method, or go back to the shop. */
export function stuckScreen({ checkout }: CreatingState, on: Handlers, { m }: Translator): TemplateResult {
  const { fail_url: shopUrl } = checkout.return_urls;
  return messageScreen(
    clockPath,
    '',
    m.unknown,
    m.unknownText,
    html`<div part="actions">
      ${button(m.leave, on.dismissInvoice)} ${shopUrl ? html`<a href=${shopUrl}>${m.back}</a>` : nothing}
    </div>`,
  );
}

/** The end of a payment: paid, failed, expired or closed. */
export function outcomeScreen(
  state: EndedState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const { m } = t;
  const { status, checkout } = state;
  const { success_url: successUrl, fail_url: failUrl } = checkout.return_urls;
  const returnUrl = status === 'paid' ? successUrl : failUrl;
  const linkClass = status === 'paid' ? 'main' : '';
  const actions = html`<slot name=${status}></slot>
    ${factList(state, props, on, t)}
    <div part="actions">
      ${
        status === 'failed'
          ? html`${checkNote(props)} ${button(m.again, on.retry, 'main')} ${checkButton(props, on, t)}`
          : nothing
      }
      ${status === 'expired' ? timeIsUpButtons(props, m.newInvoice, on, t) : nothing} ${props.returnCountdown}
      ${returnUrl ? html`<a class=${linkClass} href=${returnUrl}>${m.back}</a>` : nothing}
      ${status === 'paid' ? button(m.print, on.print, 'quiet') : nothing}
    </div>`;
  return messageScreen(outcomeIcons[status], status, m[status], m[`${status}Text`], actions);
}
