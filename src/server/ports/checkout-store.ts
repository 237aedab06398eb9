import type { CheckoutStatus } from '../../checkout-api.ts';
import type { CreateInvoiceRequest } from '../../service-api.ts';
import type { Attempt, InvoiceOutcome, StatusLists } from './invoice-attempt.ts';
import type { NewOutcome, OutcomeOutbox } from './outcome-outbox.ts';

// The store port: what the checkout server needs from a database. All decisions are pure functions over one aggregate, a
// checkout with its attempts. A store loads the checkout, saves it unless another process has saved it in the meantime, and
// leases due work to processes. Times are milliseconds since 1970.

/** Inclusive limits of an amount, as decimal strings. A missing member is no limit. */
export interface AmountLimits {
  readonly minAmount?: string;
  readonly maxAmount?: string;
}

/** A JSON object that the service stores with an invoice (invoice-service.md §4.1). */
export type Metadata = Readonly<NonNullable<CreateInvoiceRequest['metadata']>>;

/** The parameters of a checkout. The merchant's server sets them; the browser cannot set any of them. */
export interface CheckoutParams {
  /** The merchant's identifier of the order; it is part of each outcome. */
  readonly orderId: string;
  /** A decimal string, or null when the payer types the amount, within `amountLimits`. */
  readonly amount: string | null;
  readonly amountLimits: AmountLimits | null;
  /** ISO 4217, or null: no symbol is shown. */
  readonly currency: string | null;
  readonly description: string | null;
  readonly successUrl: string | null;
  readonly failUrl: string | null;
  /** The order's number as the payer may quote it to the shop, or null. */
  readonly reference: string | null;
  /** From this moment on no new invoice is created; null: without a time limit. Milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** Sent with every CreateInvoice besides the order's identifier (invoice-service.md §4.1). */
  readonly metadata: Metadata | null;
  /** The ids or types of the methods that the order may be paid with, in the order in which they are shown; null: all. */
  readonly methods: readonly string[] | null;
}

/** Something that the merchant has done with a checkout. */
export interface MerchantAction {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly action: 'update' | 'reopen' | 'close' | 'link' | 'check' | 'resolve' | 'redeliver';
  /** The `externalId` of the invoice for `resolve`, the `id` of the outcome for `redeliver`, else null. */
  readonly target: string | null;
  /** What the service has answered to a `check`. */
  readonly answer?: CheckAnswer;
}

/**
 * The answer of the service to a `check`:
 * - `told`: it has told the status of each invoice;
 * - `not_told`: it has answered without the status of one or more of them, which it seems not to know;
 * - `no_answer`: it has not answered about one or more of them in time;
 * - `no_invoice`: there is no invoice to ask about.
 */
export type CheckAnswer = 'told' | 'not_told' | 'no_answer' | 'no_invoice';

/** The aggregate: a checkout and its attempts, oldest first. */
export interface CheckoutRecord {
  /** The identifier, `co_…`. It opens nothing. */
  readonly id: string;
  /** What the payer's page holds, `chk_…`: whoever has it can see and pay the order. */
  readonly capability: string;
  /** When the capability was made; it expires some time after it. Milliseconds since 1970. */
  readonly capabilityAt: number;
  /** The secret in the address of the webhook. */
  readonly hookSecret: string;
  readonly params: CheckoutParams;
  readonly createdAt: number;
  /** The number of saves. A save succeeds only if the stored version is still the one that was loaded. */
  readonly version: number;
  /** The `externalId` of the attempt whose invoice was paid first, or null. It never changes once it is set. */
  readonly paidExternalId: string | null;
  /** When the payment became known; null while the checkout is not paid. Milliseconds since 1970. */
  readonly paidAt: number | null;
  /** When the merchant closed the checkout, or null. Milliseconds since 1970. */
  readonly closedAt: number | null;
  /** What the merchant has done with the checkout, oldest first. */
  readonly actions: readonly MerchantAction[];
  readonly attempts: readonly Attempt[];
}

/** What is known of an attempt that is due. */
interface DueBase {
  readonly checkoutId: string;
  readonly externalId: string;
  readonly createdAt: number;
  /** When the attempt became due. */
  readonly runAt: number;
  /** The end of the lease. Pass it to `reschedule`. */
  readonly claimedUntil: number;
}

