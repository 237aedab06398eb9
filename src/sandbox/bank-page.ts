import { html } from 'hono/html';
import { formatTimestamp } from '../contract.ts';
import { layout, type Html } from './bank-layout.ts';
import { formatMoney, formatTime, formatTimeLeft, texts, type Language, type Texts } from './bank-texts.ts';
import type { Invoice } from './invoice.ts';

/** What a page without an invoice is about. */
export type Notice = 'unknown' | 'foreign';

type Scene = 'pending' | 'paid' | 'refused' | 'expired' | 'other';

/** A page of the payer's bank about an invoice: to pay or refuse it, or what became of it. `path` is its own. */
export function invoicePage(invoice: Invoice, now: number, path: string, language: Language): Html {
  const t = texts[language];
  const scene = sceneOf(invoice);
  const amount = formatMoney(invoice.amount, language);
  const title = scene === 'pending' ? t.payTitle : t[`${scene}Title`];
  const main = html`
    <section class="summary ${scene}">
      ${scene === 'pending' ? '' : badge(scene)}
      <h1>${title}</h1>
      <p class="amount">${amount}</p>
      <p class="note">${scene === 'pending' ? timeLeft(invoice, now, language) : t[`${scene}Note`]}</p>
      ${scene === 'pending' ? actions(t, amount, `${path}?lang=${language}`) : backLink(t, scene, invoice)}
    </section>
    <div class="facts">
      <section>
        <h2>${t.details}</h2>
        <dl>
          ${fact(t.merchant, t.merchantName)} ${fact(t.order, invoice.external_id)}
          ${fact(t.method, methodOf(invoice, t))} ${scene === 'other' ? fact(t.status, String(invoice.status)) : ''}
        </dl>
      </section>
      ${requisites(invoice, t)}
    </div>
  `;
  return layout({ title: `${title} · ${amount}`, path, language, main });
}

/** A page that has no invoice to show. */
export function noticePage(notice: Notice, path: string, language: Language): Html {
  const t = texts[language];
  const main = html`
    <section class="summary ${notice}">
      ${badge(notice)}
      <h1>${t[`${notice}Title`]}</h1>
      <p class="note">${t[`${notice}Note`]}</p>
    </section>
  `;
  return layout({ title: t[`${notice}Title`], path, language, main });
}

function sceneOf({ status }: Invoice): Scene {
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

function timeLeft({ expires_at }: Invoice, now: number, language: Language): Html {
  const t = texts[language];
  return html`<span
      >${t.validUntil}
      <time datetime="${formatTimestamp(expires_at)}">${formatTime(expires_at, language)}</time> ${t.moscow}</span
    >
    <span>${formatTimeLeft(expires_at - now, language)}</span>`;
}

function actions(t: Texts, amount: string, target: string): Html {
  return html`<form method="post" action="${target}">
    <button class="primary" name="action" value="pay">${t.pay} ${amount}</button>
    <button class="quiet" name="action" value="refuse">${t.refuse}</button>
  </form>`;
}

/** The way back that the merchant gave: after success or after failure, when it is a link of the web. */
function backLink(t: Texts, scene: Scene, { url_config }: Invoice): Html | '' {
  const target = scene === 'paid' ? url_config?.success_url : scene === 'other' ? undefined : url_config?.fail_url;
  if (target === undefined || !URL.canParse(target) || !/^https?:$/.test(new URL(target).protocol)) return '';
  return html`<a class="primary" href="${target}" rel="noreferrer">${t.back}</a>`;
}

function methodOf(invoice: Invoice, t: Texts): string | undefined {
  const method = (['sbp', 'card', 'bank_transfer'] as const).find((name) => invoice[name] !== undefined);
  return method === undefined ? undefined : t[method];
}

function requisites({ sbp, card, bank_transfer, bank }: Invoice, t: Texts): Html | '' {
  const to = sbp ?? card ?? bank_transfer;
  if (to === undefined) return '';
  return html`<section>
    <h2>${t.requisites}</h2>
    <dl>
      ${fact(t.holder_name, to.holder_name)} ${fact(t.recipientBank, bank?.name)}
      ${fact(t.phone, sbp && spaced(sbp.phone))}
      ${fact(t.card_number, card?.card_number.replace(/(\d{4})(?=\d)/g, '$1 '))} ${fact(t.bik, bank_transfer?.bik)}
      ${fact(t.account, to.account)}
    </dl>
  </section>`;
}

function spaced(phone: string): string {
  return phone.replace(/^(\+7)(\d{3})(\d{3})(\d\d)(\d\d)$/, '$1 $2 $3-$4-$5');
}

function fact(name: string, value: string | undefined): Html | '' {
  if (value === undefined) return '';
  return html`<div>
    <dt>${name}</dt>
    <dd><bdi>${value}</bdi></dd>
  </div>`;
}

function badge(kind: Exclude<Scene, 'pending'> | Notice): Html {
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
