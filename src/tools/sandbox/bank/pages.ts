import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { z } from 'zod';
import { formatTimestamp } from '../../../service-api.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { englishNames } from '../service/english-bank-and-method-names.ts';
import {
  formatDateTime,
  formatMoney,
  formatTime,
  formatTimeLeft,
  type Language,
  overviewTexts,
  texts,
  type Texts,
} from './texts.ts';

/** What the bank says of an invoice. */
type Stage = 'pending' | 'paid' | 'refused' | 'expired' | 'other';
/** Why a page shows no invoice: `unknown`: there is no such invoice; `foreign`: another site sent the form. */
export type Notice = 'unknown' | 'foreign';

/** Renders the page of an invoice, with a form while it is pending; or the reason why there is none. */
export function bankPage(shown: Invoice | Notice, now: number, language: Language): Html {
  const t = texts[language];
  const kind = typeof shown === 'string' ? shown : stageOf(shown);
  const amount = typeof shown === 'string' ? '' : formatMoney(shown.amount, language);
  const title = t[`${kind}Title`];
  const main = html`
    <section class="summary ${kind}">
      ${kind === 'pending' ? '' : badge(kind)}
      <h1>${title}</h1>
      ${amount === '' ? '' : html`<p class="amount">${amount}</p>`}
      ${kind === 'pending' ? '' : html`<p class="note">${t[`${kind}Note`]}</p>`}
      ${typeof shown === 'string' ? '' : nextStep(shown, amount, now, language)}
    </section>
    ${typeof shown === 'string' ? '' : factsHtml(shown, language)}
  `;
  return layout({ title: amount === '' ? title : `${title} · ${amount}`, root: '../', language, main });
}

function stageOf({ status }: Invoice): Stage {
  switch (status) {
    case 'PENDING':
      return 'pending';
    case 'PAID':
      return 'paid';
    case 'FAILED':
      return 'refused';
    case 'EXPIRED':
      return 'expired';
    default:
      return 'other';
  }
}

/** Renders the time that is left and the form of a pending invoice, or the link back to the shop. */
function nextStep(invoice: Invoice, amount: string, now: number, language: Language): Html | '' {
  const t = texts[language];
  const { status, expires_at, url_config } = invoice;
  if (status === 'PAID') return backLink(t, url_config?.success_url);
  if (status === 'FAILED' || status === 'EXPIRED') return backLink(t, url_config?.fail_url);
  if (status !== 'PENDING') return '';
  return html`<p class="note">
      <span
        >${t.validUntil}
        <time datetime="${formatTimestamp(expires_at)}">${formatTime(expires_at, language)}</time> ${t.moscow}</span
      >
      <span>${formatTimeLeft(expires_at - now, language)}</span>
    </p>
    <form method="post" action="?lang=${language}">
      <button class="primary" name="action" value="pay">${t.pay} ${amount}</button>
      <button class="quiet" name="action" value="fail">${t.refuse}</button>
    </form>`;
}