/** A create that is due to be repeated. */
export interface DueCreate extends DueBase {
  readonly invoiceId: null;
}

/** An invoice that is due to be fetched, with what is needed to handle it without loading its checkout. */
export interface DueInvoice extends DueBase {
  /** The invoice's identifier at the service. */
  readonly invoiceId: string;
  /** Whether the invoice is not shown to the payer (`HiddenAttempt`). */
  readonly isHidden: boolean;
  readonly serviceStatus: string | null;
  readonly outcome: InvoiceOutcome;
  readonly expiresAt: number | null;
  readonly answeredAt: number | null;
  readonly checkedAt: number | null;
  /** Payers view the checkout at least until this time, which `expedite` has stored; null: never stored. */
  readonly viewedUntil: number | null;
}

export type DueAttempt = DueCreate | DueInvoice;

/** A change of when an attempt is handled next. */
export interface Reschedule {
  readonly externalId: string;
  readonly runAt: number | null;
  readonly answeredAt: number | null;
  readonly checkedAt: number | null;
  /**
   * The end of the lease under which the attempt was claimed. The change is dropped when this lease is no longer held, because
   * the attempt was saved or claimed again. null: the change is always made.
   */
  readonly claimedUntil: number | null;
  /**
   * `runAt` of the attempt when it was claimed. When another `runAt` was stored during the claim, because a webhook has arrived,
   * the earlier one of it and the new one is kept.
   */
  readonly claimedRunAt?: number;
}

/** What `list` selects. Undefined members select nothing. Times are milliseconds since 1970. */
export interface ListCheckouts {
  readonly orderId?: string | undefined;
  /**
   * Finds the checkouts that have exactly this `id`, order, reference, `externalId` of an attempt, `id` of an outcome, or `id` of
   * an invoice of theirs.
   */
  readonly search?: string | undefined;
  /** Only checkouts with an outcome that is not delivered, also one whose delivery was given up. */
  readonly undelivered?: boolean | undefined;
  /** Only checkouts about which a person has to decide (`needsDecision`), where the service's status words mean what these lists say. */
  readonly undecided?: StatusLists | undefined;
  /** Only checkouts with an outcome of this kind. */
  readonly kind?: NewOutcome['kind'] | undefined;
  /** The status at the time `now`, by `listedStatusOf`. */
  readonly status?: CheckoutStatus | undefined;
  readonly now: number;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** The last checkout of the page before. */
  readonly after?: PurgePosition | undefined;
  readonly limit: number;
}

/** One batch of a purge. Times are milliseconds since 1970. */
export interface PurgeBatch {
  /** Only checkouts that were created before this time are deleted. */
  readonly createdBefore: number;
  /** Unpaid checkouts are deleted only if their capability was made before this time: a payer may still use a younger one. */
  readonly expiredBefore: number;
  /** Where the previous batch ended; undefined for the first batch. */
  readonly after: PurgePosition | undefined;
  /** The maximum number of checkouts to examine. */
  readonly limit: number;
}

/** The last checkout that a batch of a purge has examined. Checkouts are examined in the order of `createdAt`, then of `id`. */
export interface PurgePosition {
  readonly createdAt: number;
  readonly id: string;
}

export interface PurgeResult {
  /** How many checkouts were deleted. */
  readonly deleted: number;
  /** The position for the next batch; undefined when there are no more checkouts to examine. */
  readonly next: PurgePosition | undefined;
}

/** The shortest pause before a call that the database did not take is repeated, in milliseconds. */
const leastRetryMs = 2000;

/**
 * Thrown when the database cannot be reached, does not answer in time, or cannot work at the moment. The call may be repeated
 * later. A write that rejects with this error may have been committed.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  readonly code = 'store_unavailable';
  readonly path = 'store';
  /** A short code for the log, without data: `timeout`, `overloaded`, `connection_lost`, a SQLSTATE, or a system error's code. */
  readonly reason: string;
  /** After how many milliseconds the call may be repeated: at least two seconds, however soon it may succeed. */
  readonly retryAfterMs: number;

  constructor(
    reason: string,
    { retryAfterMs = 0, ...options }: ErrorOptions & { readonly retryAfterMs?: number } = {},
  ) {
    super(`the database is not available (${reason})`, options);
    this.reason = reason;
    this.retryAfterMs = Math.max(leastRetryMs, retryAfterMs);
  }
}

