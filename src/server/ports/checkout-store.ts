import type { CreatedInvoice, CreateInvoiceRequest } from '../../contract.ts';
import type { MerchantTransaction } from './merchant-sql-transaction.ts';
import type { NewOutcome, OutcomeOutbox } from './outcome-outbox.ts';

// The store port: what the checkout server needs from a database. All decisions are pure functions over one aggregate, a
// checkout with its attempts. A store loads it, saves it unless another process has saved it, and leases out due work.
// Times are milliseconds since 1970.

/** Decimal strings, both included; one that is missing is no limit. */
export interface AmountLimits {
  readonly minAmount?: string;
  readonly maxAmount?: string;
}

/** A JSON object that the service stores with an invoice (invoice-service.md §4.1). */
export type Metadata = Readonly<NonNullable<CreateInvoiceRequest['metadata']>>;

/** The parameters that the merchant's server sets; the browser can set none of them. */
export interface CheckoutParams {
  /** The merchant's identifier of the order; it is part of each outcome. */
  readonly orderId: string;
  /** A decimal string, or null when the payer types it within `amountLimits`. */
  readonly amount: string | null;
  readonly amountLimits: AmountLimits | null;
  /** ISO 4217, or null: no symbol is shown. */
  readonly currency: string | null;
  readonly description: string | null;
  readonly successUrl: string | null;
  readonly failUrl: string | null;
  /** The order's number as the payer may quote it to the shop, or null. */
  readonly reference: string | null;
  /** From this moment on no new invoice is created; null: there is no such moment. Milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** Sent with every CreateInvoice besides the order's identifier (invoice-service.md §4.1). */
  readonly metadata: Metadata | null;
}

/** A payment method as the payer saw it (invoice-service.md §2.3). */
export interface InvoiceMethod {
  readonly type: string;
  readonly name?: string;
}

/**
 * How far the create of an invoice has come:
 * `creating` the intent is committed and a call may be under way (until `leaseUntil`);
 * `in_doubt` the answer was ambiguous: an invoice may exist;
 * `created` the invoice is known and committed;
 * `rejected` the service certainly created none.
 */
export type AttemptStage = 'creating' | 'in_doubt' | 'created' | 'rejected';

/**
 * The outcome of an invoice, as fetched from the service. `amount_mismatch`: it was paid with another amount than requested.
 */
export type InvoiceOutcome = 'pending' | 'paid' | 'amount_mismatch' | 'failed' | 'expired';

/** A request of a payer that led to an attempt. */
export interface AttemptKey {
  readonly key: string;
  /** A digest of the request's body: the same key with another body is refused. */
  readonly fingerprint: string;
}

/** One attempt to create an invoice, from the committed intent to the invoice's final status. */
export interface Attempt {
  /** Also the `external_id` at the service: repeats of an ambiguous create carry the same one. */
  readonly externalId: string;
  readonly keys: readonly AttemptKey[];
  readonly paymentMethodId: string;
  /** The payment method; null where it is not known, as in attempts of older versions. */
  readonly method: InvoiceMethod | null;
  readonly amount: string;
  /** What is sent to the service, so that another process can repeat it exactly. */
  readonly request: CreateInvoiceRequest;
  readonly stage: AttemptStage;
  /** Calls made so far. */
  readonly callCount: number;
  /** The end of the lease of the process that makes the call. After it, another process may claim the attempt. */
  readonly leaseUntil: number;
  /** The payer has requested another invoice since; this one is still polled. */
  readonly replaced: boolean;
  readonly createdAt: number;
  readonly invoice: CreatedInvoice | null;
  /** The deadline of the invoice, or null when the service gave none that can be read. */
  readonly expiresAt: number | null;
  readonly serviceStatus: string | null;
  readonly outcome: InvoiceOutcome;
  /** When the status poller, or for `in_doubt` create recovery, handles it next; null: never. */
  readonly runAt: number | null;
  readonly checkedAt: number | null;
  /**
   * Why the payer gets no invoice from this attempt: the service refused it, or (`created` with `try_again`) its invoice may
   * not be shown. null otherwise.
   */
  readonly refusal: 'method_unavailable' | 'amount_out_of_limits' | 'try_again' | null;
}

