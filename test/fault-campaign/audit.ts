import type { LedgerEntries } from './ledger.ts';
import type { ServiceInvoice } from './sandbox-control.ts';
import type { Invariant, Violation } from './violation.ts';

/** The invoices that the payer of an order was shown. */
export interface ShownInvoices {
  readonly orderId: string;
  readonly shownInvoiceIds: readonly string[];
}

function createViolation(invariant: Invariant, text: string): Violation {
  return { invariant, text };
}

/** Returns all unfinished work. An entry is a violation if it remains at the end of a run. */
export function findUnfinishedWork(
  { attempts, outcomes, payments }: LedgerEntries,
  serviceInvoices: readonly ServiceInvoice[],
): Violation[] {
  const serviceStatuses = new Map(serviceInvoices.map(({ id, status }) => [id, String(status)]));
  const violations: Violation[] = [];
  for (const { external_id, state, invoice_id, outcome } of attempts) {
    if (state === 'creating' || state === 'in_doubt')
      violations.push(createViolation('I7', `${external_id} is ${state}`));
    const status = serviceStatuses.get(invoice_id ?? '');
    if (invoice_id !== null && status?.toLowerCase() !== outcome)
      violations.push(
        createViolation('I2', `${invoice_id} is ${status ?? 'unknown'} at the service, ${outcome} at the shop`),
      );
  }
  for (const { id, delivered_at } of outcomes)
    if (delivered_at === null) violations.push(createViolation('I4', `${id} is not delivered`));
  for (const { id, status } of serviceInvoices)
    if (status === 'PAID' && !payments.some(({ invoice_id }) => invoice_id === id))
      violations.push(createViolation('I4', `${id} is paid, and the shop has no payment for it`));
  return violations;
}

/** Returns the violations that remain when all work is finished. */
export function audit(
  entries: LedgerEntries,
  serviceInvoices: readonly ServiceInvoice[],
  shownInvoices: readonly ShownInvoices[],
): Violation[] {
  const { attempts } = entries;
  const violations = findUnfinishedWork(entries, serviceInvoices);
  const externalIds = new Set(attempts.map(({ external_id }) => external_id));
  for (const { id, external_id = '' } of serviceInvoices)
    if (!externalIds.has(external_id))
      violations.push(createViolation('I2', `${id} was created with ${external_id}, which the shop does not know`));
  const attemptsByInvoice = new Map(attempts.map((attempt) => [attempt.invoice_id, attempt]));
  for (const id of shownInvoices.flatMap(({ shownInvoiceIds }) => shownInvoiceIds)) {
    const attempt = attemptsByInvoice.get(id);
    if (attempt === undefined) violations.push(createViolation('I2', `${id} was shown, and the shop does not know it`));
    else if (attempt.outcome === 'pending' && attempt.run_at === null)
      violations.push(createViolation('I2', `${id} is not watched`));
  }
  for (const { orderId } of shownInvoices) violations.push(...auditOrder(orderId, entries, serviceInvoices));
  return violations;
}

function auditOrder(orderId: string, entries: LedgerEntries, serviceInvoices: readonly ServiceInvoice[]): Violation[] {
  const violations: Violation[] = [];
  const checkout = entries.checkouts.find(({ params }) => params.includes(`"${orderId}"`));
  const payments = entries.payments.filter(({ order_id }) => order_id === orderId);
  const paidInvoices = serviceInvoices.filter(
    ({ metadata, status }) => metadata.order_id === orderId && status === 'PAID',
  );
  if (checkout === undefined) return [createViolation('I2', `${orderId} has no checkout`)];
  if (paidInvoices.length === 0 && checkout.paid_external_id !== null)
    violations.push(createViolation('I3', `${orderId} is paid at the shop, and at the service it is not`));
  if (paidInvoices.length > 0 && checkout.paid_external_id === null)
    violations.push(createViolation('I4', `${orderId} is paid at the service, and at the shop it is not`));
  for (const { invoice_id } of payments)
    if (!paidInvoices.some(({ id }) => id === invoice_id))
      violations.push(createViolation('I3', `${invoice_id} is credited, and was not paid`));
  const firstPayments = payments.filter(({ kind }) => kind === 'paid').length;
  if (firstPayments !== Math.min(1, paidInvoices.length) || payments.length !== paidInvoices.length)
    violations.push(
      createViolation(
        'I4',
        `${orderId} has ${paidInvoices.length} payments, ${payments.map(({ kind }) => kind).join(', ')} credited`,
      ),
    );
  return violations;
}
