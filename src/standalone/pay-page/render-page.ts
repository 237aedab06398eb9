import { html, raw } from 'hono/html';
import type { MessageKey } from '../../i18n.ts';
import { choosingScreen } from './choosing-screen.ts';
import { exact, foreignText, mark, type CheckoutView, type Html, type PageFrame } from './page-parts.ts';
import { creatingScreen, outcomeScreen, waitingScreen } from './payment-screens.ts';

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

/** JSON without `<`, so that it cannot end the script tag around it. */
const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** The page of a checkout. */
export function checkoutPage(view: CheckoutView): Html {
  const { checkout, initial, t, url, endpoint, widget, path } = view;
  const { screen, reload } = screenOf(view);
  const amount = checkout.invoice?.amount ?? checkout.amount;
  const amountText = amount === null ? t.m('widget.name') : t.brief(amount, checkout.currency);
  const head = html`<script type="module" src="${widget}"></script>
    ${reload === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${reload}; url=${path}" /></noscript>`}`;
  const body = html`<pay-invoice
    endpoint="${endpoint}"
    checkout="${initial.id}"
    phone-url="${url}"
    heading-level="1"
    page-title
  >
    <div class="card">
      ${summary(view)}
      <div class="screen">${screen}</div>
    </div>
    ${raw(`<script type="application/json">${scriptJson(initial)}</script>`)}
  </pay-invoice>`;
  const title = checkout.status === 'paid' ? `${t.m('paid.title')} · ${amountText}` : amountText;
  return renderDocument(view, { title, head, body });
}

function summary({ checkout, t, isChoosing }: CheckoutView): Html {
  const { m } = t;
  const { status, invoice, description, reference, test } = checkout;
  const amount = (isChoosing ? undefined : invoice?.amount) ?? checkout.amount ?? invoice?.amount;
  const isPayable = isChoosing || status === 'open' || status === 'pending';
  const money = amount == null ? undefined : t.money(amount, checkout.currency);
  const leftMs = status === 'pending' && !isChoosing ? invoice?.expires_in_ms : undefined;
  const label = status === 'paid' ? m('paid.title') : m(isPayable ? 'header.due' : 'header.amount');
  return html`<div class="head">
    ${test ? html`<p class="badge">${m('header.test')}</p>` : ''}
    ${leftMs ? html`<p class="time"><span class="muted">${m('header.time-left')}</span> ${t.spokenTime(leftMs)}</p>` : ''}
    <h1>
      ${money === undefined ? m('widget.name') : html`<span class="due ${status === 'paid' ? 'paid' : ''}">${label}</span> ${exact(html`${money.major}<small>${money.minor}</small>`)}`}
    </h1>
    ${description ? html`<p class="order">${foreignText(description, t)}</p>` : ''}
    ${reference && !description?.includes(reference) && isPayable ? html`<p class="order wide">${m('header.order')}: ${exact(reference)}</p>` : ''}
  </div>`;
}

interface Screen {
  readonly screen: Html;
  /** After how many seconds the page is loaded again; undefined: it is not. */
  readonly reload?: number;
}

function screenOf(view: CheckoutView): Screen {
  const { checkout, isChoosing } = view;
  const { status, invoice } = checkout;
  if (status === 'open' || isChoosing) return { screen: choosingScreen(view) };
  if (status !== 'pending') return { screen: outcomeScreen(view, status) };
  if (invoice === null) return { screen: creatingScreen(view), reload: reloadSeconds.creating };
  return { screen: waitingScreen(view, invoice), reload: reloadSeconds.waiting };
}
