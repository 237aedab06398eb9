import { Hono, type Context } from 'hono';
import { cors } from 'hono/cors';
import { z } from 'zod';
import { loopbackHost } from '../../../base/loopback-host.ts';
import { ServiceError, errorResponse } from '../service/service-error.ts';
import { fault, faultKinds } from '../faults/fault-kinds.ts';
import type { ActiveFaults } from '../faults/active-faults.ts';
import { invoiceStatus, toControlJson, type Invoice } from '../invoices/invoice.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import { parse, readJson } from '../service/parse-request.ts';
import { invoiceActions, type InvoiceLifecycle } from '../invoices/invoice-lifecycle.ts';
import { settingsSchema, type Settings } from './sandbox-settings.ts';

/** The parts that the control API reads and changes. */
export interface ControlApiOptions {
  readonly store: InvoiceStore;
  readonly lifecycle: InvoiceLifecycle;
  readonly faults: ActiveFaults;
  readonly settings: { current: Settings };
  /** The address at which browsers reach the sandbox, for links in responses. */
  readonly baseOf: (request: Request) => string;
}

const maxListedInvoices = 1000;

/**
 * `/sandbox/…`, for tests and the demo's developer panel. It needs no token; only pages on a loopback address may call it:
 * - `GET /sandbox/invoices` newest first (`?external_id=`, `?limit=`), `GET /sandbox/invoices/{id}`;
 * - `POST /sandbox/invoices/{id}/pay`, `/fail`, `/expire`, and `/status` with `{"status": any string or number}`;
 * - `GET`, `PUT`, `DELETE /sandbox/faults` and `DELETE /sandbox/faults/{id}`; a PUT adds the fault, or the list of
 *   faults, in its body (all or none); `GET /sandbox/faults/kinds` describes every kind;
 * - `GET`, `PUT /sandbox/settings`;
 * - `GET /sandbox/balance`: the sum of the paid LIVE invoices.
 */
export function controlApi({ store, lifecycle, faults, settings, baseOf }: ControlApiOptions): Hono {
  const api = new Hono();
  api.use(async (c, next) => {
    if (isCrossSite(c.req.raw, baseOf(c.req.raw)))
      return errorResponse(
        new ServiceError('permission_denied', 'origin: pages of other sites may not control the sandbox'),
      );
    return next();
  });
  api.use(
    cors({
      origin: (origin) => (isLoopbackOrigin(origin) ? origin : null),
      allowMethods: ['GET', 'PUT', 'POST', 'DELETE'],
      allowHeaders: ['content-type'],
      maxAge: 600,
    }),
  );

  const requireInvoice = (id: string): Invoice => {
    const invoice = lifecycle.find(id);
    if (invoice === undefined) throw new ServiceError('not_found', 'id: there is no such invoice');
    return invoice;
  };
  const respondWithInvoice = (c: Context, invoice: Invoice): Response =>
    c.json(toControlJson(invoice, baseOf(c.req.raw)));

  api.get('/invoices', (c) => {
    const { external_id, limit } = parse(listQuery, c.req.query());
    const invoices = lifecycle.newest(limit, external_id);
    return c.json({ invoices: invoices.map((invoice) => toControlJson(invoice, baseOf(c.req.raw))) });
  });
  api.get('/invoices/:id', (c) => respondWithInvoice(c, requireInvoice(c.req.param('id'))));
  for (const action of invoiceActions)
    api.post(`/invoices/:id/${action}`, (c) =>
      respondWithInvoice(c, lifecycle.perform(requireInvoice(c.req.param('id')), action)),
    );
  api.post('/invoices/:id/status', async (c) => {
    const { status } = parse(statusBody, await readJson(c.req.raw));
    return respondWithInvoice(c, lifecycle.setStatus(requireInvoice(c.req.param('id')), status));
  });

  const respondWithFaults = (c: Context): Response => c.json({ faults: faults.list() });
  api.get('/faults', respondWithFaults);
  api.get('/faults/kinds', (c) => c.json({ kinds: faultKinds }));
  api.put('/faults', async (c) => {
    const body = await readJson(c.req.raw);
    faults.add(Array.isArray(body) ? parse(z.array(fault), body) : [parse(fault, body)]);
    return respondWithFaults(c);
  });
  api.delete('/faults', (c) => {
    faults.clear();
    return respondWithFaults(c);
  });
  api.delete('/faults/:id', (c) => {
    if (!faults.remove(c.req.param('id'))) throw new ServiceError('not_found', 'id: there is no such fault');
    return respondWithFaults(c);
  });

  api.get('/settings', (c) => c.json(settings.current));
  api.put('/settings', async (c) => {
    const change = parse(settingsSchema.partial(), await readJson(c.req.raw));
    settings.current = parse(settingsSchema, { ...settings.current, ...change });
    return c.json(settings.current);
  });
  api.get('/balance', (c) => c.json({ balance: store.balance(), currency: 'RUB' }));
  return api;
}

const statusBody = z.object({ status: invoiceStatus });
const listQuery = z.object({
  external_id: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(maxListedInvoices).default(100),
});

/** Whether an origin such as `http://localhost:8080` belongs to this machine. */
function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return /^https?:$/.test(protocol) && loopbackHost.test(hostname);
}

/**
 * Whether a page of another site may have sent the request. Programs send neither `Origin` nor `Sec-Fetch-Site`. Navigation,
 * such as a followed link, does not count as cross-site.
 */
function isCrossSite({ headers, method }: Request, ownOrigin: string): boolean {
  const origin = headers.get('origin');
  if (origin !== null) return origin !== ownOrigin && !isLoopbackOrigin(origin);
  const fetchSite = headers.get('sec-fetch-site');
  if (fetchSite === null || fetchSite === 'same-origin' || fetchSite === 'none') return false;
  return !(method === 'GET' && headers.get('sec-fetch-mode') === 'navigate');
}
