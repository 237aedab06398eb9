import type { CreatedInvoice, CreateInvoiceRequest } from '../../service-api.ts';

/** A payment method as the payer saw it (invoice-service.md §2.3). */
export interface InvoiceMethod {
  readonly type: string;
  readonly name?: string;
}

/** The idempotency key of a payer's request that led to an attempt. */
export interface AttemptKey {
  readonly key: string;
  /** A digest of the request's body. The same key with another digest is refused. */
  readonly fingerprint: string;
}

/** A person's decision about a payment that the server cannot judge. */
export interface Resolution {
  /** `paid`: the order is paid by it. `void`: it pays no order. */
  readonly as: 'paid' | 'void';
  readonly note: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What every attempt has. */
interface AttemptBase {
  /** The identifier of the attempt, and the `external_id` at the service. Repeats of an ambiguous create have the same one. */
  readonly externalId: string;
  readonly keys: readonly AttemptKey[];
  readonly paymentMethodId: string;
  /** The payment method; null when it is not known. */
  readonly method: InvoiceMethod | null;
  readonly amount: string;
  /** The request to the service. It is stored so that another process can repeat it exactly. */
  readonly request: CreateInvoiceRequest;
  readonly createdAt: number;
  /** Calls of CreateInvoice made so far. */
  readonly callCount: number;
  /**
   * The end of the lease of the process that makes the call; 0 without a call. The call ends before it. After it, another process
   * may claim the attempt.
   */
  readonly leaseUntil: number;
  /** When the attempt is handled next: by the status poller, or by create recovery while there is no invoice; null: never. */
  readonly runAt: number | null;
  /** null: nobody has decided about it. */
  readonly resolution: Resolution | null;
}

/**
 * The result of a create is not known:
 * - `creating`: the intent is committed, and a call may be under way (until `leaseUntil`). Without a lease the service has
 *   certainly done nothing, and the call is repeated at `runAt`;
 * - `in_doubt`: the result of the call was ambiguous, and an invoice may exist. The call is repeated;
 * - `unresolved`: the call was repeated for a day and is not repeated any more. A person has to search for the `externalId`.
 */
export interface CreateAttempt extends AttemptBase {
  readonly state: 'creating' | 'in_doubt' | 'unresolved';
}

/** Why a create was rejected. With `try_again` the service certainly created no invoice, and may create one later. */
export type RejectReason = 'method_unavailable' | 'amount_out_of_limits' | 'try_again';

/** The payer gets no invoice from this attempt, and its call is not repeated. */
export interface RejectedAttempt extends AttemptBase {
  readonly state: 'rejected';
  readonly reason: RejectReason;
}

/**
 * The outcome of an invoice, as fetched from the service.
 * - `unresolved`: it was never said how it ended, or that it was paid for another request, and it is not polled any more;
 * - `amount_mismatch`: it was paid with another amount than requested;
 * - `test_payment`: it was paid in another mode than the server's, which pays no order.
 */
export type InvoiceOutcome =
  'pending' | 'unresolved' | 'paid' | 'amount_mismatch' | 'test_payment' | 'failed' | 'expired';

/** A status word of the service. `at` is in milliseconds since 1970. */
export interface StatusChange {
  readonly at: number;
  readonly status: string;
}

/** What is known of an invoice. */
interface KnownInvoice {
  readonly invoice: CreatedInvoice;
  /** The deadline of the invoice, or null when the service returned no readable deadline. */
  readonly expiresAt: number | null;
  readonly serviceStatus: string | null;
  /** The service's status words, each with the time of the fetch that first returned it, oldest first. */
  readonly statusHistory: readonly StatusChange[];
  readonly outcome: InvoiceOutcome;
  /** The amount that the service named with the payment, a decimal string; null while the invoice is not paid. */
  readonly paidAmount: string | null;
  /** When the last fetch started that the service has answered, also without this invoice; null before the first one. */
  readonly answeredAt: number | null;
  /** When the last fetch started whose answer told the status of this invoice; null before the first one. */
  readonly checkedAt: number | null;
}

/** The payer's invoice. */
export interface LiveAttempt extends AttemptBase, KnownInvoice {
  readonly state: 'live';
}

/**
 * Why an invoice is never shown:
 * - `mismatch`: it has another amount or another `external_id` than requested;
 * - `not_payable`: it has nothing to pay by;
 * - `second_invoice`: the service created it when a create was repeated, besides the first one;
 * - `foreign_invoice`: it belongs to another checkout, which polls it.
 */
export type HiddenReason = 'mismatch' | 'not_payable' | 'second_invoice' | 'foreign_invoice';

/** An invoice that is stored and polled, because somebody could pay it, and never shown. */
export interface HiddenAttempt extends AttemptBase, KnownInvoice {
  readonly state: 'hidden';
  readonly reason: HiddenReason;
}

/** An attempt with an invoice. */
export type InvoiceAttempt = LiveAttempt | HiddenAttempt;

/** One attempt to create an invoice, from the committed intent to the invoice's final status. */
export type Attempt = CreateAttempt | RejectedAttempt | InvoiceAttempt;

/**
 * What the service's status words mean. The service's specification names only two words (section 3). Case is ignored. A word
 * in none of the lists never ends an invoice: the checkout stays `pending`, even after the deadline.
 */
export interface StatusLists {
  readonly paid: readonly string[];
  readonly failed: readonly string[];
  readonly expired: readonly string[];
  /** Only an invoice with one of these words expires by time: after its deadline and `timing.graceMs`. */
  readonly pending: readonly string[];
}
