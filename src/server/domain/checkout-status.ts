import type { Mode } from '../../service-api.ts';
import type { Attempt, CreateAttempt, InvoiceAttempt, InvoiceOutcome, LiveAttempt } from '../ports/invoice-attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import type { CheckoutStatus } from '../../checkout-api.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';

// Finds the attempts that determine a checkout's status and its invoice. Returns records with changed or added attempts.

export function hasInvoice(attempt: Attempt): attempt is InvoiceAttempt {
  return attempt.state === 'live' || attempt.state === 'hidden';
}

/** The attempts with an invoice, oldest first. */
export function invoicesOf({ attempts }: Pick<CheckoutRecord, 'attempts'>): readonly InvoiceAttempt[] {
  return attempts.filter(hasInvoice);
}

/** Whether an outcome means that the invoice was paid, whatever the amount and the mode. It is final. */
export function isPaidOutcome(outcome: InvoiceOutcome): boolean {
  return outcome === 'paid' || outcome === 'amount_mismatch' || outcome === 'test_payment';
}

/** Whether an invoice can be paid as far as is known. */
export function isOpenOutcome(outcome: InvoiceOutcome): boolean {
  return outcome === 'pending' || outcome === 'unresolved';
}

/** Whether the payer can pay the attempt's invoice, or may be able to pay it once it is created. */
export function canStillBePaid(attempt: Attempt): boolean {
  return (
    attempt.state === 'creating' ||
    attempt.state === 'in_doubt' ||
    (attempt.state === 'live' && isOpenOutcome(attempt.outcome) && attempt.resolution === null)
  );
}

/**
 * Whether an attempt is the payer's: it has not ended without an invoice for the payer, or with a payment that pays no order, and
 * nobody has decided that it pays none.
 * Another attempt never prevents a new attempt.
 */
function isOffered(attempt: Attempt): attempt is CreateAttempt | LiveAttempt {
  switch (attempt.state) {
    case 'creating':
    case 'in_doubt':
    case 'unresolved':
      return true;
    case 'live':
      return attempt.outcome !== 'test_payment' && attempt.resolution?.as !== 'void';
    case 'rejected':
    case 'hidden':
      return false;
  }
}

/** The newest attempt that is offered to the payer; it replaces those before. It decides the status of an unpaid checkout. */
export function currentAttempt(record: CheckoutRecord): CreateAttempt | LiveAttempt | undefined {
  return record.attempts.findLast(isOffered);
}

/**
 * Whether another amount than requested has come for an invoice, and nobody has decided about it, also where something else has
 * paid the checkout. Money that is counted for another attempt, because the service returned one invoice for two requests, is
 * not decided about once more.
 */
export function isUndecidedPayment({ attempts }: Pick<CheckoutRecord, 'attempts'>, attempt: InvoiceAttempt): boolean {
  return (
    attempt.outcome === 'amount_mismatch' &&
    attempt.resolution === null &&
    !attempts.some((other) => isSameInvoice(other, attempt) && isCounted(other))
  );
}

/** Whether another attempt has the same invoice: the service may return one for two requests. */
function isSameInvoice(other: Attempt, { externalId, invoice }: InvoiceAttempt): other is InvoiceAttempt {
  return hasInvoice(other) && other.externalId !== externalId && other.invoice.id === invoice.id;
}

/** Whether the money of an invoice pays for the order, or pays for it once more. */
function isCounted(attempt: InvoiceAttempt): boolean {
  return attempt.outcome === 'paid' || isDecidedAsPaid(attempt);
}

/** The first attempt with an undecided payment, while nothing has paid the checkout. */
export function mismatchedAttempt(record: CheckoutRecord): InvoiceAttempt | undefined {
  return record.paidExternalId === null
    ? invoicesOf(record).find((attempt) => isUndecidedPayment(record, attempt))
    : undefined;
}

/**
 * The attempt whose invoice the payer sees: the paid attempt, or the attempt paid with another amount, or the current attempt.
 */
export function shownAttempt(record: CheckoutRecord): Attempt | undefined {
  const mismatched = mismatchedAttempt(record);
  if (mismatched !== undefined) return mismatched;
  const shown = record.paidExternalId === null ? currentAttempt(record) : attemptOf(record, record.paidExternalId);
  return shown !== undefined && isOffered(shown) ? shown : undefined;
}

/** The attempts with an invoice of this checkout: a person may ask the service about each of them. */
export function ownInvoices(record: CheckoutRecord): readonly InvoiceAttempt[] {
  return invoicesOf(record).filter((attempt) => !isForeign(attempt));
}