/** Thrown by `save` when an invoice of the checkout belongs to another checkout: the service has returned one `id` twice. */
export class InvoiceClaimedError extends Error {
  override readonly name = 'InvoiceClaimedError';
  readonly code = 'invoice_claimed';
  readonly path = 'attempts';

  constructor(options?: ErrorOptions) {
    super('an invoice of the checkout belongs to another checkout', options);
  }
}

/** The clock of the database. */
export interface StoreClock {
  /** The database's time in milliseconds since 1970, computed from the last measurement. */
  now(): number;
  /** Measures the database's time again. */
  measure(): Promise<void>;
}

interface SaveOptions {
  /** The record as it was loaded. Attempts that are the same objects in it are not saved: their schedules may have changed since. */
  readonly loaded?: CheckoutRecord;
  /** The merchant's transaction. Attempts are not changed then, and there are no outcomes. */
  readonly transaction?: MerchantTransaction | undefined;
}

/**
 * What a checkout is loaded for. A store under load gives `tell` its turn first, then `look`, then `hold`, and none of them a turn
 * that an invoice needs. `invoice`: an invoice is to be created. `tell`: a payer waits, and the checkout was saved. `look`: a payer
 * opens the page. `hold`: a payer goes on waiting, for which nobody needs the answer at once.
 */
export type LoadPurpose = 'invoice' | 'tell' | 'look' | 'hold';

/** Called when a checkout was saved. `hasOutcomes` is false when certainly no outcome was saved with it. */
export type SaveListener = (checkoutId: string, hasOutcomes: boolean) => void;

/**
 * Stores checkouts. While the database is not available, every method rejects with `StoreUnavailableError` within 5 s. Every
 * promise resolves only when its change is on disk. Exception: changes of leases and schedules (`claimDueAttempts`,
 * `reschedule`, `expedite`, `claimOutcomes`) must survive the end of the process, but not a loss of power.
 */
export interface CheckoutStore extends OutcomeOutbox {
  /** The database's clock, which all processes share. With it, all stored times are times of the database. */
  readonly clock?: StoreClock | undefined;

  /**
   * Adds a new checkout. Resolves with false, and adds nothing, when the order already has a checkout. Only one of several
   * concurrent calls for an order resolves with true, even in several processes. With `transaction`, the checkout exists once
   * the transaction commits.
   * @throws CheckoutParamsError when the store has no transactions
   */
  insert(checkout: CheckoutRecord, transaction?: MerchantTransaction): Promise<boolean>;

  /** The checkout of an order with its attempts, or undefined. With `transaction`, it is read in the transaction. */
  loadByOrder(orderId: string, transaction?: MerchantTransaction): Promise<CheckoutRecord | undefined>;

  /**
   * The checkout with its attempts, or undefined. With a purpose, a store under load may reject with `StoreUnavailableError`: at once
   * for `invoice` and `look`, and after up to 13 s for `tell` and `hold`. Without one, the load finishes what has begun.
   */
  load(id: string, options?: { readonly purpose?: LoadPurpose | undefined }): Promise<CheckoutRecord | undefined>;

  /**
   * Saves a checkout, whose loaded version was `version - 1`, with its attempts and the outcomes in one transaction. The
   * outcomes of a checkout get the numbers 1, 2, 3 and so on; an outcome whose `id` is already stored is not stored again.
   * Resolves with false, and saves nothing, when the checkout was saved since it was loaded.
   *
   * The invoice of each attempt belongs to the first checkout that stores it, except for hidden attempts with the reason
   * `foreign_invoice`. So one invoice pays one order.
   * @throws InvoiceClaimedError, and saves nothing, when an invoice belongs to another checkout
   */
  save(checkout: CheckoutRecord, outcomes: readonly NewOutcome[], options?: SaveOptions): Promise<boolean>;

  /** A page of checkouts, newest first: by `createdAt`, then by `id`, both descending. */
  list(query: ListCheckouts): Promise<readonly CheckoutRecord[]>;

