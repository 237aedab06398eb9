import type { Insertable, Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import { metadata, type CreatedInvoice, type CreateInvoiceRequest } from '../contract.ts';
import { amountLimits } from '../protocol.ts';
import type { Attempt, CheckoutParams, CheckoutRecord, InvoiceMethod, NewOutcome, Outcome } from '../server.ts';
import type {
  AttemptsTable,
  CheckoutsTable,
  CheckoutTables,
  OutcomesTable,
  SchedulesTable,
} from './checkout-tables.ts';

// Conversions between the store port's records and the rows of `checkout-schema.ts`.

const paramsText = z.object({
  order_id: z.string(),
  amount: z.string().nullable(),
  amount_limits: amountLimits.nullable(),
  currency: z.string().nullable(),
  description: z.string().nullable(),
  success_url: z.string().nullable(),
  fail_url: z.string().nullable(),
  // Rows of older versions have no such members.
  reference: z.string().nullable().default(null),
  expires_at: z.number().nullable().default(null),
  metadata: metadata.nullable().default(null),
});
/**
 * Invoices and requests were validated before they were stored. Every poll loads them, and a complete validation would cost
 * as much as the query.
 */
const invoiceText: z.ZodType<CreatedInvoice> = z.looseObject({ id: z.string(), amount: z.string() });
const requestText: z.ZodType<CreateInvoiceRequest> = z.looseObject({});
const methodText: z.ZodType<InvoiceMethod> = z.object({ type: z.string(), name: z.string().exactOptional() });
const keysText = z.array(z.object({ key: z.string(), fingerprint: z.string() }));

type AttemptColumns = Selectable<AttemptsTable> & Selectable<SchedulesTable>;

/** A row of checkouts left joined with attempts and their schedules: without an attempt, all of its columns are null. */
export type JoinedRow = Selectable<CheckoutsTable> & { readonly [K in keyof AttemptColumns]: AttemptColumns[K] | null };

/** Selects the rows of checkouts in the order of their attempts. */
export function selectJoined(db: Kysely<CheckoutTables>) {
  return db
    .selectFrom('checkouts')
    .leftJoin('attempts', 'attempts.checkout_id', 'checkouts.id')
    .leftJoin('schedules', 'schedules.attempt_id', 'attempts.external_id')
    .selectAll()
    .orderBy('attempts.position');
}

function hasAttempt(row: JoinedRow): row is Selectable<CheckoutsTable> & AttemptColumns {
  return row.external_id !== null && row.attempt_id !== null;
}

/** The record of one checkout from its rows, which are in the order of its attempts. */
export function toRecord(rows: readonly JoinedRow[]): CheckoutRecord | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    id: first.id,
    hookSecret: first.hook_secret,
    params: toParams(first.params),
    createdAt: first.created_at,
    version: first.version,
    paidExternalId: first.paid_external_id,
    paidAt: first.paid_at,
    closedAt: first.closed_at,
    attempts: rows.filter(hasAttempt).map(toAttempt),
  };
}

function toParams(text: string): CheckoutParams {
  const { order_id, amount_limits, success_url, fail_url, expires_at, ...others } = paramsText.parse(JSON.parse(text));
  return {
    ...others,
    orderId: order_id,
    amountLimits: amount_limits && {
      ...(amount_limits.min_amount === undefined ? {} : { minAmount: amount_limits.min_amount }),
      ...(amount_limits.max_amount === undefined ? {} : { maxAmount: amount_limits.max_amount }),
    },
    successUrl: success_url,
    failUrl: fail_url,
    expiresAt: expires_at,
  };
}

function fromParams({ orderId, amountLimits, successUrl, failUrl, expiresAt, ...others }: CheckoutParams): string {
  const params: z.input<typeof paramsText> = {
    ...others,
    order_id: orderId,
    amount_limits: amountLimits && { min_amount: amountLimits.minAmount, max_amount: amountLimits.maxAmount },
    success_url: successUrl,
    fail_url: failUrl,
    expires_at: expiresAt,
  };
  return JSON.stringify(params);
}

