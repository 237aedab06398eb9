import { type Context, Hono } from 'hono';
import type { Clock } from '../../../base/clock.ts';
import type { InvoiceLifecycle } from '../invoices/invoice-lifecycle.ts';
import { bankPage, overviewPage } from './pages.ts';
import { bankStyle } from './style.ts';
import { chooseLanguage } from './texts.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** How many invoices the overview lists at most. */
const maxListedInvoices = 50;

/**
 * The payer's bank: `/pay/{id}`, to which `payment_url` leads, and `/qr/{code}`, to which `nspk_url` leads and which redirects
 * to it. The page has a plain form and no script: `action=pay` and `action=fail` change a pending invoice. `/` lists the newest.
 */
export function bankRoutes(lifecycle: InvoiceLifecycle, clock: Clock): Hono {
  const bankPages = new Hono();
  bankPages.use(async (c, next) => {
    await next();
    c.header('content-security-policy', contentSecurityPolicy);
    c.header('referrer-policy', 'same-origin');
    c.header('x-content-type-options', 'nosniff');
    c.header('cache-control', 'no-store');
  });

  bankPages.get('/', (c) => c.html(overviewPage(lifecycle.newest(maxListedInvoices), languageOf(c))));
  bankPages.get('/qr/:code', (c) => {
    const id = lifecycle.findByLink(c.req.param('code'))?.id ?? 'none';
    return c.redirect(`../pay/${id}`); // relative, because a proxy may serve it under a path
  });
  bankPages.get('/pay/:id', (c) => {
    const invoice = lifecycle.find(c.req.param('id'));
    const now = clock.now();
    if (invoice?.status === 'PENDING') c.header('refresh', String(Math.ceil((invoice.expires_at - now) / 1000) + 1));
    return c.html(bankPage(invoice ?? 'unknown', now, languageOf(c)), invoice === undefined ? 404 : 200);
  });
  bankPages.post('/pay/:id', async (c) => {
    const invoice = lifecycle.find(c.req.param('id'));
    if (!isFromOwnPage(c.req.raw)) return c.html(bankPage('foreign', clock.now(), languageOf(c)), 403);
    const { action } = await c.req.parseBody();
    if (invoice?.status === 'PENDING' && (action === 'pay' || action === 'fail')) lifecycle.perform(invoice, action);
    return c.redirect(`?lang=${languageOf(c)}`, 303);
  });
  bankPages.get('/bank.css', (c) => c.body(bankStyle, 200, { 'content-type': 'text/css; charset=utf-8' }));
  return bankPages;
}

function languageOf(c: Context): 'ru' | 'en' {
  return chooseLanguage(c.req.query('lang'), c.req.header('accept-language'));
}

/** Whether the bank's own page or a program sent the form. Programs send neither `Origin` nor `Sec-Fetch-Site`. */
function isFromOwnPage({ url, headers }: Request): boolean {
  const origin = headers.get('origin');
  if (origin !== null) return URL.canParse(origin) && new URL(origin).host === new URL(url).host;
  return ['same-origin', 'none', null].includes(headers.get('sec-fetch-site'));
}
