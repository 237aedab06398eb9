import type { Outcome, InvoiceOutcome } from '../server.ts';
import type { Attempt, CheckoutRecord, HiddenReason, RejectReason } from '../server-internals.ts';

// The tables of the checkout store, the same in both databases. Decimals are text, JSON is text, times are whole
// milliseconds since 1970, booleans are 0 and 1. No column name occurs in two of `checkouts`, `attempts` and `schedules`,
// because one query joins them.

/** One checkout; its parameters are one JSON text. */
export interface CheckoutsTable {
  readonly id: string;
  readonly capability: string;
  readonly capability_at: number;
  readonly hook_secret: string;
  /** JSON: `CheckoutParams`. */
  readonly params: string;
  readonly created_at: number;
  readonly version: number;
  readonly paid_external_id: CheckoutRecord['paidExternalId'];
  readonly paid_at: number | null;
  readonly closed_at: number | null;
  /** JSON: `MerchantAction[]`. */
  readonly actions: string;
  /** The status by the invoices alone. */
  readonly status: 'open' | 'pending' | 'paid' | 'failed' | 'expired';
  /** From this time on the status is `closed` instead; null: never. */
  readonly closes_at: number | null;
  readonly order_id: string;
  /** `params.reference`, for searches. */
  readonly reference: string | null;
  /** When the checkout was last saved. Other processes on the same SQLite file find saved checkouts by it. */
  readonly saved_at: number;
}

/** One attempt to create an invoice. */
export interface AttemptsTable {
  readonly external_id: string;
  readonly checkout_id: string;
  /** The attempt's place in its checkout, oldest first. */
  readonly position: number;
  /** JSON: `AttemptKey[]`. */
  readonly keys: string;
  readonly payment_method_id: string;
  /** JSON: `InvoiceMethod`, or null. */
  readonly method: string | null;
  readonly attempt_amount: string;
  /** JSON: `CreateInvoiceRequest`. */
  readonly request: string;
  readonly state: Attempt['state'];
  /** Why the attempt is rejected, or its invoice hidden; null in the other states. */
  readonly reason: RejectReason | HiddenReason | null;
  /** JSON: `Resolution`, or null. */
  readonly resolution: string | null;
  readonly attempt_created_at: number;
  /** JSON: `CreatedInvoice`, or null. */
  readonly invoice: string | null;
  readonly invoice_id: string | null;
  readonly expires_at: number | null;
  readonly service_status: string | null;
  /** JSON: `StatusChange[]`; null without an invoice. */
  readonly status_history: string | null;
  /** null without an invoice. */
  readonly outcome: InvoiceOutcome | null;
  readonly paid_amount: string | null;
  /** The invoice that belongs to this checkout by this attempt. It is unique, so that one invoice pays one order. */
  readonly claimed_invoice_id: string | null;
}

/** When an attempt is handled next. The table has few columns, because each poll writes a row twice. */
export interface SchedulesTable {
  readonly attempt_id: string;
  readonly call_count: number;
  readonly lease_until: number;
  readonly run_at: number | null;
  /** When the attempt may be claimed next: `run_at`, or the end of the lease while it is claimed; null: never. */
  readonly claimable_at: number | null;
  readonly answered_at: number | null;
  readonly checked_at: number | null;
  /** Payers view the checkout at least until this time; null: never stored. */
  readonly viewed_until: number | null;
}

/** One outcome in the outbox. */
export interface OutcomesTable {
  readonly id: string;
  readonly kind: Outcome['kind'];
  readonly order_id: string;
  readonly checkout_id: string;
  readonly external_id: string;
  readonly invoice_id: string | null;
  readonly amount: string;
  readonly expected_amount: string;
  readonly mode: Outcome['mode'];
  readonly occurred_at: number;
  readonly decision: NonNullable<Outcome['decision']> | null;
  readonly note: string | null;
  readonly decided_by: NonNullable<Outcome['decidedBy']> | null;
  readonly sequence: number;
  /** When the outcome may be claimed next. */
  readonly claimable_at: number;
  readonly delivered_at: number | null;
  readonly abandoned_at: number | null;
  /** The place in the feed; null until a reader of the feed has numbered it. */
  readonly position: number | null;
}

/** One delivery of an outcome. */
interface DeliveriesTable {
  readonly outcome_id: string;
  /** From 1, for each outcome. */
  readonly number: number;
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** One row: what concerns the store as a whole. */
interface StoreTable {
  /** A random identifier, made with the tables. */
  readonly id: string;
  /** The highest position in the feed that was given to an outcome. */
  readonly last_position: number;
  /** The last time that a process has seen, by the clock of stored times; null before the first process. */
  readonly seen_at: number | null;
}

export interface CheckoutTables {
  readonly checkouts: CheckoutsTable;
  readonly attempts: AttemptsTable;
  readonly schedules: SchedulesTable;
  readonly outcomes: OutcomesTable;
  readonly deliveries: DeliveriesTable;
  readonly store: StoreTable;
}