/** The aggregate: a checkout and its attempts, oldest first. */
export interface CheckoutRecord {
  /** The capability, `chk_…`. */
  readonly id: string;
  /** The secret in the address of the webhook. */
  readonly hookSecret: string;
  readonly params: CheckoutParams;
  readonly createdAt: number;
  /** Counts saves; a save succeeds only on the version that it was made from. */
  readonly version: number;
  /** The attempt whose invoice was paid first; paid is final. */
  readonly paidExternalId: string | null;
  /** When the payment became known; null while it is not paid. Milliseconds since 1970. */
  readonly paidAt: number | null;
  /** When the merchant closed it, or null. Milliseconds since 1970. */
  readonly closedAt: number | null;
  readonly attempts: readonly Attempt[];
}

/** An attempt that is due, with what is needed to act on it without loading its checkout. */
export interface DueAttempt {
  readonly checkoutId: string;
  readonly externalId: string;
  readonly stage: AttemptStage;
  /** The service's invoice identifier; null while there is none (`creating`, `in_doubt`). */
  readonly invoiceId: string | null;
  readonly serviceStatus: string | null;
  readonly outcome: InvoiceOutcome;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly checkedAt: number | null;
  /** Payers view its checkout at least until then, as `expedite` stored it; null: never stored. */
  readonly viewedUntil: number | null;
  /** When it was due. */
  readonly runAt: number;
  /** The end of the lease: `reschedule` needs it. */
  readonly claimedUntil: number;
}

/** When an attempt is handled next. */
export interface Reschedule {
  readonly externalId: string;
  readonly runAt: number | null;
  readonly checkedAt: number | null;
  /**
   * The end of the lease under which the attempt was claimed: where the lease is no longer held, because the attempt was
   * saved, expedited or claimed again, the change is dropped. null: the change is always made.
   */
  readonly claimedUntil: number | null;
}

/** One step of a purge. Times are milliseconds since 1970. */
export interface PurgeBatch {
  /** Only checkouts that were created before this time are deleted. */
  readonly createdBefore: number;
  /** The same for checkouts that are not paid: a payer may still use a younger one. */
  readonly unpaidCreatedBefore: number;
  /** Where the step before ended; undefined in the first step. */
  readonly after: PurgePosition | undefined;
  /** How many checkouts are examined at most. */
  readonly limit: number;
}

/** The last checkout that a step of a purge examined. They are examined in the order of `createdAt`, then of `id`. */
export interface PurgePosition {
  readonly createdAt: number;
  readonly id: string;
}

export interface PurgeResult {
  /** How many checkouts were deleted. */
  readonly deleted: number;
  /** Where the next step begins; undefined when there are no more checkouts to examine. */
  readonly next: PurgePosition | undefined;
}

/**
 * The database cannot be reached, does not answer in time, or cannot work at the moment: the call may be repeated later. A
 * write that rejects with it may have been made.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** A short code for the log, without data: `timeout`, `connection_lost`, a SQLSTATE, or a system error's code. */
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`the database is not available (${reason})`, options);
    this.reason = reason;
  }
}

/** The clock of the database. */
export interface StoreClock {
  /** The database's time in milliseconds since 1970, as it was last measured; it advances evenly between measurements. */
  now(): number;
  /** Reads the database's time. */
  measure(): Promise<void>;
}

/** Called for a saved checkout. */
export type SaveListener = (checkoutId: string, hasOutcomes: boolean) => void;

/**
 * Stores checkouts. While the database is not available, every method rejects with `StoreUnavailableError` within 5 s.
 * Every promise resolves only when its change is on disk. Changes of leases and schedules (`claimDueAttempts`,
 * `reschedule`, `expedite`, `claimOutcomes`) need only survive the process, not a loss of power.
 */
export interface CheckoutStore extends OutcomeOutbox {
  /** The database's clock, where it has one that all processes share. Times are then the database's. */
  readonly clock?: StoreClock | undefined;

