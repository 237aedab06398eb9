import { PostgresAdapter, type Insertable, type Kysely, type Selectable } from 'kysely';
import { z } from 'zod';
import type { CreatedInvoice, CreateInvoiceRequest } from '../contract.ts';
import type { AmountLimits } from '../protocol.ts';
import type {
  Attempt,
  AttemptKey,
  CheckoutParams,
  CheckoutRecord,
  InvoiceMethod,
  NewOutcome,
  Outcome,
} from '../server.ts';
import type {
  AttemptsTable,
  CheckoutsTable,
  CheckoutTables,
  OutcomesTable,
  SchedulesTable,
} from './table-row-types.ts';

// Conversions between the store port's records and the rows of `table-row-types.ts`.

/** `CheckoutParams` as JSON. */
interface StoredParams extends Pick<CheckoutParams, 'amount' | 'currency' | 'description'> {
  readonly order_id: string;
  readonly amount_limits: AmountLimits | null;
  readonly success_url: string | null;
  readonly fail_url: string | null;
  // Rows of older versions have no such members.
  readonly reference?: string | null;
  readonly expires_at?: number | null;
  readonly metadata?: CheckoutParams['metadata'];
}

const checkoutColumns = [
  'id',
  'hook_secret',
  'created_at',
  'version',
  'paid_external_id',
  'paid_at',
  'closed_at',
] as const satisfies readonly (keyof CheckoutsTable)[];

type AttemptColumns = Selectable<AttemptsTable> & Selectable<SchedulesTable>;

const attemptColumns = [
  'external_id',
  'payment_method_id',
  'attempt_amount',
  'stage',
  'call_count',
  'lease_until',
  'replaced',
  'attempt_created_at',
  'expires_at',
  'service_status',
  'outcome',
  'run_at',
  'checked_at',
  'refusal',
] as const satisfies readonly (keyof AttemptColumns)[];

type Values<Row, Names extends readonly (keyof Row)[]> = { readonly [At in keyof Names]: Row[Names[At]] };

/**
 * A row of checkouts left joined with attempts and their schedules: without an attempt, `keys` and the others after it are
 * null. `checkout` and `attempt` are JSON arrays of the columns above: drivers convert each column of a row, which costs more
 * than the query, and every first read of a payer loads such rows.
 */
interface StoredRow {
  readonly checkout: string;
  readonly params: string;
  readonly attempt: string;
  readonly keys: string | null;
  readonly method: string | null;
  readonly request: string | null;
  readonly invoice: string | null;
}

// What is stored was validated before, by the same types: to validate it in every read would cost as much as the query.
const storedRows = z.custom<readonly StoredRow[]>();
const storedCheckout = z.custom<{
  readonly values: Values<Selectable<CheckoutsTable>, typeof checkoutColumns>;
  readonly params: StoredParams;
}>();
const storedAttempt = z.custom<{
  readonly values: Values<AttemptColumns, typeof attemptColumns>;
  readonly keys: readonly AttemptKey[];
  readonly method: InvoiceMethod | null;
  readonly request: CreateInvoiceRequest;
  readonly invoice: CreatedInvoice | null;
}>();

const parseJson = (text: string): unknown => JSON.parse(text);

/** Selects the stored rows of checkouts in the order of their attempts. */
export function selectJoined(db: Kysely<CheckoutTables>) {
  const array = db.getExecutor().adapter instanceof PostgresAdapter ? 'json_build_array' : 'json_array';
  return db
    .selectFrom('checkouts')
    .leftJoin('attempts', 'attempts.checkout_id', 'checkouts.id')
    .leftJoin('schedules', 'schedules.attempt_id', 'attempts.external_id')
    .select((row) => [
      row.cast<string>(row.fn(array, [...checkoutColumns]), 'text').as('checkout'),
      'params',
      row.cast<string>(row.fn(array, [...attemptColumns]), 'text').as('attempt'),
      'keys',
      'method',
      'request',
      'invoice',
    ])
    .orderBy('attempts.position');
}

/** The record of one checkout from the rows of `selectJoined`, which are in the order of its attempts. */
export function toRecord(rows: readonly unknown[]): CheckoutRecord | undefined {
  const stored = storedRows.parse(rows);
  const [first] = stored;
  if (first === undefined) return undefined;
  const { values, params } = storedCheckout.parse({
    values: parseJson(first.checkout),
    params: parseJson(first.params),
  });
  const [id, hookSecret, createdAt, version, paidExternalId, paidAt, closedAt] = values;
  const attempts = stored.flatMap(toAttempts);
  return {
    id,
    hookSecret,
    params: toParams(params),
    createdAt,
    version,
    paidExternalId,
    paidAt,
    closedAt,
    attempts,
  };
}

function toParams(params: StoredParams): CheckoutParams {
  const { amount, currency, description, reference = null, metadata = null, amount_limits } = params;
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
    expiresAt: params.expires_at ?? null,
    metadata,
  };
}

function fromParams({ orderId, amountLimits, successUrl, failUrl, expiresAt, ...others }: CheckoutParams): string {
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

/** The attempt of a row; none in the only row of a checkout without attempts. */
function toAttempts({ attempt, ...texts }: StoredRow): readonly Attempt[] {
  if (texts.keys === null || texts.request === null) return [];
  const { values, ...others } = storedAttempt.parse({
    values: parseJson(attempt),
    keys: parseJson(texts.keys),
    method: texts.method === null ? null : parseJson(texts.method),
    request: parseJson(texts.request),
    invoice: texts.invoice === null ? null : parseJson(texts.invoice),
  });
  const [externalId, paymentMethodId, amount, stage, callCount, leaseUntil, replaced, createdAt, ...state] = values;
  const [expiresAt, serviceStatus, outcome, runAt, checkedAt, refusal] = state;
  return [
    {
      ...others,
      externalId,
      paymentMethodId,
      amount,
      stage,
      callCount,
      leaseUntil,
      replaced: replaced === 1,
      createdAt,
      expiresAt,
      serviceStatus,
      outcome,
      runAt,
      checkedAt,
      refusal,
    },
  ];
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
