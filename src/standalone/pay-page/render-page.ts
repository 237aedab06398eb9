import { html, raw } from 'hono/html';
import type { MessageKey } from '../../i18n.ts';
import { tagContent } from './checkout-markup.ts';
import { mark, type CheckoutPage, type CheckoutView, type Html, type PageFrame } from './page-parts.ts';

/** How long a page without script waits before it is loaded again, in seconds. */
const reloadSeconds = { creating: 2, waiting: 10, unavailable: 5 };

interface Document {
  readonly title: string;
  readonly head?: Html | string;
  readonly body: Html;
}

interface Frame extends Pick<PageFrame, 'style'> {
  readonly shop?: PageFrame['shop'];
  readonly t: Pick<PageFrame['t'], 'language' | 'direction'>;
}

export function renderDocument({ shop = {}, style, t }: Frame, { title, head = '', body }: Document): Html {
  const { name, logoUrl } = shop;
  const logo = logoUrl === undefined ? '' : html`<img src="${logoUrl}" alt="${name ?? ''}" />`;
  return html`<!doctype html>
    <html lang="${t.language}" dir="${t.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${logoUrl ?? 'data:,'}" />
        <title>${name === undefined ? title : `${title} · ${name}`}</title>
        ${raw(`<style>${style}</style>`)} ${head}
      </head>
      <body>
        ${logo === '' && name === undefined ? '' : html`<header class="shop">${logo}${logo === '' ? name : ''}</header>`}
        <main>${body}</main>
      </body>
    </html>`;
}

/** A page with one message, where there is no checkout to show. */
export function messagePage(frame: PageFrame, heading: MessageKey, text: MessageKey, reloadUrl?: string): Html {
  const { m } = frame.t;
  const body = html`<div class="card one">
    <div class="screen">
      <div class="outcome">
        ${mark('note')}
        <h1>${m(heading)}</h1>
        <p class="muted">${m(text)}</p>
      </div>
      ${reloadUrl === undefined ? '' : html`<div class="actions"><a class="main" href="${reloadUrl}">${m('action.try-again')}</a></div>`}
    </div>
  </div>`;
  const head =
    reloadUrl === undefined
      ? ''
      : html`<meta http-equiv="refresh" content="${reloadSeconds.unavailable}; url=${reloadUrl}" />`;
  return renderDocument(frame, { title: m(heading), head, body });
}

/** The page of a checkout. */
export function checkoutPage(view: CheckoutPage): Html {
  const { checkout, t, url, endpoint, widget, path } = view;
  const reload = reloadSecondsOf(view);
  const amount = checkout.invoice?.amount ?? checkout.amount;
  const amountText = amount === null ? t.m('widget.name') : t.brief(amount, checkout.currency);
  const head = html`<script type="module" src="${widget}"></script>
    ${reload === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${reload}; url=${path}" /></noscript>`}`;
  const body = html`<pay-invoice
    endpoint="${endpoint}"
    checkout="${view.capability}"
    phone-url="${url}"
    heading-level="${view.headingLevel}"
    page-title
  >
    ${tagContent(view)}
  </pay-invoice>`;
  const title = checkout.status === 'paid' ? `${t.m('paid.title')} · ${amountText}` : amountText;
  return renderDocument(view, { title, head, body });
}

/** After how many seconds a page without script is loaded again; undefined: it is not. */
function reloadSecondsOf({ checkout: { status, invoice }, isChoosing }: CheckoutView): number | undefined {
  if (status !== 'pending' || isChoosing) return undefined;
  return invoice === null ? reloadSeconds.creating : reloadSeconds.waiting;
}
