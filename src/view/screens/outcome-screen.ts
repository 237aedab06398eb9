import { html, nothing, type TemplateResult } from 'lit';
import type { EndedState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { button, statement } from './shared-templates.ts';
import type { Handlers } from './screen-props.ts';

const marks = { paid: 'done', failed: 'failed', expired: 'clock', closed: 'lost' } as const;

/** The receipt: what was paid, for the payer to print. */
function receipt({ checkout, invoice }: EndedState, { m, money }: Translator): TemplateResult {
  const amount = invoice?.amount ?? checkout.amount;
  const rows = [
    [m.order, checkout.reference ?? checkout.description],
    [m.sum, amount && money(amount, checkout.currency).text],
    [m.invoice, invoice?.external_id ?? invoice?.id],
  ];
  return html`<dl>
    ${rows.map(([label, value]) =>
      value
        ? html`<div>
            <dt part="label">${label}</dt>
            <dd><bdi part="value">${value}</bdi></dd>
          </div>`
        : nothing,
    )}
  </dl>`;
}

/** The buttons once the time is up. The payer may have sent the money, so a check comes before another invoice. */
const checkFirst = (check: string, other: string, on: Handlers): TemplateResult =>
  html`${button(check, on.refresh, 'main')} ${other && button(other, on.retry)}`;

/** The time is up: the expiry or the amount is being checked, or the payer is asked before a new invoice. */
export const timeIsUp = (heading: string, other: string, on: Handlers, { m }: Translator): TemplateResult =>
  statement('clock', '', heading, m.checkingText, html`<div part="actions">${checkFirst(m.check, other, on)}</div>`);

/** The end of a payment: paid, failed, expired or closed. */
export function outcomeScreen(state: EndedState, on: Handlers, t: Translator): TemplateResult {
  const { m } = t;
  const { status, checkout, refreshing } = state;
  const { success_url: success, fail_url: fail } = checkout.return_urls;
  const back = status === 'paid' ? success : fail;
  const main = status === 'paid' ? 'main' : '';
  const actions = html`<slot name=${status}></slot>
    ${receipt(state, t)}
    <div part="actions">
      ${status === 'failed' ? button(m.again, on.retry, 'main') : nothing}
      ${status === 'expired' ? checkFirst(refreshing ? m.asking : m.check, m.newInvoice, on) : nothing}
      ${back ? html`<a class=${main} href=${back}>${m.back}</a>` : nothing}
      ${status === 'paid' ? button(m.print, on.print, 'quiet') : nothing}
    </div>`;
  return statement(marks[status], status, m[status], m[`${status}Text`], actions);
}
