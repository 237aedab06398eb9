import type { LedgerEntries } from './ledger.ts';
import type { HeldInvoice } from './service.ts';
import type { Invariant, Violation } from './violation.ts';

/** What a payer was shown, for the audit. */
export interface Showing {
  readonly orderId: string;
  readonly shown: readonly string[];
}

function at(invariant: Invariant, text: string): Violation {
  return { invariant, text };
}

/** What is still under way; when nothing is, all has come to rest. Each is a violation when it never ends. */
export function unsettled({ attempts, outcomes, payments }: LedgerEntries, held: readonly HeldInvoice[]): Violation[] {
  const truth = new Map(held.map(({ id, status }) => [id, String(status)]));
  const found: Violation[] = [];
  for (const { external_id, stage, run_at, invoice_id, outcome } of attempts) {
    if ((stage === 'creating' || stage === 'in_doubt') && run_at !== null)
      found.push(at('I7', `${external_id} is ${stage}`));
    const status = truth.get(invoice_id ?? '');
    if (stage === 'created' && status?.toLowerCase() !== outcome)
      found.push(at('I2', `${invoice_id ?? ''} is ${status ?? 'unheard of'} at the service, ${outcome} at the shop`));
  }
  for (const { id, delivered_at } of outcomes)
    if (delivered_at === null) found.push(at('I4', `${id} is not delivered`));
  for (const { id, status } of held)
    if (status === 'PAID' && !payments.some(({ invoice_id }) => invoice_id === id))
      found.push(at('I4', `${id} is paid, and the shop does not know`));
  return found;
}

/** What does not hold once all has come to rest. */
export function audit(entries: LedgerEntries, held: readonly HeldInvoice[], showings: readonly Showing[]): Violation[] {
  const { attempts } = entries;
  const found = unsettled(entries, held);
  const names = new Set(attempts.map(({ external_id }) => external_id));
  for (const { id, external_id = '' } of held)
    if (!names.has(external_id))
      found.push(at('I2', `${id} was made under ${external_id}, which the shop does not know`));
  const known = new Map(attempts.map((attempt) => [attempt.invoice_id, attempt]));
  for (const id of showings.flatMap(({ shown }) => shown)) {
    const attempt = known.get(id);
    if (attempt === undefined) found.push(at('I2', `${id} was shown, and the shop does not know it`));
    else if (attempt.outcome === 'pending' && attempt.run_at === null) found.push(at('I2', `${id} is not watched`));
  }
  for (const { orderId } of showings) found.push(...auditOrder(orderId, entries, held));
  return found;
}

function auditOrder(orderId: string, entries: LedgerEntries, held: readonly HeldInvoice[]): Violation[] {
  const found: Violation[] = [];
  const checkout = entries.checkouts.find(({ params }) => params.includes(`"${orderId}"`));
  const attempts = entries.attempts.filter(({ checkout_id }) => checkout_id === checkout?.id);
  const payments = entries.payments.filter(({ order_id }) => order_id === orderId);
  const paid = held.filter(({ metadata, status }) => metadata.order_id === orderId && status === 'PAID');
  const current = attempts.filter(({ replaced, refusal }) => replaced === 0 && refusal === null);
  if (current.length > 1) found.push(at('I1', `${orderId} has ${current.length} invoices that are offered`));
  if (checkout === undefined) return [at('I2', `${orderId} is gone`)];
  if (paid.length === 0 && checkout.paid_external_id !== null) found.push(at('I3', `${orderId} is called paid`));
  if (paid.length > 0 && checkout.paid_external_id === null) found.push(at('I4', `${orderId} is not called paid`));
  for (const { invoice_id } of payments)
    if (!paid.some(({ id }) => id === invoice_id)) found.push(at('I3', `${invoice_id} is credited, and was not paid`));
  const first = payments.filter(({ kind }) => kind === 'paid').length;
  if (first !== Math.min(1, paid.length) || payments.length !== paid.length)
    found.push(
      at('I4', `${orderId} has ${paid.length} payments, ${payments.map(({ kind }) => kind).join(', ')} credited`),
    );
  return found;
}