  /**
   * Adds a new checkout. Resolves with false, and adds nothing, when its order has a checkout; of concurrent calls for an order,
   * also in several processes, only one resolves with true. With `transaction` the checkout exists when that commits.
   * @throws TypeError when the store has no transactions
   */
  insert(checkout: CheckoutRecord, transaction?: MerchantTransaction): Promise<boolean>;

  /** The checkout of an order with its attempts, or undefined. With `transaction` it is read in it. */
  loadByOrder(orderId: string, transaction?: MerchantTransaction): Promise<CheckoutRecord | undefined>;

  /** The checkout with its attempts, or undefined. */
  load(id: string): Promise<CheckoutRecord | undefined>;

  /**
   * The same for a caller that has loaded a version of the checkout: `unchanged` when that is still the current one, although
   * `reschedule`, `expedite` and `renewAttemptLease` may have changed its schedule. Optional: without it, every read loads the
   * whole checkout.
   */
  loadIfChanged?(id: string, version: number): Promise<CheckoutRecord | 'unchanged' | undefined>;

  /**
   * Saves a checkout that was loaded as `version - 1`, its attempts, and the outcomes in one transaction. Numbers the
   * outcomes of the checkout from 1 on; one whose `id` is stored already is left out. Returns false, and saves nothing,
   * when the checkout was saved since it was loaded, and when one of the outcomes is `paid` although the order was paid
   * by another checkout.
   */
  save(checkout: CheckoutRecord, outcomes: readonly NewOutcome[]): Promise<boolean>;

  /** Whether an outcome `paid` of the order is stored that belongs to another checkout than this one. */
  isPaidByOtherCheckout(orderId: string, checkoutId: string): Promise<boolean>;

  /**
   * Claims up to `limit` attempts that are due and not claimed, earliest first, until `leaseUntil`. Two processes never
   * hold the same one. `save` and `reschedule` end the claim. With `checkoutIds` only attempts of these checkouts are
   * claimed, however many others have been due for longer: a webhook came for them.
   */
  claimDueAttempts(
    now: number,
    leaseUntil: number,
    limit: number,
    checkoutIds?: readonly string[],
  ): Promise<readonly DueAttempt[]>;

  /** Sets when attempts are due next, without a new version: nothing that a payer sees has changed. */
  reschedule(changes: readonly Reschedule[]): Promise<void>;

  /**
   * Makes the attempts of some checkouts due at `at`, except those that are due earlier and those without a `runAt`. With
   * `viewedUntil`, also stores until when payers view them, unless a later time is stored: `claimDueAttempts` returns it.
   */
  expedite(checkoutIds: readonly string[], at: number, viewedUntil?: number): Promise<void>;

  /**
   * Extends the lease of an attempt whose call is under way, which is then due at `leaseUntil`, without a new version.
   * Does nothing when the call's result was saved, or when another process has claimed the attempt: its `callCount` differs.
   */
  renewAttemptLease(externalId: string, callCount: number, leaseUntil: number): Promise<void>;

  /**
   * Moves what is scheduled later than `after` by `ms`, because the clock of the stored times has stepped by it: attempts with
   * their leases and the time of their last fetch, and outcomes.
   */
  shiftSchedule(after: number, ms: number): Promise<void>;

  /** When the earliest attempt is due, or undefined when none is. */
  nextRunAt(): Promise<number | undefined>;

  /**
   * Deletes the settled ones among the next `limit` old checkouts, each with its attempts and outcomes, in one short
   * transaction. A checkout is settled when no attempt has a `runAt` and every outcome is delivered.
   */
  purge(batch: PurgeBatch): Promise<PurgeResult>;

  /**
   * Calls `listener` for each saved checkout, at once in this process and soon after in others, until the returned function
   * is called. `hasOutcomes` is false when no outcome was saved with it. A lost notification only causes a delay. When
   * notifications may have been lost, `lost` is called.
   */
  subscribe(listener: SaveListener, lost?: () => void): () => void;
}
