import { html } from 'hono/html';
import { formatMoney, overviewTexts, type Language } from './bank-texts.ts';
import { layout, type Html } from './bank-layout.ts';
import type { Invoice } from './invoice.ts';

/** What a person sees who opens the sandbox's address: the newest invoices, each with the way to its payment page. */
export function overviewPage(invoices: readonly Invoice[], language: Language): Html {
  const t = overviewTexts[language];
  const main = html`<section class="overview">
    <h1>${t.title}</h1>
    <p class="note">${invoices.length === 0 ? t.empty : t.note}</p>
    ${invoices.length === 0 ? '' : list(invoices, language)}
  </section>`;
  return layout({ title: t.title, path: '/', language, main });
}

function list(invoices: readonly Invoice[], language: Language): Html {
  return html`<ul>
    ${invoices.map(
      (invoice) =>
        html`<li>
          <a href="/pay/${invoice.id}?lang=${language}"
            ><b>${formatMoney(invoice.amount, language)}</b>
            <bdi class="note">${invoice.external_id ?? invoice.id}</bdi>
            <span class="state ${toneOf(invoice)}">${String(invoice.status)}</span></a
          >
        </li>`,
    )}
  </ul>`;
}

function toneOf({ status }: Invoice): string {
  return status === 'PAID' ? 'good' : status === 'FAILED' ? 'bad' : status === 'PENDING' ? 'open' : 'calm';
}
