import { html, nothing, type TemplateResult } from 'lit';
import type { Checkout } from './admin-client.ts';
import { amountOf, differingWords, paidAgain, whyUndecided } from './amounts.ts';
import { checkoutChip, foreign, methodText } from './page-parts.ts';
import type { Translator } from './texts.ts';

/** The list of checkouts, each with what a person has to know of it before he opens it. */
export function checkoutList(checkouts: readonly Checkout[], translator: Translator): TemplateResult {
  return html`<ul class="list">
    ${checkouts.map((checkout) => {
      const { id, order_id: orderId, currency, created_at: createdAt, invoices } = checkout;
      const method = invoices.at(-1)?.method;
      const about = [checkout.description, method && methodText(method, translator)];
      const undecided = invoices.find((invoice) => invoice.needs_decision);
      const again = paidAgain(checkout, translator);
      const words = differingWords(checkout, translator);
      const alarm =
        undecided === undefined
          ? again && html`${translator.text('paidAgain')}: ${again}${words && html`. ${words}`}`
          : whyUndecided(undecided, currency, translator);
      return html`<li>
        <a href="#${id}">
          <span class="line">
            <strong>${foreign(orderId)}</strong>
            <strong class="end">${amountOf(checkout, translator)}</strong>
          </span>
          <span class="line">
            <span class="muted"
              >${translator.time(createdAt)}${about.map((part) => part && html` · ${foreign(part)}`)}</span
            >
            ${checkoutChip(checkout, translator)}
          </span>
          ${alarm === undefined ? nothing : html`<span class="bad">${alarm}</span>`}
        </a>
      </li>`;
    })}
  </ul>`;
}
