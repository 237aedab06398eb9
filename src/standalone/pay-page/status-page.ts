import { html, raw } from 'hono/html';
import type { Checkout } from '../../checkout-api.ts';
import { factBeingChecked, statusNow } from './payment-screens.ts';
import { exact, type Html, type PageFrame } from './page-parts.ts';

/** How often the status is loaded again, in seconds. */
const reloadSeconds = 10;

export const statusStyle =
  ':root{color-scheme:light dark}body{margin:0;font:.875rem/1.45 system-ui,sans-serif;color:#667085}a{color:inherit;font-weight:600}@media(prefers-color-scheme:dark){body{color:#a3adbf}}';

/**
 * The status of an invoice that waits to be paid, for a frame of the page without script: it loads itself again, so that the page around it
 * can be read, copied and scrolled. Once there is news, a link shows the page anew. `checkout` is undefined where nothing is known now.
 */
export function statusPage(frame: PageFrame, checkout: Checkout | undefined, path: string): Html {
  const { t } = frame;
  const { m } = t;
  const leftMs = checkout?.invoice?.expires_in_ms;
  const status = checkout?.status ?? 'pending';
  const isPending = status === 'pending';
  const fact = checkout && factBeingChecked(checkout);
  const isWaiting = isPending && fact === undefined;
  const text =
    checkout === undefined
      ? m('waiting.shop-silent')
      : html`${statusNow(checkout, frame)}
        ${leftMs && !checkout.stale ? exact(m('deadline.left', { left: t.spokenTime(leftMs) })) : ''}`;
  const news = fact ?? (isPending || status === 'open' ? undefined : status);
  const title = m(news === undefined ? 'widget.name' : `${news}.title`);
  return html`<!doctype html>
    <html lang="${t.language}" dir="${t.direction}">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        ${raw(`<style>${statusStyle}</style>`)}
        ${isPending ? raw(`<meta http-equiv="refresh" content="${reloadSeconds}" />`) : ''}
      </head>
      <body>
        ${isWaiting ? text : html`<a href="${path}" target="_parent">${title}. ${m('other-amount.refresh')}</a>`}
      </body>
    </html>`;
}
