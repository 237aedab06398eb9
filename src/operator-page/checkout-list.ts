import { html, nothing, type TemplateResult } from 'lit';
import { sumOf } from '../base/decimal.ts';
import type { Checkout, Invoice } from './admin-client.ts';
import { checkoutChip, foreign } from './page-parts.ts';
import type { Translator } from './texts.ts';

// The list of checkouts, and what a person has to know of one before he opens it.

export function checkoutList(checkouts: readonly Checkout[], translator: Translator): TemplateResult {
  const { money, time } = translator;
  return html`<ul class="list">
    ${checkouts.map((checkout) => {
      const { id, order_id: orderId, amount, currency, created_at: createdAt } = checkout;
      const undecided = checkout.invoices.find((invoice) => invoice.needs_decision);
      const about = [checkout.description, checkout.invoices.at(-1)?.method?.name ?? null].filter(
        (part) => part !== null,
      );
      return html`<li>
        <a href="#${id}">
          <strong>${foreign(orderId)}</strong>
          <strong class="end">${money(amount, currency)}</strong>
          <span class="muted">${time(createdAt)}${about.map((part) => html` · ${foreign(part)}`)}</span>
          <span class="end">${checkoutChip(checkout, translator)}</span>
          ${
            undecided === undefined
              ? nothing
              : html`<span class="bad whole">${whyUndecided(undecided, currency, translator)}</span>`
          }
        </a>
      </li>`;
    })}
  </ul>`;
}

/** Why a person has to decide about an invoice: both sums where another amount came. */
export function whyUndecided(invoice: Invoice, currency: string | null, translator: Translator): TemplateResult {
  const { text: t, money } = translator;
  const { amount, paid_amount: came } = invoice;
  if (came !== null) {
    const sums = [money(amount, currency), money(came, currency), differenceOf(amount, came, currency, translator)];
    return html`${sums.reduce((line, sum, index) => line.replace(`$${index + 1}`, () => sum), t('expectedAndCame'))}`;
  }
  if (invoice.id === null) return html`${t('unknownInvoice')}`;
  if (invoice.status === 'pending') return html`${t('unknownWord')} ${foreign(invoice.service_status ?? '')}`;
  return html`${t('unknownEnd')}`;
}

/** How much more or less has come. */
export const differenceOf = (amount: string, came: string, currency: string | null, { money }: Translator): string =>
  money(sumOf([{ price: came, quantity: 1 }, { price: amount, quantity: -1 }]), currency, 'always'); // prettier-ignore
