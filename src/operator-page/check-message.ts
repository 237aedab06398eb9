import { html, type TemplateResult } from 'lit';
import type { CheckoutDetails, Invoice } from './admin-client.ts';
import { foreign, invoiceName } from './page-parts.ts';
import type { Translator } from './texts.ts';

/** Whether the service's last answer about an invoice was without it. */
export const isNotTold = ({ checked_at: checkedAt, answered_at: answeredAt }: Invoice): boolean =>
  checkedAt !== answeredAt;

/** What the service has answered to the last check of a checkout, and what to do where it has said nothing. */
export function checkMessage({ actions, invoices }: CheckoutDetails, translator: Translator): TemplateResult {
  const { text: t, clock } = translator;
  const { answer } = actions.findLast(({ action }) => action === 'check') ?? {};
  if (answer === 'no_answer') return html`<p class="bad">${t('notAnswered')}</p>`;
  if (answer === 'no_invoice') return html`<p class="muted">${t('noInvoice')}</p>`;
  return html`${invoices.map((invoice, index) => {
    const { service_status: status, answered_at: at } = invoice;
    const name = invoiceName(index, translator);
    if (isNotTold(invoice)) return html`<p class="bad">${name}, ${clock(at ?? '')}: ${t('notTold')}</p>`;
    if (at === null) return html`<p class="muted">${name}: ${t('noInvoice')}</p>`;
    return html`<p class="good">${name}, ${clock(at)}: ${t('answered')} ${foreign(status ?? '–')}</p>`;
  })}`;
}