function toAttempt(row: AttemptColumns): Attempt {
  return {
    externalId: row.external_id,
    keys: keysText.parse(JSON.parse(row.keys)),
    paymentMethodId: row.payment_method_id,
    method: row.method === null ? null : methodText.parse(JSON.parse(row.method)),
    amount: row.attempt_amount,
    request: requestText.parse(JSON.parse(row.request)),
    stage: row.stage,
    callCount: row.call_count,
    leaseUntil: row.lease_until,
    replaced: row.replaced === 1,
    createdAt: row.attempt_created_at,
    invoice: row.invoice === null ? null : invoiceText.parse(JSON.parse(row.invoice)),
    expiresAt: row.expires_at,
    serviceStatus: row.service_status,
    outcome: row.outcome,
    runAt: row.run_at,
    checkedAt: row.checked_at,
    refusal: row.refusal,
  };
}

/** The row of a checkout that is saved at `savedAt`. */
export function toCheckoutRow(checkout: CheckoutRecord, savedAt: number): Omit<Insertable<CheckoutsTable>, 'order_id'> {
  return {
    id: checkout.id,
    hook_secret: checkout.hookSecret,
    params: fromParams(checkout.params),
    created_at: checkout.createdAt,
    version: checkout.version,
    paid_external_id: checkout.paidExternalId,
    paid_at: checkout.paidAt,
    closed_at: checkout.closedAt,
    saved_at: savedAt,
  };
}

/** The rows of a checkout's attempts, without their schedules. */
export function toAttemptRows(checkout: CheckoutRecord): Insertable<AttemptsTable>[] {
  return checkout.attempts.map((attempt, position) => ({
    external_id: attempt.externalId,
    checkout_id: checkout.id,
    position,
    keys: JSON.stringify(attempt.keys),
    payment_method_id: attempt.paymentMethodId,
    method: attempt.method === null ? null : JSON.stringify(attempt.method),
    attempt_amount: attempt.amount,
    request: JSON.stringify(attempt.request),
    stage: attempt.stage,
    replaced: attempt.replaced ? 1 : 0,
    attempt_created_at: attempt.createdAt,
    invoice: attempt.invoice === null ? null : JSON.stringify(attempt.invoice),
    invoice_id: attempt.invoice?.id ?? null,
    expires_at: attempt.expiresAt,
    service_status: attempt.serviceStatus,
    outcome: attempt.outcome,
    refusal: attempt.refusal,
  }));
}

/** The schedules of a checkout's attempts, without a claim. */
export function toScheduleRows({ attempts }: CheckoutRecord): Insertable<SchedulesTable>[] {
  return attempts.map((attempt) => ({
    attempt_id: attempt.externalId,
    call_count: attempt.callCount,
    lease_until: attempt.leaseUntil,
    run_at: attempt.runAt,
    claimable_at: attempt.runAt,
    checked_at: attempt.checkedAt,
  }));
}

/** The row of a new outcome, without its number. It can be claimed at once. */
export function toOutcomeRow(outcome: NewOutcome): Omit<Insertable<OutcomesTable>, 'sequence'> {
  return {
    id: outcome.id,
    kind: outcome.kind,
    order_id: outcome.orderId,
    checkout_id: outcome.checkoutId,
    external_id: outcome.externalId,
    invoice_id: outcome.invoiceId ?? '',
    amount: outcome.amount,
    expected_amount: outcome.expectedAmount,
    mode: outcome.mode,
    occurred_at: outcome.occurredAt,
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
    invoiceId: row.invoice_id === '' ? null : row.invoice_id,
    amount: row.amount,
    expectedAmount: row.expected_amount,
    mode: row.mode,
    occurredAt: row.occurred_at,
    sequence: row.sequence,
  };
}