/** Those with an unpaid invoice: a webhook, or a payer who says that he has paid, may be about each of them. */
export function unpaidAttempts(record: CheckoutRecord): readonly InvoiceAttempt[] {
  return ownInvoices(record).filter((attempt) => !isPaidOutcome(attempt.outcome));
}

/** Whether the invoice of an attempt belongs to another checkout. */
export function isForeign(attempt: Attempt): boolean {
  return attempt.state === 'hidden' && attempt.reason === 'foreign_invoice';
}

export function attemptOf(record: CheckoutRecord, externalId: string): Attempt | undefined {
  return record.attempts.find((attempt) => attempt.externalId === externalId);
}

/** The checkout with a changed attempt. */
export function withAttempt(record: CheckoutRecord, changedAttempt: Attempt): CheckoutRecord {
  const attempts = record.attempts.map((attempt) =>
    attempt.externalId === changedAttempt.externalId ? changedAttempt : attempt,
  );
  return { ...record, attempts };
}

/**
 * The checkout with an attempt whose create led to no invoice for the payer. Where an invoice before it is shown again that has
 * ended, it is fetched at `fetchAt`, because it may have been paid since it was last fetched.
 */
export function withFailedCreate(record: CheckoutRecord, attempt: Attempt, fetchAt: number): CheckoutRecord {
  const changedRecord = withAttempt(record, attempt);
  const shown = currentAttempt(changedRecord);
  const hasEnded = shown?.state === 'live' && !isOpenOutcome(shown.outcome) && !isPaidOutcome(shown.outcome);
  return hasEnded ? withAttempt(changedRecord, { ...shown, runAt: fetchAt }) : changedRecord;
}

/** The checkout with one more attempt, which replaces those before it. */
export function withNewAttempt(record: CheckoutRecord, attempt: Attempt): CheckoutRecord {
  return { ...record, attempts: [...record.attempts, attempt] };
}

/** The amount by which an invoice pays the order: `update` may have changed it since the invoice was requested. */
export function expectedAmountOf({ params }: CheckoutRecord, { amount }: Pick<Attempt, 'amount'>): string {
  return params.amount ?? amount;
}

/** The mode that was sent to the service with the request for the invoice. */
export function modeOf({ request }: Pick<Attempt, 'request'>): Mode {
  return request.mode ?? 'LIVE';
}

// A closed checkout gets no new invoice: the merchant has closed it, or its `expiresAt` has passed. Invoices that were issued
// before can still be paid, and a late payment still counts.

/** Whether a checkout gets no new invoice any more. */
export function isClosed({ closedAt, params }: Pick<CheckoutRecord, 'closedAt' | 'params'>, now: number): boolean {
  return closedAt !== null || (params.expiresAt !== null && now >= params.expiresAt);
}

/** Milliseconds until `expiresAt` closes a checkout; undefined when it is closed already, or when it has no `expiresAt`. */
export function msUntilClosed(record: Pick<CheckoutRecord, 'closedAt' | 'params'>, now: number): number | undefined {
  const { expiresAt } = record.params;
  return expiresAt === null || isClosed(record, now) ? undefined : expiresAt - now;
}

/**
 * The status of a checkout at the time `now` (`ServerTime.now`).
 * - `paid`: one of its invoices was paid; this is final.
 * - `pending`: its invoice can be paid; or a create is in doubt, so that an invoice may exist; or the shop checks a payment of
 *   another amount.
 * - `closed`: the checkout gets no new invoice, and none of its invoices can still be paid.
 */
export function deriveStatus(record: CheckoutRecord, now: number): CheckoutStatus {
  const { status, closesAt } = listedStatusOf(record);
  return closesAt !== null && closesAt <= now ? 'closed' : status;
}

/** The status of a checkout by its invoices alone, as if it were never closed. */
function statusOfInvoices(record: CheckoutRecord): Exclude<CheckoutStatus, 'closed'> {
  if (record.paidExternalId !== null) return 'paid';
  if (mismatchedAttempt(record) !== undefined) return 'pending';
  const current = currentAttempt(record);
  if (current === undefined) return 'open';
  const hasEnded = current.state === 'live' && (current.outcome === 'failed' || current.outcome === 'expired');
  return hasEnded ? current.outcome : 'pending';
}

/** The two parts of a checkout's status that a store keeps for `list`: from `closesAt` on, the status is `closed` instead. */
export function listedStatusOf(record: CheckoutRecord): {
  readonly status: Exclude<CheckoutStatus, 'closed'>;
  readonly closesAt: number | null;
} {
  const status = statusOfInvoices(record);
  const isSettled = mismatchedAttempt(record) === undefined && !record.attempts.some(canStillBePaid);
  return { status, closesAt: status !== 'paid' && isSettled ? (record.closedAt ?? record.params.expiresAt) : null };
}

