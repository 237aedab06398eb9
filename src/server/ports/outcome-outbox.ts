import type { Mode } from '../../service-api.ts';
import type { Resolution } from './invoice-attempt.ts';

// The outcomes that must be delivered to the shop, and the part of the store port that keeps them until then.

/** The kinds of outcomes (`NewOutcome`). */
export const outcomeKinds = [
  'paid',
  'duplicate_payment',
  'amount_mismatch',
  'failed',
  'expired',
  'create_unresolved',
  'invoice_unresolved',
  'test_payment',
  'resolved',
] as const;

/** A new outcome for the shop. */
export interface NewOutcome {
  /** The identifier of the outcome. Repeated deliveries have the same `id`. */
  readonly id: string;
  /**
   * `paid`: deliver the order. The invoice was paid with exactly the expected amount, in the server's own mode; or a person has
   * decided that it is paid (`decidedBy`), and `amount` may then be another one.
   * `test_payment`: an invoice of another mode was paid, which pays no order.
   * `amount_mismatch`: the invoice was paid with another amount; a person has to decide, and the order is not paid.
   * `duplicate_payment`: another invoice of a paid order was paid too; one payment has to be refunded.
   * `create_unresolved`: for a day, no response has shown whether the service created an invoice; a person has to search for
   * the `external_id` at the service.
   * `invoice_unresolved`: the invoice is no longer polled, and the service has never said how it ended, or that it was paid with
   * the `external_id` of another request; a person has to check it.
   * `resolved`: the record of a person's decision about a payment that the server cannot judge; `decision` and `note` say how.
   * Nothing is to be done: after the decision `paid`, the outcome `paid` or `duplicate_payment` follows.
   */
  readonly kind: (typeof outcomeKinds)[number];
  readonly orderId: string;
  readonly checkoutId: string;
  readonly externalId: string;
  /** null for `create_unresolved`, and for `resolved` where no invoice is known. */
  readonly invoiceId: string | null;
  /** The invoice's last fetched amount, a decimal string; for `create_unresolved`, the requested amount. */
  readonly amount: string;
  /** The order's amount, a decimal string; where the payer types it, the amount that was requested. */
  readonly expectedAmount: string;
  /** The mode that was sent to the service with the request for the invoice. Only a LIVE payment moves money. */
  readonly mode: Mode;
  /** Milliseconds since 1970. */
  readonly occurredAt: number;
  /** Only with `paid` and `duplicate_payment`: a person has decided that the invoice is paid. */
  readonly decidedBy?: 'person';
  /** Only with `resolved`: whether the order is paid by it or not (`void`). */
  readonly decision?: Resolution['as'];
  /** Only with `resolved`: the person's note. */
  readonly note?: string;
}

/**
 * A stored outcome. It is delivered to the shop at least once. Outcomes of a checkout are delivered in the order of `sequence`.
 */
export interface Outcome extends NewOutcome {
  /** The place of the outcome among those of its checkout: 1, 2, 3 and so on. */
  readonly sequence: number;
}

/** One delivery of an outcome to the shop. */
export interface Delivery {
  /** When it ended. Milliseconds since 1970. */
  readonly at: number;
  /** The HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  /** Why it failed; of a delivery that counts, why it is doubtful, or null. */
  readonly error: string | null;
}

/** An outcome with the state of its delivery. Times are milliseconds since 1970. */
export interface OutcomeRecord extends Outcome {
  /** Oldest first. */
  readonly deliveries: readonly Delivery[];
  /** When it is delivered next; null when it is delivered or its delivery was given up. */
  readonly nextDeliveryAt: number | null;
  readonly deliveredAt: number | null;
  /** When its delivery was given up, or null. */
  readonly abandonedAt: number | null;
}

/** An outcome with its place in the feed. */
export interface FeedOutcome extends OutcomeRecord {
  /** From 1; a higher one than that of each outcome that could be read before. */
  readonly position: number;
}

/** A part of the feed. */
export interface FeedPart {
  /** Identifies the store: another database has another one, and a copy of it has the same one. */
  readonly storeId: string;
  /** The highest position that an outcome has had; 0 before the first one. */
  readonly lastPosition: number;
  readonly outcomes: readonly FeedOutcome[];
}

/** The outcomes that the shop does not have. */
export interface OutcomeCounts {
  /** How many are neither delivered nor abandoned. */
  readonly undelivered: number;
  /** `occurredAt` of the oldest of these, or null. */
  readonly oldestAt: number | null;
  /** The outcomes whose delivery was given up. */
  readonly abandoned: number;
}

/** The lease under which a process delivers an outcome. */
export interface OutcomeLease {
  /** The outcome's `id`. */
  readonly id: string;
  /** The end of the lease, as set by the claim or the last renewal. It identifies the lease. */
  readonly claimedUntil: number;
}

/**
 * The methods of the store for outcomes and their delivery. `save` of the store adds outcomes. A `delivery` is added to those of
 * the outcome, whether or not the lease is held.
 */
export interface OutcomeOutbox {
  /**
   * Claims up to `limit` undelivered outcomes, oldest first, until `leaseUntil`. An outcome is not claimed before all earlier
   * outcomes of its checkout are delivered or abandoned.
   */
  claimOutcomes(now: number, leaseUntil: number, limit: number): Promise<readonly Outcome[]>;

  /** Counts the outcomes that the shop does not have. */
  countOutcomes(): Promise<OutcomeCounts>;

  /** The outcomes of a checkout in the order of `sequence`. */
  listOutcomes(checkoutId: string): Promise<readonly OutcomeRecord[]>;

  /**
   * The outcomes of all checkouts after a position, in one order. An outcome that is committed later never appears before one
   * that was read. The outcomes of a checkout are in the order of `sequence`.
   */
  readOutcomes(after: number, limit: number): Promise<FeedPart>;

  /** Extends the leases of outcomes that are being delivered. Leases that are no longer held do not change. */
  renewOutcomeLeases(leases: readonly OutcomeLease[], leaseUntil: number): Promise<void>;

  /**
   * Marks an outcome as delivered, so that it is never claimed again. No lease is needed: the shop has the outcome, even if
   * another process has claimed it in the meantime.
   */
  markOutcomeDelivered(id: string, at: number, delivery?: Delivery): Promise<void>;

  /**
   * Ends the lease of an outcome that could not be delivered, so that the outcome can be claimed from `at` on. Does nothing
   * when the lease is no longer held, because another process has claimed the outcome.
   */
  retryOutcome(lease: OutcomeLease, at: number, delivery?: Delivery): Promise<void>;

  /**
   * Gives up the delivery of an outcome. The outcome is kept, but not claimed until `redeliverOutcome` is called. Does nothing
   * when the lease is no longer held.
   */
  abandonOutcome(lease: OutcomeLease, at: number, delivery?: Delivery): Promise<void>;

  /**
   * Makes an outcome claimable from `at` on, even if it was delivered or abandoned. Resolves with the `id` of its checkout, or
   * undefined when it does not exist. An undelivered outcome that can be claimed by `leaseUntil` anyway stays as it is: a process
   * may hold it, and a second delivery would begin during the first.
   */
  redeliverOutcome(id: string, at: number, leaseUntil?: number): Promise<string | undefined>;
}
