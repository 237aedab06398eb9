import type { AttemptStage, CheckoutRecord, InvoiceOutcome, Attempt, Outcome } from '../server.ts';

// The tables of the checkout store, the same in both databases. Decimals are text, JSON is text, times are whole
// milliseconds since 1970, booleans are 0 and 1. No column of `attempts` is named like one of `checkouts`: a checkout is
// loaded by one join.

/** One checkout; what its order fixes is one JSON text. */
export interface CheckoutsTable {
  readonly id: string;
  readonly hook_secret: string;
  /** JSON: `CheckoutParams`. */
  readonly params: string;
  readonly created_at: number;
  readonly version: number;
  readonly paid_external_id: CheckoutRecord['paid_external_id'];
  /** The order whose checkout this is; null for older checkouts of an order that has a newer one. */
  readonly order_id: string | null;
  /** When it was saved last: other processes on the same file find changes by it. */
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
  readonly attempt_amount: string;
  /** JSON: `CreateInvoiceRequest`. */
  readonly request: string;
  readonly stage: AttemptStage;
  readonly call_count: number;
  readonly lease_until: number;
  readonly replaced: number;
  readonly attempt_created_at: number;
  /** JSON: `CreatedInvoice`, or null. */
  readonly invoice: string | null;
  readonly invoice_id: string | null;
  readonly expires_at: number | null;
  readonly service_status: string | null;
  readonly outcome: InvoiceOutcome;
  readonly run_at: number | null;
  /** When it may be claimed next: `run_at`, or the end of the lease of the process that claimed it; null: never. */
  readonly claimable_at: number | null;
  readonly checked_at: number | null;
  readonly refusal: Attempt['refusal'];
}

/** One outcome in the outbox. */
export interface OutcomesTable extends Omit<Outcome, 'invoice_id'> {
  /** Empty where the outcome has no invoice. */
  readonly invoice_id: string;
  /** When it may be claimed next. */
  readonly claimable_at: number;
  readonly delivered_at: number | null;
}

export interface CheckoutTables {
  readonly checkouts: CheckoutsTable;
  readonly attempts: AttemptsTable;
  readonly outcomes: OutcomesTable;
}
