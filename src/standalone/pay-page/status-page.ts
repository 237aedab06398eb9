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
export function statusPage({ shop, t }: PageFrame, checkout: Checkout | undefined, path: string): Html {
  const { m } = t;
  const leftMs = checkout?.invoice?.expires_in_ms;
  const isPending = checkout === undefined || checkout.status === 'pending';
  const fact = checkout && factBeingChecked(checkout);
  const isWaiting = isPending && fact === undefined;
  const text =
    checkout === undefined
      ? m('waiting.shop-silent')
      : html`${statusNow(checkout, { shop, t })}
        ${leftMs && !checkout.stale ? exact(m('deadline.left', { left: t.spokenTime(leftMs) })) : ''}`;
  const title = m(
    checkout === undefined || isWaiting || checkout.status === 'open'
      ? 'widget.name'
      : `${checkout.status === 'pending' ? (fact ?? 'time-up') : checkout.status}.title`,
  );
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
