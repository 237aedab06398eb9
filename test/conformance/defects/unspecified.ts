import {
  bodyIn,
  edge,
  isAny,
  isBody,
  isRead,
  isWrite,
  onAnswer,
  onCheckout,
  onInvoice,
  problem,
  type Body,
  type Seeded,
} from './make.ts';

/** The invoice in a checkout, or an empty object. */
function invoiceIn(body: Body): Body {
  return isBody(body['invoice']) ? body['invoice'] : {};
}

/** Backends that are right only for the answers that the service's specification shows. */
export const unspecifiedDefects: readonly Seeded[] = [
  edge('qr.refused', 'an invoice without a QR code counts as none', () => async (request, next) => {
    const response = await next(request);
    if (!isWrite(request) || response.status !== 201) return response;
    const { nspk_url } = invoiceIn(bodyIn(await response.clone().text()));
    return nspk_url === undefined ? problem(500, 'internal', { trace_id: 't' }) : response;
  }),
  edge('unpayable.not_offered', 'an invoice is shown with nothing to pay by', () => {
    let last: Body = {};
    return async (request, next) => {
      const response = await next(request);
      if (isRead(request)) last = bodyIn(await response.clone().text());
      if (!isWrite(request) || response.status < 400) return response;
      const invoice = { id: 'inv_1', amount: '1500.00' };
      return Response.json({ ...last, status: 'pending', invoice }, { status: 201 });
    };
  }),
  edge('times.short_offset', 'a deadline with +0300 is read as UTC', () => {
    const ids = new Set<unknown>(); // the second invoice is the one with that offset
    return onInvoice(isWrite, (invoice) => {
      const shiftMs = ids.add(invoice['id']).size > 1 ? 10_800_000 : 0;
      return { ...invoice, expires_in_ms: Number(invoice['expires_in_ms']) + shiftMs };
    })();
  }),
  edge(
    'times.no_zone',
    'a deadline without a zone is read as UTC',
    onInvoice(isAny, (invoice) => ({ expires_in_ms: 900_000, ...invoice })),
  ),
  edge(
    'amount.paid',
    'the amount of a paid invoice is not compared',
    onCheckout(isRead, (body) => (invoiceIn(body)['service_status'] === 'PAID' ? { ...body, status: 'paid' } : body)),
  ),
  edge('duplicates.one', 'reads show the latest of the invoices', () => {
    let reads = 0;
    return onInvoice(isRead, (invoice) => ({ ...invoice, id: `inv_${(reads += 1)}` }))();
  }),
  edge(
    'batches.refused',
    'a refused batch is given up',
    onCheckout(isRead, (body) => (body['status'] === 'paid' ? { ...body, status: 'pending' } : body)),
  ),
  edge(
    'hanging.stale',
    'a service that hangs is not told',
    onCheckout(isRead, (body) => ({ ...body, stale: false })),
  ),
  edge(
    'hanging.write',
    'a create without an answer is an internal error',
    onAnswer(
      (request, { status }) => isWrite(request) && (status === 202 || status === 503),
      () => problem(500, 'internal', { trace_id: 't' }),
    ),
  ),
  {
    check: 'grace.pending',
    defect: 'a pending invoice ends at its deadline',
    merchant: () => ({ server: { timing: { graceMs: 0 } } }),
  },
  edge(
    'grace.unknown_status',
    'the deadline ends an invoice with an unknown status',
    onCheckout(isRead, (body) => {
      const { service_status, expires_in_ms } = invoiceIn(body);
      return service_status === 'HELD_BY_BANK' && expires_in_ms === 0 ? { ...body, status: 'expired' } : body;
    }),
  ),
];
