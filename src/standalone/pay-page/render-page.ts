import { html, raw } from 'hono/html';
import { pageColours } from '../../base/page-colours.ts';
import { defaultAccent } from '../../base/widget-colours.ts';
import type { MessageKey } from '../../i18n.ts';
import { tagContent } from './checkout-markup.ts';
import { linkTitle, shopFooter, supportLink, textsOf } from './shop-footer.ts';
import { exact, fact, mark, methodLogo, type CheckoutPage, type Html, type PageFrame } from './page-parts.ts';

/** How long a page on which there is nothing to read waits before it is loaded again, in seconds. */
const reloadSeconds = 5;

interface Document {
  readonly title: string;
  readonly head?: Html | string;
  readonly body: Html;
  readonly foot?: Html | string;
}

interface Frame extends Pick<PageFrame, 'style' | 'script'> {
  readonly shop?: PageFrame['shop'];
  readonly t: Pick<PageFrame['t'], 'language' | 'direction'>;
}

/** A dot in the widget's blue, where the shop has no logo. */
const ownIcon = `data:image/svg+xml,${encodeURI(
  `<svg viewBox='0 0 2 2' xmlns='http://www.w3.org/2000/svg'><circle cx='1' cy='1' r='1' fill='${defaultAccent}'/></svg>`,
).replace('#', '%23')}`;

export function renderDocument(
  { shop = {}, style, script, t }: Frame,
  { title, head = '', body, foot = '' }: Document,
): Html {
  const { name, logoUrl } = shop;
  const logo = logoUrl === undefined ? '' : html`<img src="${logoUrl}" alt="${name ?? ''}" />`;
  return html`<!doctype html>
    <html lang="${t.language}" dir="${t.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="${logoUrl ?? ownIcon}" />
        <title>${name === undefined ? title : `${title} · ${name}`}</title>
        ${raw(`<style>${style}</style>`)} ${script === undefined ? '' : raw(`<script type="module">${script}</script>`)}
        ${head}
      </head>
      <body>
        ${logo === '' && name === undefined ? '' : html`<header class="shop">${logo}${logo === '' ? name : ''}</header>`}
        <main>${body}</main>
        ${foot}
      </body>
    </html>`;
}

/** What a messenger shows of a link to the page, and the colour of the browser around it. */
function linkPreview({ shop, previewUrl, t }: PageFrame): Html {
  return html`<meta property="og:title" content="${linkTitle(shop, t)}" />
    <meta property="og:image" content="${previewUrl}" />
    <meta name="theme-color" content="${pageColours.dark}" media="(prefers-color-scheme: dark)" />
    <meta name="theme-color" content="${pageColours.light}" />`;
}

/**
 * A page with one message, where there is no checkout to show. It leads to `url`: in a window of its own where it cannot pay from the
 * frame that shows it (`leavesFrame`), else in its place, by itself too.
 */
export function messagePage(
  frame: PageFrame,
  heading: MessageKey,
  text: MessageKey,
  url?: string,
  leavesFrame = false,
): Html {
  const { m } = frame.t;
  const body = html`<div class="card one">
    <div class="screen">
      <div class="outcome">
        ${mark('note')}
        <h1>${m(heading)}</h1>
        <p class="muted">${m(text)}</p>
      </div>
      <div class="actions">
        ${url === undefined || leavesFrame ? '' : html`<a class="main" href="${url}">${m('action.try-again')}</a>`}
        ${url !== undefined && leavesFrame ? html`<a class="main" href="${url}" target="_blank">${m('link.open-page')}</a>` : ''}
        ${supportLink(frame)}
      </div>
    </div>
  </div>`;
  const reload =
    url === undefined || leavesFrame ? '' : html`<meta http-equiv="refresh" content="${reloadSeconds}; url=${url}" />`;
  const head = html`${linkPreview(frame)} ${reload}`;
  return renderDocument(frame, { title: m(heading), head, body, foot: shopFooter(frame) });
}

/** The page of a checkout. */
export function checkoutPage(view: CheckoutPage): Html {
  const { checkout, t, url, endpoint, widget } = view;
  const isPaid = checkout.status === 'paid';
  const amount = checkout.invoice?.amount ?? checkout.amount;
  const amountText = amount === null ? t.m('widget.name') : t.brief(amount, checkout.currency);
  const head = html`${linkPreview(view)}
    <script type="module" src="${widget}"></script>`;
  const body = html`<pay-invoice
    endpoint="${endpoint}"
    checkout="${view.capability}"
    ${url === undefined ? '' : html`phone-url="${url}"`}
    heading-level="${view.headingLevel}"
    ${isPaid ? '' : raw('page-title')}
  >
    ${tagContent(view)} ${logoSlots(view)} ${supportLink(view, checkout.reference, raw(' slot="support"'))}
    ${sellerSlot(view)}
  </pay-invoice>`;
  const title = isPaid ? `✓ ${t.m('header.paid')} · ${amountText}` : amountText;
  return renderDocument(view, { title, head, body, foot: shopFooter(view, checkout.reference, isPaid) });
}

/** The shop's pictures of the methods, for the widget. */
const logoSlots = (view: CheckoutPage): readonly (Html | string)[] =>
  [...new Set(view.checkout.options.map(({ type }) => type))].map((type) =>
    methodLogo(view, type, raw(` slot="method-${type.toLowerCase().replaceAll('_', '-')}"`)),
  );

/** Who sells, below the receipt of the widget. */
const sellerSlot = ({ shop, t }: CheckoutPage): Html | string =>
  shop.legal === undefined ? '' : html`<dl slot="receipt">${fact(textsOf(t).seller, exact(shop.legal))}</dl>`;
