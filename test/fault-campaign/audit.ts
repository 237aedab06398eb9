import type { LedgerEntries } from './ledger.ts';
import type { HeldInvoice } from './sandbox-control.ts';
import type { Invariant, Violation } from './violation.ts';

/** The invoices that the payer of an order was shown. */
export interface ShownInvoices {
  readonly orderId: string;
  readonly shown: readonly string[];
}

function violation(invariant: Invariant, text: string): Violation {
  return { invariant, text };
}

/** All work that is not finished. Each entry is a violation when it is never finished. */
export function unsettled({ attempts, outcomes, payments }: LedgerEntries, held: readonly HeldInvoice[]): Violation[] {
  const serviceStatuses = new Map(held.map(({ id, status }) => [id, String(status)]));
  const found: Violation[] = [];
  for (const { external_id, stage, run_at, invoice_id, outcome } of attempts) {
    if ((stage === 'creating' || stage === 'in_doubt') && run_at !== null)
      found.push(violation('I7', `${external_id} is ${stage}`));
    const status = serviceStatuses.get(invoice_id ?? '');
    if (stage === 'created' && status?.toLowerCase() !== outcome)
      found.push(
        violation('I2', `${invoice_id ?? ''} is ${status ?? 'unknown'} at the service, ${outcome} at the shop`),
      );
  }
  for (const { id, delivered_at } of outcomes)
    if (delivered_at === null) found.push(violation('I4', `${id} is not delivered`));
  for (const { id, status } of held)
    if (status === 'PAID' && !payments.some(({ invoice_id }) => invoice_id === id))
      found.push(violation('I4', `${id} is paid, and the shop has no payment for it`));
  return found;
}

/** The violations once all work is finished. */
export function audit(
  entries: LedgerEntries,
  held: readonly HeldInvoice[],
  shownInvoices: readonly ShownInvoices[],
): Violation[] {
  const { attempts } = entries;
  const found = unsettled(entries, held);
  const names = new Set(attempts.map(({ external_id }) => external_id));
  for (const { id, external_id = '' } of held)
    if (!names.has(external_id))
      found.push(violation('I2', `${id} was made under ${external_id}, which the shop does not know`));
  const known = new Map(attempts.map((attempt) => [attempt.invoice_id, attempt]));
  for (const id of shownInvoices.flatMap(({ shown }) => shown)) {
    const attempt = known.get(id);
    if (attempt === undefined) found.push(violation('I2', `${id} was shown, and the shop does not know it`));
    else if (attempt.outcome === 'pending' && attempt.run_at === null)
      found.push(violation('I2', `${id} is not watched`));
  }
  for (const { orderId } of shownInvoices) found.push(...auditOrder(orderId, entries, held));
  return found;
}

function auditOrder(orderId: string, entries: LedgerEntries, held: readonly HeldInvoice[]): Violation[] {
  const found: Violation[] = [];
  const checkout = entries.checkouts.find(({ params }) => params.includes(`"${orderId}"`));
  const attempts = entries.attempts.filter(({ checkout_id }) => checkout_id === checkout?.id);
  const payments = entries.payments.filter(({ order_id }) => order_id === orderId);
  const paid = held.filter(({ metadata, status }) => metadata.order_id === orderId && status === 'PAID');
  const current = attempts.filter(({ replaced, refusal }) => replaced === 0 && refusal === null);
  if (current.length > 1) found.push(violation('I1', `${orderId} has ${current.length} invoices that are offered`));
  if (checkout === undefined) return [violation('I2', `${orderId} has no checkout`)];
  if (paid.length === 0 && checkout.paid_external_id !== null)
    found.push(violation('I3', `${orderId} is paid at the shop, and at the service it is not`));
  if (paid.length > 0 && checkout.paid_external_id === null)
    found.push(violation('I4', `${orderId} is paid at the service, and at the shop it is not`));
  for (const { invoice_id } of payments)
    if (!paid.some(({ id }) => id === invoice_id))
      found.push(violation('I3', `${invoice_id} is credited, and was not paid`));
  const first = payments.filter(({ kind }) => kind === 'paid').length;
  if (first !== Math.min(1, paid.length) || payments.length !== paid.length)
    found.push(
      violation(
        'I4',
        `${orderId} has ${paid.length} payments, ${payments.map(({ kind }) => kind).join(', ')} credited`,
      ),
    );
  return found;
}
