import { html, nothing, type TemplateResult } from 'lit';
import type { EndedState, WaitingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { methodName } from './choosing-screen.ts';
import { copyableRow, type LabelledValue } from './labelled-value.ts';
import { button, messageScreen } from './shared-templates.ts';
import type { Handlers, PaymentScreenProps } from './screen-props.ts';

const outcomeIcons = { paid: 'done', failed: 'failed', expired: 'clock', closed: 'lost' } as const;

/** The numbers to quote to the shop and, once it is paid, the method and the time. The amount is in the header. */
function facts(
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

/** The rows of `facts`, each of which can be copied. */
function factList(
  state: WaitingState | EndedState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult | typeof nothing {
  const rows = facts(state, props, on, t);
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

/** The buttons when the time is up. The payer may have sent the money, so the check comes before another invoice. */
const checkFirst = (props: PaymentScreenProps, other: string, on: Handlers, t: Translator): TemplateResult =>
  html`${checkNote(props)} ${checkButton(props, on, t, 'main')} ${other && button(other, on.retry)}`;

/** The screen while the expiry or the amount is checked, or while the payer is asked before a new invoice. */
export const timeIsUpScreen = (
  heading: string,
  other: string,
  state: WaitingState | EndedState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult =>
  messageScreen(
    'clock',
    '',
    heading,
    t.m.checkingText,
    html`${factList(state, props, on, t)}
      <div part="actions">${checkFirst(props, other, on, t)}</div>`,
  );

/** The end of a payment: paid, failed, expired or closed. */
export function outcomeScreen(
  state: EndedState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const { m } = t;
  const { status, checkout } = state;
  const { success_url: success, fail_url: fail } = checkout.return_urls;
  const back = status === 'paid' ? success : fail;
  const main = status === 'paid' ? 'main' : '';
  const actions = html`<slot name=${status}></slot>
    ${factList(state, props, on, t)}
    <div part="actions">
      ${
        status === 'failed'
          ? html`${checkNote(props)} ${button(m.again, on.retry, 'main')} ${checkButton(props, on, t)}`
          : nothing
      }
      ${status === 'expired' ? checkFirst(props, m.newInvoice, on, t) : nothing} ${props.returnCountdown}
      ${back ? html`<a class=${main} href=${back}>${m.back}</a>` : nothing}
      ${status === 'paid' ? button(m.print, on.print, 'quiet') : nothing}
    </div>`;
  return messageScreen(outcomeIcons[status], status, m[status], m[`${status}Text`], actions);
}
