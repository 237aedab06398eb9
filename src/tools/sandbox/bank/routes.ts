import { type Context, Hono } from 'hono';
import type { Clock } from '../../../base/clock.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { InvoiceLifecycle } from '../invoices/invoice-lifecycle.ts';
import { invoicePage, noticePage, overviewPage } from './pages.ts';
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
 * The payer's bank: `/pay/{id}`, to which `payment_url` leads, and `/qr/{code}`, to which `nspk_url` leads. The pages have plain
 * forms and no script: `action=pay` and `action=refuse` change a pending invoice. `/` lists the newest invoices.
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

  const showInvoice = (c: Context, invoice: Invoice | undefined): Response | Promise<Response> => {
    const language = languageOf(c);
    if (invoice === undefined) return c.html(noticePage('unknown', language), 404);
    const now = clock.now();
    if (invoice.status === 'PENDING') c.header('refresh', String(Math.ceil((invoice.expires_at - now) / 1000) + 1));
    return c.html(invoicePage(invoice, now, language));
  };

  const performAction = async (c: Context, invoice: Invoice | undefined): Promise<Response> => {
    if (invoice === undefined) return showInvoice(c, invoice);
    if (!isFromOwnPage(c.req.raw)) return c.html(noticePage('foreign', languageOf(c)), 403);
    const { action } = await c.req.parseBody();
    if (invoice.status === 'PENDING' && action === 'pay') lifecycle.perform(invoice, 'pay');
    if (invoice.status === 'PENDING' && action === 'refuse') lifecycle.perform(invoice, 'fail');
    return c.redirect(`?lang=${languageOf(c)}`, 303); // relative, because a proxy may serve it under a path
  };

  bankPages.get('/', (c) => c.html(overviewPage(lifecycle.newest(maxListedInvoices), languageOf(c))));
  bankPages.get('/pay/:id', (c) => showInvoice(c, lifecycle.find(c.req.param('id'))));
  bankPages.post('/pay/:id', (c) => performAction(c, lifecycle.find(c.req.param('id'))));
  bankPages.get('/qr/:code', (c) => showInvoice(c, lifecycle.findByLink(c.req.param('code'))));
  bankPages.post('/qr/:code', (c) => performAction(c, lifecycle.findByLink(c.req.param('code'))));
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