/** Renders a link to the merchant's `success_url` or `fail_url`; '' when that is missing or not an http(s) URL. */
function backLink(t: Texts, url: string | undefined): Html | '' {
  if (url === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return '';
  return html`<a class="primary" href="${url}" rel="noreferrer">${t.back}</a>`;
}

/** Returns the order's identifier: `order_id` in the metadata, which the checkout server sends, or else `external_id`. */
function orderOf({ metadata, external_id }: Invoice): string | undefined {
  const metadataOrder = z.object({ order_id: z.string().min(1) }).safeParse(metadata);
  return metadataOrder.success ? metadataOrder.data.order_id : external_id;
}

function methodOf(invoice: Invoice, t: Texts): string | undefined {
  const method = (['sbp', 'card', 'bank_transfer'] as const).find((name) => invoice[name] !== undefined);
  return method === undefined ? undefined : t[method];
}

/** Renders what is paid, and to whom. */
function factsHtml(invoice: Invoice, language: Language): Html {
  const t = texts[language];
  const { status, sbp, card, bank_transfer, bank } = invoice;
  const recipient = sbp ?? card ?? bank_transfer;
  const nameRow = (label: string, name: string | undefined): Html | '' =>
    row(label, (language === 'en' ? englishNames.get(name) : undefined) ?? name);
  return html`<section>
    <h2>${t.details}</h2>
    <dl>
      ${row(t.merchant, t.merchantName)} ${row(t.order, orderOf(invoice))} ${row(t.method, methodOf(invoice, t))}
      ${stageOf(invoice) === 'other' ? row(t.status, String(status)) : ''}
      ${nameRow(t.holder_name, recipient?.holder_name)} ${nameRow(t.recipientBank, bank?.name)}
      ${row(t.phone, sbp && formatPhone(sbp.phone))}
      ${row(t.card_number, card?.card_number.replace(/(\d{4})(?=\d)/g, '$1 '))} ${row(t.bik, bank_transfer?.bik)}
      ${row(t.account, recipient?.account)}
    </dl>
  </section>`;
}

function formatPhone(phone: string): string {
  return phone.replace(/^(\+7)(\d{3})(\d{3})(\d\d)(\d\d)$/, '$1 $2 $3-$4-$5');
}

function row(name: string, value: string | undefined): Html | '' {
  if (value === undefined) return '';
  return html`<div>
    <dt>${name}</dt>
    <dd><bdi>${value}</bdi></dd>
  </div>`;
}

function badge(kind: Exclude<Stage, 'pending'> | Notice): Html {
  const shapes = {
    paid: html`<path d="m7 12.5 3.4 3.4L17 9" />`,
    refused: html`<path d="m8 8 8 8m0-8-8 8" />`,
    expired: html`<path d="M12 7v5.2l3.2 2" />`,
    other: html`<path d="M7.5 12h.01M12 12h.01M16.5 12h.01" />`,
    unknown: html`<path d="M9.4 9.6a2.7 2.7 0 1 1 3.7 2.6c-.8.3-1.1.8-1.1 1.6m0 2.7h.01" />`,
    foreign: html`<path d="M12 7v6m0 3.5h.01" />`,
  };
  return html`<svg class="badge" viewBox="0 0 24 24" aria-hidden="true">${shapes[kind]}</svg>`;
}

/** Renders the page at `/`: the newest invoices, each with a link to its payment page. */
export function overviewPage(invoices: readonly Invoice[], language: Language): Html {
  const t = overviewTexts[language];
  const main = html`<section class="overview">
    <h1>${t.title}</h1>
    <p class="note">${invoices.length === 0 ? t.empty : t.note}</p>
    ${invoices.length === 0 ? '' : invoiceList(invoices, language)}
  </section>`;
  return layout({ title: t.title, root: './', language, main });
}

function invoiceList(invoices: readonly Invoice[], language: Language): Html {
  return html`<ol>
    ${invoices.map((invoice) => html`<li>${listEntry(invoice, language)}</li>`)}
  </ol>`;
}

function listEntry(invoice: Invoice, language: Language): Html {
  const t = texts[language];
  const { id, amount, created_at, status } = invoice;
  const order = orderOf(invoice);
  return html`<a href="pay/${id}?lang=${language}"
    ><b>${formatMoney(amount, language)}</b>
    <span class="note"
      ><time datetime="${formatTimestamp(created_at)}">${formatDateTime(created_at, language)}</time> ${t.moscow}</span
    >
    <span class="note">${order === undefined ? t.invoice : t.order} <bdi>${order ?? id}</bdi></span>
    <span class="state ${stageOf(invoice)}">${String(status)}</span></a
  >`;
}

/** A part of a page, in which inserted values are escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Renders the HTML document around the `main` part of a page. */
function layout(page: {
  readonly title: string;
  /** The way from the page to the bank's first page: a proxy may serve both under a path. */
  readonly root: './' | '../';
  readonly language: Language;
  readonly main: Html;
}): Html {
  const t = texts[page.language];
  const otherLanguage = page.language === 'ru' ? 'en' : 'ru';
  return html`<!doctype html>
    <html lang="${page.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title} · ${t.bank}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${page.root}bank.css" />
      </head>
      <body>
        <header>
          <p class="brand">${logo()} ${t.bank} <strong class="test">${t.test}</strong></p>
          <a class="language" href="?lang=${otherLanguage}" lang="${otherLanguage}" hreflang="${otherLanguage}"
            >${t.otherLanguage}</a
          >
        </header>
        <main>${page.main}</main>
        <footer>${t.testNote}</footer>
      </body>
    </html>`;
}

/** The bank's logo: a sand castle. */
function logo(): Html {
  return html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="10" />
    <path d="M7 23V11h3v3h4v-3h4v3h4v-3h3v12h-6v-3a3 3 0 0 0-6 0v3z" />
  </svg>`;
}
