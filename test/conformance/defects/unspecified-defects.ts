import {
  backend,
  readsWith,
  parseBody,
  isAnyRequest,
  isBody,
  isInDoubt,
  isRead,
  isWrite,
  onResponse,
  onCheckout,
  offerInsteadOfRefusal,
  onInvoice,
  problem,
  replaceStatus,
  type Body,
  type DefectTable,
} from './seeded-defect.ts';

/** Returns the invoice of a checkout, or an empty object. */
function getInvoice(body: Body): Body {
  return isBody(body['invoice']) ? body['invoice'] : {};
}

/** Backends that fail when the service responds in a way that its specification leaves open. */
export const unspecifiedDefects: DefectTable = {
  'qr.refused': {
    'an invoice without a QR code is answered with 500': () => async (request, next) => {
      const response = await next(request);
      if (!isWrite(request) || response.status !== 201) return response;
      const { nspk_url } = getInvoice(parseBody(await response.clone().text()));
      return nspk_url === undefined ? problem(500, 'internal', { trace_id: 't' }) : response;
    },
  },
  'unpayable.not_offered': {
    'an invoice without requisites and links is offered': offerInsteadOfRefusal({ id: 'inv_1', amount: '1500.00' }),
  },
  'times.short_offset': {
    'a deadline with +0300 is read as UTC': () => {
      const ids = new Set<unknown>(); // the second invoice is the one with that offset
      return onInvoice(isWrite, (invoice) => {
        const shiftMs = ids.add(invoice['id']).size > 1 ? 10_800_000 : 0;
        return { ...invoice, expires_in_ms: Number(invoice['expires_in_ms']) + shiftMs };
      })();
    },
  },
  'times.no_zone': {
    'a deadline without a zone is read as UTC': onInvoice(isAnyRequest, (invoice) => ({
      expires_in_ms: 900_000,
      ...invoice,
    })),
  },
  'values.empty': {
    'the empty name of a bank is sent to the payer': onInvoice(isAnyRequest, (invoice) => ({
      ...invoice,
      bank: { id: '7cd5e8fc-9be1-4c2f-a4a2-0e8e5a3f2f10', name: '' },
    })),
  },
  'values.long': {
    'a create whose response is too long is answered with 500': onResponse(isInDoubt, () =>
      problem(500, 'internal', { trace_id: 't' }),
    ),
    'no payment is detected once a text was long': replaceStatus('paid', 'pending'),
  },
  'amount.paid': {
    'a paid invoice with another amount makes the checkout paid': onCheckout(isRead, (body) =>
      getInvoice(body)['service_status'] === 'PAID' ? { ...body, status: 'paid' } : body,
    ),
  },
  'duplicates.one': {
    'each read shows a newer invoice': () => {
      let reads = 0;
      return onInvoice(isRead, (invoice) => ({ ...invoice, id: `inv_${(reads += 1)}` }))();
    },
  },
  'batches.refused': {
    'no payment is detected while the service refuses batches': replaceStatus('paid', 'pending'),
  },
  'hanging.stale': {
    'a checkout is not stale while the service does not answer': readsWith({ stale: false }),
  },
  'hanging.write': {
    'a create that the service does not answer is answered with 500': onResponse(isInDoubt, () =>
      problem(500, 'internal', { trace_id: 't' }),
    ),
  },
  'grace.pending': {
    'a pending invoice ends at its deadline': backend(() => ({ server: { timing: { graceMs: 0 } } })),
  },
  'grace.unknown_status': {
    'the deadline ends an invoice with an unknown status': onCheckout(isRead, (body) => {
      const { service_status, expires_in_ms } = getInvoice(body);
      return service_status === 'HELD_BY_BANK' && expires_in_ms === 0 ? { ...body, status: 'expired' } : body;
    }),
  },
};