/**
 * The outcomes for the shop when a saved checkout takes the place of `before`. They are derived from the two records alone, so
 * that the order in which attempts end does not matter. A repeated outcome has the same `id`, and the store keeps it once.
 */
export function outcomesBetween(before: CheckoutRecord, after: CheckoutRecord, now: number): readonly NewOutcome[] {
  const kinds = after.attempts.flatMap((attempt) =>
    kindsOfChange(before, after, attempt).map((kind) => ({ attempt, kind })),
  );
  const status = statusOfInvoices(after);
  const current = currentAttempt(after);
  const hasEnded = status === 'failed' || status === 'expired';
  if (hasEnded && current !== undefined && status !== statusOfInvoices(before))
    kinds.push({ attempt: current, kind: status });
  return kinds.map(({ attempt, kind }) => toOutcome(after, attempt, kind, now));
}

/**
 * What the shop must learn of the change of one attempt: a person's decision, a payment, or the end of the work for it without a
 * result. A decision that it is paid is a payment too.
 */
function kindsOfChange(before: CheckoutRecord, after: CheckoutRecord, attempt: Attempt): readonly NewOutcome['kind'][] {
  if (attempt.resolution !== null && attemptOf(before, attempt.externalId)?.resolution === null)
    return attempt.resolution.as === 'void' ? ['resolved'] : ['resolved', kindOfPayment(before, after, attempt)];
  return [kindOfChange(before, after, attempt) ?? []].flat();
}

function kindOfPayment(before: CheckoutRecord, after: CheckoutRecord, { externalId }: Attempt): NewOutcome['kind'] {
  return before.paidExternalId === null && after.paidExternalId === externalId ? 'paid' : 'duplicate_payment';
}

function kindOfChange(before: CheckoutRecord, after: CheckoutRecord, attempt: Attempt): NewOutcome['kind'] | undefined {
  const known = attemptOf(before, attempt.externalId);
  if (attempt.state === 'unresolved') return known?.state === 'unresolved' ? undefined : 'create_unresolved';
  if (!hasInvoice(attempt)) return undefined;
  const knownOutcome = known !== undefined && hasInvoice(known) ? known.outcome : undefined;
  switch (attempt.outcome) {
    case knownOutcome:
    case 'pending':
    case 'failed':
    case 'expired':
      return undefined;
    case 'unresolved':
      return 'invoice_unresolved';
    case 'paid':
    case 'amount_mismatch':
    case 'test_payment':
  }
  if (isReported(before, attempt)) return undefined;
  if (attempt.outcome === 'test_payment') return 'test_payment';
  return attempt.outcome === 'amount_mismatch' && before.paidExternalId === null
    ? 'amount_mismatch'
    : kindOfPayment(before, after, attempt);
}

/** Whether a person has decided that an attempt is paid, which is reported with the decision. */
export function isDecidedAsPaid({ resolution }: Pick<Attempt, 'resolution'>): boolean {
  return resolution?.as === 'paid';
}

/**
 * Whether the payment was reported before: with a person's decision, or for another attempt, because the service may return one
 * invoice for two requests. Exception: an amount that is wrong for one request may be right for the other, so `amount_mismatch`
 * does not prevent a later `paid`.
 */
function isReported(before: CheckoutRecord, attempt: InvoiceAttempt): boolean {
  return before.attempts.some(
    (other) =>
      (isDecidedAsPaid(other) && other.externalId === attempt.externalId) ||
      (isSameInvoice(other, attempt) && (isCounted(other) || other.outcome === attempt.outcome)),
  );
}

function toOutcome(record: CheckoutRecord, attempt: Attempt, kind: NewOutcome['kind'], now: number): NewOutcome {
  const known = hasInvoice(attempt) ? attempt : undefined;
  const resolution = kind === 'resolved' ? attempt.resolution : null;
  return {
    // A payment after a decision may need another decision.
    id: `${attempt.externalId}.${kind}${resolution === null ? '' : `.${resolution.at}`}`,
    kind,
    orderId: record.params.orderId,
    checkoutId: record.id,
    externalId: attempt.externalId,
    invoiceId: known?.invoice.id ?? null,
    amount: known?.paidAmount ?? known?.invoice.amount ?? attempt.amount,
    expectedAmount: expectedAmountOf(record, attempt),
    mode: modeOf(attempt),
    occurredAt: now,
    ...(resolution !== null && { decision: resolution.as, note: resolution.note }),
    ...((kind === 'paid' || kind === 'duplicate_payment') && isDecidedAsPaid(attempt) && { decidedBy: 'person' }),
  };
}
