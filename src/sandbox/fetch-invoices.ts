import { fetchInvoicesRequest } from '../contract.ts';
import { asFetched } from './invoice.ts';
import { parse } from './json-body.ts';
import type { Lifecycle } from './lifecycle.ts';

/**
 * FetchInvoices (invoice-service.md §4.3): the invoices in the order of the identifiers, each once. Unknown identifiers
 * are left out.
 */
export function fetchInvoices(lifecycle: Lifecycle, body: unknown, base: string): object {
  const { ids } = parse(fetchInvoicesRequest, body);
  return { invoices: lifecycle.findAll(ids).map((invoice) => asFetched(invoice, base)) };
}
