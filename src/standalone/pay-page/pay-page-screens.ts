import { html } from 'hono/html';
import type { Checkout, CheckoutInvoice } from '../../checkout-api.ts';
import type { MessageKey, MomentStyle } from '../../i18n.ts';
import { isAmountChecked } from '../../core/validate-checkout.ts';
import { bankLinkTo } from '../../base/bank-links.ts';
import { drawQr, quietZone } from '../../base/qr-modules.ts';
import { methodName } from '../../view/screens/method-texts.ts';
import { kindTexts, requisitesOf, transferRule, type RequisiteList } from '../../view/screens/payment-texts.ts';
import {
  checkLink,
  exact,
  fact,
  foreignText,
  heading,
  mark,
  noOwnNames,
  shopTime,
  withExact,
  type CheckoutView,
  type Html,
} from './page-parts.ts';
import { textsOf } from './shop-footer.ts';

/** An invoice is being created. */
export function creatingScreen(view: CheckoutView): Html {
  const { m } = view.t;
  return html`${heading(view, 'title', m('creating.title'))} ${followedStatus(view)}
    <div class="actions"><a href="${view.path}">${m('other-amount.refresh')}</a></div>`;
}

/** What a page shows of a checkout, and for how long its frame has no news. */
export type ShownState = Checkout['status'] | 'creating' | 'time-up' | 'other-amount';

export const shownState = (checkout: Checkout): ShownState =>
  factBeingChecked(checkout) ??
  (checkout.status === 'pending' && checkout.invoice === null ? 'creating' : checkout.status);

/**
 * The status, and on the pay page the frame that follows it. The style sheet lays the frame over the text, and the browser loads it,
 * where the widget has not taken the page's place within some seconds: for want of a script, of a file, or of a policy that allows it.
 */
function followedStatus(view: CheckoutView): Html {
  const { checkout, statusUrl, t } = view;
  const frame =
    statusUrl === undefined
      ? ''
      : html`<iframe loading="lazy" src="${statusUrl}${shownState(checkout)}" title="${t.m('widget.name')}"></iframe>`;
  return html`<p class="status" role="status">${statusNow(checkout, view)}${frame}</p>`;
}

/** What is known of a payment that is awaited, and when the service has told it. It stays true where no script and no frame brings news. */
export function statusNow(checkout: Checkout, { shop, t }: Pick<CheckoutView, 'shop' | 't'>): string {
  const { m } = t;
  const shown = shownState(checkout);
  if (shown === 'creating') return m('creating.text');
  if (checkout.stale) return m('waiting.service-late');
  const time = checkout.invoice?.checked_at && shopTime(checkout.invoice.checked_at, 'time', { shop, t });
  const checkedAt = time ? m('check.checked-at', { time }) : '';
  return shown === 'other-amount' ? checkedAt : `${m('check.not-received')} ${checkedAt}`.trim();
}

/** What of a pending invoice is being checked, so that nothing may be paid meanwhile: its amount, or whether it was paid in time. */
export function factBeingChecked({ status, invoice }: Checkout): 'other-amount' | 'time-up' | undefined {
  if (status !== 'pending' || invoice === null) return undefined;
  return isAmountChecked(invoice) ? 'other-amount' : invoice.expires_in_ms === 0 ? 'time-up' : undefined;
}

