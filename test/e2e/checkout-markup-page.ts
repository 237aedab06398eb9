// Pages of a shop with the markup of a checkout inside the tag, and the built widget.
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import type { Checkout } from '../../src/checkout-api.ts';
import { checkoutMarkup } from '../../src/standalone.ts';

const origin = 'https://shop.example';

export interface MarkupPageOptions {
  readonly initial: Checkout;
  readonly lang: string;
  readonly context?: BrowserContextOptions;
  /** Called before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Files of the widget that stay away until `release` was called. */
  readonly held?: RegExp;
}

/** Opens the page. `backend` has what the checkout API answers from now on. */
export async function openMarkupPage(browser: Browser, { initial, lang, context, prepare, held }: MarkupPageOptions) {
  // As a server renders it now: an older checkout would be read again at once.
  const current = { ...initial, server_time: new Date().toISOString() };
  const backend = { checkout: current, requests: new Array<string>() };
  const markup = await checkoutMarkup(current, { payPage: `/pay/${initial.id}`, lang });
  const html = `<!doctype html><html lang="${lang}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>
<link rel="icon" href="data:,"><script type="module" src="/pay-invoice.js"></script>
<body><pay-invoice checkout="${initial.id}">${markup}</pay-invoice>`;
  const waiting: (() => Promise<void>)[] = [];
  const respond = async (route: Route): Promise<void> => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') return route.fulfill({ body: html, contentType: 'text/html' });
    if (/^\/(checkout|pay)\//.test(pathname)) {
      backend.requests.push(`${route.request().method()} ${pathname}`);
      return pathname.startsWith('/pay/')
        ? route.fulfill({ body: 'The pay page', contentType: 'text/html' })
        : route.fulfill({ json: backend.checkout });
    }
    const send = (): Promise<void> =>
      route.fulfill({ body: readFileSync(`dist/cdn${pathname}`), contentType: 'text/javascript' });
    if (held?.test(pathname) !== true) return send();
    waiting.push(send);
  };
  const opened = await browser.newContext(context ?? {});
  opened.setDefaultTimeout(30_000);
  const browserErrors: string[] = [];
  opened.on('weberror', (error) => browserErrors.push(String(error.error())));
  const page = await opened.newPage();
  await page.route(`${origin}/**`, respond);
  await prepare?.(page);
  await page.goto(`${origin}/`, { waitUntil: 'commit' });
  return {
    page,
    backend,
    browserErrors,
    /** How many requests for files wait. */
    heldFiles: () => waiting.length,
    release: async (): Promise<void> => {
      for (const send of waiting.splice(0)) await send();
    },
  };
}
