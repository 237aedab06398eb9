import type { Insertable, Selectable } from 'kysely';
import type { AmountLimits } from '../checkout-api.ts';
import {
  hasInvoice,
  listedStatusOf,
  type Attempt,
  type InvoiceAttempt,
  type CheckoutParams,
  type CheckoutRecord,
  type Delivery,
  type NewOutcome,
  type Outcome,
  type OutcomeRecord,
} from '../server.ts';
import type { AttemptsTable, CheckoutsTable, OutcomesTable, SchedulesTable } from './table-row-types.ts';

// Conversions between the store port's records and the rows of `table-row-types.ts`.

/** The stored form of `CheckoutParams`: JSON with names in snake_case. */
export interface StoredParams extends Pick<
  CheckoutParams,
  'amount' | 'currency' | 'description' | 'reference' | 'metadata' | 'methods'
> {
  readonly order_id: string;
  readonly amount_limits: AmountLimits | null;
  readonly success_url: string | null;
  readonly fail_url: string | null;
  readonly expires_at: number | null;
}

export function toCheckoutParams(params: StoredParams): CheckoutParams {
  const { amount, currency, description, reference, metadata, methods, amount_limits } = params;
  return {
    orderId: params.order_id,
    amount,
    amountLimits: amount_limits && {
      ...(amount_limits.min_amount === undefined ? {} : { minAmount: amount_limits.min_amount }),
      ...(amount_limits.max_amount === undefined ? {} : { maxAmount: amount_limits.max_amount }),
    },
    currency,
    description,
    successUrl: params.success_url,
    failUrl: params.fail_url,
    reference,
    expiresAt: params.expires_at,
    metadata,
    methods,
  };
}

function toParamsJson({ orderId, amountLimits, successUrl, failUrl, expiresAt, ...others }: CheckoutParams): string {
  const params: StoredParams = {
    ...others,
    order_id: orderId,
    amount_limits: amountLimits && {
      ...(amountLimits.minAmount === undefined ? {} : { min_amount: amountLimits.minAmount }),
      ...(amountLimits.maxAmount === undefined ? {} : { max_amount: amountLimits.maxAmount }),
    },
    success_url: successUrl,
    fail_url: failUrl,
    expires_at: expiresAt,
  };
  return JSON.stringify(params);
}

/** The row of a checkout, without `order_id`, because a save never changes it. `savedAt` is in milliseconds since 1970. */
export function toCheckoutRow(checkout: CheckoutRecord, savedAt: number): Omit<Insertable<CheckoutsTable>, 'order_id'> {
  const { status, closesAt } = listedStatusOf(checkout);
  return {
    id: checkout.id,
    capability: checkout.capability,
    capability_at: checkout.capabilityAt,
    hook_secret: checkout.hookSecret,
    params: toParamsJson(checkout.params),
    created_at: checkout.createdAt,
    version: checkout.version,
    paid_external_id: checkout.paidExternalId,
    paid_at: checkout.paidAt,
    closed_at: checkout.closedAt,
    actions: JSON.stringify(checkout.actions),
    status,
    closes_at: closesAt,
    reference: checkout.params.reference,
    saved_at: savedAt,
  };
}

/** The rows of a checkout's attempts, without their schedules. */
export function toAttemptRows(checkout: CheckoutRecord, attempts: readonly Attempt[]): Insertable<AttemptsTable>[] {
  return attempts.map((attempt) => {
    const known = hasInvoice(attempt) ? attempt : undefined;
    return {
      external_id: attempt.externalId,
      checkout_id: checkout.id,
      position: checkout.attempts.indexOf(attempt),
      keys: JSON.stringify(attempt.keys),
      payment_method_id: attempt.paymentMethodId,
      method: attempt.method === null ? null : JSON.stringify(attempt.method),
      attempt_amount: attempt.amount,
      request: JSON.stringify(attempt.request),
      state: attempt.state,
      reason: 'reason' in attempt ? attempt.reason : null,
      resolution: attempt.resolution === null ? null : JSON.stringify(attempt.resolution),
      attempt_created_at: attempt.createdAt,
      invoice: known === undefined ? null : JSON.stringify(known.invoice),
      invoice_id: known?.invoice.id ?? null,
      expires_at: known?.expiresAt ?? null,
      service_status: known?.serviceStatus ?? null,
      status_history: known === undefined ? null : JSON.stringify(known.statusHistory),
      outcome: known?.outcome ?? null,
      paid_amount: known?.paidAmount ?? null,
      claimed_invoice_id: known === undefined ? null : claimedInvoiceOf(checkout, known),
    };
  });
}

/** The first attempt with an invoice claims it for its checkout. The invoice of another checkout is not claimed. */
function claimedInvoiceOf(checkout: CheckoutRecord, attempt: InvoiceAttempt): string | null {
  const isClaimant = (other: InvoiceAttempt): boolean =>
    other.invoice.id === attempt.invoice.id && !(other.state === 'hidden' && other.reason === 'foreign_invoice');
  const claimant = checkout.attempts.filter(hasInvoice).find(isClaimant);
  return claimant?.externalId === attempt.externalId ? attempt.invoice.id : null;
}

/** The schedule rows of a checkout's attempts. No process has claimed them. */
export function toScheduleRows(attempts: readonly Attempt[]): Insertable<SchedulesTable>[] {
  return attempts.map((attempt) => ({
    attempt_id: attempt.externalId,
    call_count: attempt.callCount,
    lease_until: attempt.leaseUntil,
    run_at: attempt.runAt,
    claimable_at: attempt.runAt,
    checked_at: hasInvoice(attempt) ? attempt.checkedAt : null,
  }));
}

/** The row of a new outcome, without `sequence`. The outcome can be claimed from `occurredAt` on. */
export function toOutcomeRow(outcome: NewOutcome): Omit<Insertable<OutcomesTable>, 'sequence'> {
  return {
    id: outcome.id,
    kind: outcome.kind,
    order_id: outcome.orderId,
    checkout_id: outcome.checkoutId,
    external_id: outcome.externalId,
    invoice_id: outcome.invoiceId,
    amount: outcome.amount,
    expected_amount: outcome.expectedAmount,
    mode: outcome.mode,
    occurred_at: outcome.occurredAt,
    decision: outcome.decision ?? null,
    note: outcome.note ?? null,
    claimable_at: outcome.occurredAt,
    delivered_at: null,
  };
}

export function toOutcome(row: Selectable<OutcomesTable>): Outcome {
  return {
    id: row.id,
    kind: row.kind,
    orderId: row.order_id,
    checkoutId: row.checkout_id,
    externalId: row.external_id,
    invoiceId: row.invoice_id,
    amount: row.amount,
    expectedAmount: row.expected_amount,
    mode: row.mode,
    occurredAt: row.occurred_at,
    ...(row.decision !== null && row.note !== null && { decision: row.decision, note: row.note }),
    sequence: row.sequence,
  };
}

export function toOutcomeRecord(row: Selectable<OutcomesTable>, deliveries: readonly Delivery[]): OutcomeRecord {
  const { delivered_at: deliveredAt, abandoned_at: abandonedAt, claimable_at } = row;
  const nextDeliveryAt = deliveredAt === null && abandonedAt === null ? claimable_at : null;
  return { ...toOutcome(row), deliveries, nextDeliveryAt, deliveredAt, abandonedAt };
}