/** An invoice that waits to be paid: the QR, the links and the requisites. */
export function waitingScreen(view: CheckoutView, invoice: CheckoutInvoice): Html {
  const { checkout, t, path } = view;
  const { m } = t;
  const checkedFact = factBeingChecked(checkout);
  if (checkedFact !== undefined) return verifyingScreen(view, checkedFact);
  const lists = requisitesOf(invoice, checkout, t);
  const { nspk_url: appUrl, payment_url: pageUrl } = invoice;
  const qr = appUrl !== undefined && invoice.qr && drawQr(invoice.qr);
  const link = (href: string, text: string, kind: string): Html =>
    html`<a class="${kind}" href="${href}" target="_top" rel="noopener noreferrer">${text}</a>`;
  const appLink = (kind: string, key: MessageKey) => (appUrl === undefined ? '' : link(appUrl, m(key), kind));
  const pageLink = (kind: string) => (pageUrl === undefined ? '' : link(pageUrl, m('link.open-page'), kind));
  const isTransfer = appUrl === undefined && lists.length > 0;
  const buttons = html`${appLink('main', 'link.open-app')}${pageLink(appUrl === undefined && !isTransfer ? 'main' : 'link')}`;
  // A mouse means another device: the QR comes first there. On a phone the button of the bank's app does, and the QR is folded.
  const scan = qr
    ? html`<div>
          ${heading(view, 'title', m('waiting.sbp'))}
          <p class="muted mouse">${m('qr.scan')}</p>
        </div>
        <div class="actions touch">${buttons}</div>
        ${bankTiles(view, appUrl)}
        <details class="touch qr">
          <summary>${m('qr.show')}</summary>
          ${qrSvg(qr, m('qr.name'), 'qr-folded')}
        </details>
        <div class="mouse qr">
          ${qrSvg(qr, m('qr.name'), 'qr-shown')}
          <p class="muted">${m('qr.not-scanning')} ${appLink('link', 'link.open-sbp')}</p>
        </div>`
    : isTransfer
      ? ''
      : html`${heading(view, 'title', m(appUrl === undefined ? 'waiting.page' : 'waiting.sbp'))}
          <div class="actions">${buttons}</div>
          ${appUrl === undefined ? '' : bankTiles(view, appUrl)}`;
  return html`${scan}${lists.map((list, index) => requisitesHtml(list, invoice, view, index > 0 || appUrl !== undefined))}
    ${isTransfer && pageUrl !== undefined ? html`<div class="actions">${pageLink('link')}</div>` : ''}
    ${followedStatus(view)}
    <div class="actions">
      ${checkLink(view)}<a class="tail" href="${path}?methods=1">${m('waiting.other-method')}</a>
    </div>`;
}

/** A link for each bank of the shop to pay there, on a phone. */
function bankTiles({ shop, t }: CheckoutView, link: string): Html | string {
  const banks = Object.entries(shop?.bankLinks ?? {});
  if (banks.length === 0) return '';
  return html`<div class="actions touch field">
    <small>${t.m('link.banks')}</small>
    <div class="banks">
      ${banks.map(([name, template]) => html`<a href="${bankLinkTo(link, template)}" target="_top" rel="noopener noreferrer">${foreignText(name, t)}</a>`)}
    </div>
  </div>`;
}

/** The groups of a number. Some screen readers stop at each: they get the style sheet's one text, which is not copied. */
const groupedNumber = (groups: readonly string[]): Html =>
  html`<bdi translate="no" data-text="${groups.join(' ')}"
    >${groups.map((group) => html`<i aria-hidden="true">${group}</i>`)}</bdi
  >`;

function requisitesHtml(list: RequisiteList, invoice: CheckoutInvoice, view: CheckoutView, isSecond: boolean): Html {
  const { checkout, t } = view;
  const rows = list.rows.map(({ label, groups, hint }) =>
    fact(label, groups.length > 1 ? groupedNumber(groups) : exact(groups), hint),
  );
  const moment = (time: string, style: MomentStyle): string | undefined => shopTime(time, style, view);
  const parts = transferRule(invoice, checkout, { ...t, moment }, (value) => `|${value}|`).split('|');
  // With a script, this longer line would move what is below it.
  const ruleUntil = html`<noscript>
    <p>${parts.map((text, index) => (index % 2 === 0 ? text : exact(text)))}</p>
  </noscript>`;
  const rule = withExact((amount) => t.m('transfer.rule', { amount }), t.brief(invoice.amount, checkout.currency));
  return html`<div>
      ${heading(view, 'title', t.m(isSecond ? 'waiting.or-transfer' : kindTexts[list.kind][0]))}
      ${checkout.test ? html`<p class="test">${t.m('transfer.test')}</p>` : ''}
      ${view.statusUrl === undefined ? '' : ruleUntil}
      <p class="rule">${rule}</p>
    </div>
    <dl>${rows}</dl>`;
}

/**
 * The dark modules are one path; the margin is part of the image. Chromium, where it darkens pages, makes dark fills of an SVG light, but
 * not gradients: a scanner could not read the modules in plain black. `style` is a style sheet of the image's own. `id` is that of the
 * gradient: an image that is not shown has none for another one. */
