import type { Insertable, Selectable } from 'kysely';
import { z } from 'zod';
import type { CreatedInvoice, CreateInvoiceRequest } from '../contract.ts';
import { amountLimits } from '../protocol.ts';
import type { Attempt, CheckoutRecord, CheckoutParams } from '../server.ts';
import type { AttemptsTable, CheckoutsTable } from './checkout-schema.ts';

// Conversions between the store port's records and the rows of `checkout-schema.ts`.

const paramsText: z.ZodType<CheckoutParams> = z.object({
  order_id: z.string(),
  amount: z.string().nullable(),
  amount_limits: amountLimits.nullable(),
  currency: z.string().nullable(),
  description: z.string().nullable(),
  success_url: z.string().nullable(),
  fail_url: z.string().nullable(),
});
/**
 * Invoices and requests were validated before they were stored. Every poll loads them, and a complete validation would cost
 * as much as the query.
 */
const invoiceText: z.ZodType<CreatedInvoice> = z.looseObject({ id: z.string(), amount: z.string() });
const requestText: z.ZodType<CreateInvoiceRequest> = z.looseObject({});
const keysText = z.array(z.object({ key: z.string(), fingerprint: z.string() }));

/** A row of checkouts left joined with attempts: without an attempt, all of its columns are null. */
export type JoinedRow = Selectable<CheckoutsTable> & { readonly [K in keyof AttemptsTable]: AttemptsTable[K] | null };

function hasAttempt(row: JoinedRow): row is Selectable<CheckoutsTable> & Selectable<AttemptsTable> {
  return row.external_id !== null;
}

/** The record of one checkout from its rows, which are in the order of its attempts. */
export function toRecord(rows: readonly JoinedRow[]): CheckoutRecord | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    id: first.id,
    hook_secret: first.hook_secret,
    params: paramsText.parse(JSON.parse(first.params)),
    created_at: first.created_at,
    version: first.version,
    paid_external_id: first.paid_external_id,
    attempts: rows.filter(hasAttempt).map(toAttempt),
  };
}

function toAttempt(row: Selectable<AttemptsTable>): Attempt {
  return {
    external_id: row.external_id,
    keys: keysText.parse(JSON.parse(row.keys)),
    payment_method_id: row.payment_method_id,
    amount: row.attempt_amount,
    request: requestText.parse(JSON.parse(row.request)),
    stage: row.stage,
    call_count: row.call_count,
    lease_until: row.lease_until,
    replaced: row.replaced === 1,
    created_at: row.attempt_created_at,
    invoice: row.invoice === null ? null : invoiceText.parse(JSON.parse(row.invoice)),
    expires_at: row.expires_at,
    service_status: row.service_status,
    outcome: row.outcome,
    run_at: row.run_at,
    checked_at: row.checked_at,
    refusal: row.refusal,
  };
}

/** The row of a checkout that is saved at `savedAt`. */
export function toCheckoutRow(checkout: CheckoutRecord, savedAt: number): Omit<Insertable<CheckoutsTable>, 'order_id'> {
  return {
    id: checkout.id,
    hook_secret: checkout.hook_secret,
    params: JSON.stringify(checkout.params),
    created_at: checkout.created_at,
    version: checkout.version,
    paid_external_id: checkout.paid_external_id,
    saved_at: savedAt,
  };
}

/** The rows of a checkout's attempts, without a claim. */
export function toAttemptRows(checkout: CheckoutRecord): Insertable<AttemptsTable>[] {
  return checkout.attempts.map((attempt, position) => ({
    external_id: attempt.external_id,
    checkout_id: checkout.id,
    position,
    keys: JSON.stringify(attempt.keys),
    payment_method_id: attempt.payment_method_id,
    attempt_amount: attempt.amount,
    request: JSON.stringify(attempt.request),
    stage: attempt.stage,
    call_count: attempt.call_count,
    lease_until: attempt.lease_until,
    replaced: attempt.replaced ? 1 : 0,
    attempt_created_at: attempt.created_at,
    invoice: attempt.invoice === null ? null : JSON.stringify(attempt.invoice),
    invoice_id: attempt.invoice?.id ?? null,
    expires_at: attempt.expires_at,
    service_status: attempt.service_status,
    outcome: attempt.outcome,
    run_at: attempt.run_at,
    claimable_at: attempt.run_at,
    checked_at: attempt.checked_at,
    refusal: attempt.refusal,
  }));
}
