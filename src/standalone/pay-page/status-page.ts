import { html, raw } from 'hono/html';
import type { Checkout } from '../../checkout-api.ts';
import { shownState, statusNow, type ShownState } from './pay-page-screens.ts';
import { exact, type Html, type PageFrame } from './page-parts.ts';

/** How often the status is loaded again, in seconds: while the payer can do nothing but wait for requisites, sooner. */
const reloadSeconds = { creating: 2, waiting: 10 };

// The frame lies over the text that the page had at first.
export const statusStyle =
  ":root{color-scheme:light dark;background:#fff}body{display:flex;align-items:center;gap:.625em;min-height:100vh;margin:0;font:.875rem/1.45 system-ui,sans-serif;color:#586174}body::before{content:'';flex:none;width:.5em;height:.5em;border-radius:50%;background:currentcolor}a{color:inherit;font-weight:600}@media(prefers-color-scheme:dark){:root{background:#171a21}body{color:#a3adbf}}";

/**
 * The status of a checkout, for a frame of its page while the widget does not take the page's place: it loads itself again, so that the
 * page around it can be read, copied and scrolled. Once the checkout is not as the page shows it (`shown`), a link to `path` shows the
 * page anew. `checkout` is undefined where nothing is known now, `path` where no link can lead there.
 */
export function statusPage(
  frame: PageFrame,
  checkout: Checkout | undefined,
  path: string | undefined,
  shown: string,
): Html {
  const { t } = frame;
  const { m } = t;
  const state = checkout && shownState(checkout);
  const news = state === shown ? undefined : state;
  const leftMs = checkout?.stale ? undefined : checkout?.invoice?.expires_in_ms;
  const text =
    checkout === undefined
      ? m('waiting.shop-silent')
      : html`<div>
          ${statusNow(checkout, frame)}
          ${leftMs && state === 'pending' ? exact(m('deadline.left', { left: t.spokenTime(leftMs) })) : ''}
        </div>`;
  const newsTitle = news && titleOf(news, m);
  const isPending = state === undefined || checkout?.status === 'pending';
  const seconds = state === 'creating' ? reloadSeconds.creating : reloadSeconds.waiting;
  return html`<!doctype html>
    <html lang="${t.language}" dir="${t.direction}">
      <head>
        <meta charset="utf-8" />
        <title>${newsTitle ?? m('widget.name')}</title>
        ${raw(`<style>${statusStyle}</style>`)}
        ${isPending ? raw(`<meta http-equiv="refresh" content="${seconds}" />`) : ''}
      </head>
      <body>
        ${newsTitle === undefined ? text : path === undefined ? newsTitle : html`<a href="${path}" target="_parent">${newsTitle}. ${m('other-amount.refresh')}</a>`}
      </body>
    </html>`;
}

/** The heading of what the page does not show yet. */
const titleOf = (news: ShownState, m: PageFrame['t']['m']): string =>
  m(news === 'open' ? 'widget.name' : news === 'pending' ? 'header.due' : `${news}.title`);