export function qrSvg(
  { size, path }: { readonly size: number; readonly path: string },
  name: string,
  id: string,
  style: Html | string = '',
): Html {
  const side = size + 2 * quietZone;
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    role="img"
    aria-label="${name}"
    viewBox="${-quietZone} ${-quietZone} ${side} ${side}"
    width="${side * 8}"
    height="${side * 8}"
    shape-rendering="crispEdges"
  >
    ${style}
    <linearGradient id="${id}"><stop stop-color="#000" /></linearGradient>
    <rect x="${-quietZone}" y="${-quietZone}" width="${side}" height="${side}" fill="#fff" />
    <path d="${path}" fill="url(#${id})" />
  </svg>`;
}

function verifyingScreen(view: CheckoutView, place: 'time-up' | 'other-amount'): Html {
  const { m } = view.t;
  const { reference } = view.checkout;
  return html`<div class="outcome">
      ${mark('expired')} ${heading(view, 'title', m(`${place}.title`))}
      <p class="muted">${m(`${place}.text`)}</p>
    </div>
    ${reference ? html`<dl>${fact(m('header.order'), exact(reference))}</dl>` : ''}
    <div class="actions">
      ${place === 'time-up' ? checkLink(view) : html`<a href="${view.path}">${m('other-amount.refresh')}</a>`}
    </div>
    ${view.statusUrl === undefined ? '' : followedStatus(view)}`;
}

/** The end of a payment. */
export function outcomeScreen(view: CheckoutView, status: 'paid' | 'failed' | 'expired' | 'closed'): Html {
  const { checkout, t, path, isChecked } = view;
  const { m } = t;
  const { invoice, reference, paid_at: paidAt } = checkout;
  const { success_url: successUrl, fail_url: failUrl } = checkout.return_urls;
  const hadRequisites = [invoice?.sbp, invoice?.card, invoice?.bank_transfer].some(Boolean);
  const text = m(status === 'expired' && !hadRequisites ? 'expired.link-text' : `${status}.text`);
  const facts = [
    [m('header.order'), reference],
    [m('receipt.payment'), status === 'paid' ? invoice?.id : undefined],
    [m('receipt.method'), status === 'paid' && invoice?.method ? methodName(invoice.method, noOwnNames, t) : undefined],
    [m('receipt.date'), status === 'paid' && paidAt !== null ? shopTime(paidAt, 'year', view) : undefined],
    [textsOf(t).seller, status === 'paid' ? view.shop?.legal : undefined],
  ] as const;
  const rows = facts.flatMap(([label, value]) => (value ? [fact(label, exact(value))] : []));
  const returnUrl = status === 'paid' ? successUrl : failUrl;
  const canRetry = status === 'failed' || status === 'expired';
  const retry = html`<a class="${status === 'failed' ? 'main' : ''}" href="${path}?methods=1"
    >${m(status === 'failed' ? 'action.try-again' : 'pay-again.button')}</a
  >`;
  const own = !canRetry
    ? ''
    : status === 'failed'
      ? html`${retry}${checkLink(view)}`
      : html`${checkLink(view, 'main')}${retry}`;
  const factList = rows.length === 0 ? '' : html`<dl>${rows}</dl>`;
  const returnLink =
    returnUrl === null
      ? ''
      : html`<a class="${canRetry ? 'link' : 'main'}" href="${returnUrl}" target="_top">${m('return.link')}</a>`;
  const actions = own === '' && returnLink === '' ? '' : html`<div class="actions">${own}${returnLink}</div>`;
  // Once it is paid, the way back comes before the numbers, which few payers need: as in the widget.
  return html`<div class="outcome">
      ${mark(status === 'closed' ? 'note' : status)} ${heading(view, 'title', m(`${status}.title`))}
      <p class="muted">${text}</p>
    </div>
    ${status === 'paid' ? actions : ''} ${factList}
    ${canRetry && isChecked ? html`<p class="muted" role="status">${m('check.not-received')}</p>` : ''}
    ${status === 'paid' ? '' : actions}`;
}