  /**
   * Claims up to `limit` attempts that are due and not claimed, earliest first, until `leaseUntil`. Two processes never hold
   * the same attempt. `save`, when it changes the attempt, and `reschedule` end the claim. With `checkoutIds`, only attempts of these
   * checkouts are claimed.
   */
  claimDueAttempts(
    now: number,
    leaseUntil: number,
    limit: number,
    checkoutIds?: readonly string[],
  ): Promise<readonly DueAttempt[]>;

  /** Sets when attempts are due next. The checkouts get no new version, because nothing that a payer sees has changed. */
  reschedule(changes: readonly Reschedule[]): Promise<void>;

  /**
   * Makes the pending invoices of some checkouts due at `at`, except those that are due earlier. Creates in doubt are not
   * changed. A claimed invoice keeps its claim, and is due at `at` once the claim ends. With `isRequested`, each invoice of
   * the checkout itself is changed, even if it is paid or has no `runAt`. With `viewedUntil`, also stores until when payers view the
   * checkouts, unless a later time is stored. `claimDueAttempts` returns the stored time.
   */
  expedite(checkoutIds: readonly string[], at: number, viewedUntil?: number, isRequested?: boolean): Promise<void>;

  /**
   * Makes the invoices due at `at` whose outcome is `unresolved`, and whose status word is one of `words` (lower case). Call it
   * when the meaning of words may have changed.
   */
  expediteUnresolved(words: readonly string[], at: number): Promise<void>;

  /**
   * Moves the times of attempts and outcomes that are scheduled later than `after` by `ms` milliseconds, because the clock of
   * the stored times has stepped by `ms`. The leases of these attempts and the times of their last fetch are moved too.
   */
  shiftSchedule(after: number, ms: number): Promise<void>;

  /**
   * Stores `now` as the last time that a process has seen, and resolves with the one stored before; undefined: there is none. A
   * later one than `now` shows that the clock of the stored times was set back while no process ran.
   */
  noteTime(now: number): Promise<number | undefined>;

  /** When the next attempt becomes due, or its lease ends; undefined when no attempt is scheduled. */
  nextRunAt(): Promise<number | undefined>;

  /**
   * Examines the next `limit` old checkouts, and deletes those that are settled, each with its attempts and outcomes, in one
   * short transaction. A checkout is settled when no attempt has a `runAt` and every outcome is delivered.
   */
  purge(batch: PurgeBatch): Promise<PurgeResult>;

  /**
   * Calls `listener` for each saved checkout, until the returned function is called: immediately for saves of this process, and
   * soon after saves of other processes. A lost notification only causes a delay. `lost` is called when notifications may have
   * been lost.
   */
  subscribe(listener: SaveListener, lost?: () => void): () => void;
}

// The merchant's own transaction. A checkout that is created in it exists if and only if the merchant's changes are committed.

/** The rows of a statement: an array, or a driver's result with a member `rows`. */
export type SqlRows = readonly unknown[] | { readonly rows: readonly unknown[] };

/** An open transaction of any driver. */
export interface SqlTransaction {
  /**
   * Runs one statement inside the transaction. `values` are the strings, numbers and nulls of its placeholders: `$1`, `$2` and
   * so on for PostgreSQL, `?` for SQLite. Every statement returns rows; a row is an object with a member for each column.
   */
  executeSql(text: string, values: readonly unknown[]): SqlRows | PromiseLike<SqlRows>;
}

/** The part of a `Transaction` of Kysely that the store uses. */
export interface KyselyTransaction {
  readonly isTransaction: true;
  withoutPlugins(): { executeQuery(query: object): Promise<{ readonly rows: readonly unknown[] }> };
}

/** An open transaction in the database of the store. */
export type MerchantTransaction = KyselyTransaction | SqlTransaction;

/** Whether a value is a transaction that a store can use. */
export function isMerchantTransaction(value: unknown): value is MerchantTransaction {
  if (typeof value !== 'object' || value === null) return false;
  if ('executeSql' in value) return typeof value.executeSql === 'function';
  return 'isTransaction' in value && value.isTransaction === true && 'withoutPlugins' in value;
}
