import type { Mode } from '../../contract.ts';

// The outcomes that the shop must learn, and the part of the store that keeps them until they are delivered.

/** A new outcome for the shop. */
export interface NewOutcome {
  /** The same in every repeated delivery. */
  readonly id: string;
  /**
   * `paid`: the invoice was paid with exactly the expected amount.
   * `amount_mismatch`: it was paid with another amount; a person has to decide, and the order is not paid.
   * `duplicate_payment`: another invoice of a paid order was paid too; one payment has to be refunded.
   * `create_unresolved`: for a day it was not possible to learn whether the service created an invoice; a person has to
   * look for `external_id` at the service.
   */
  readonly kind: 'paid' | 'duplicate_payment' | 'amount_mismatch' | 'failed' | 'expired' | 'create_unresolved';
  readonly orderId: string;
  readonly checkoutId: string;
  readonly externalId: string;
  /** null for `create_unresolved`. */
  readonly invoiceId: string | null;
  /** The invoice's amount as it was last fetched, a decimal string; for `create_unresolved` the requested one. */
  readonly amount: string;
  /** The amount that was requested, a decimal string. */
  readonly expectedAmount: string;
  /** The mode that was sent to the service with the request for the invoice. Only a LIVE payment moves money. */
  readonly mode: Mode;
  readonly occurredAt: number;
}

/** What is delivered to the shop at least once, in the order of `sequence` for each checkout. */
export interface Outcome extends NewOutcome {
  /** The place of the outcome among those of its checkout: 1, 2, 3 and so on. */
  readonly sequence: number;
}

/** An outcome, and what became of it. Times are milliseconds since 1970. */
export interface OutcomeRecord extends Outcome {
  readonly deliveredAt: number | null;
  /** When its delivery was given up; null where it was not. */
  readonly abandonedAt: number | null;
}

/** The lease of a process on an outcome that it delivers. */
export interface OutcomeLease {
  /** The outcome's `id`. */
  readonly id: string;
  /** The end of the lease as it was claimed or last renewed. It identifies the lease. */
  readonly claimedUntil: number;
}

/** The outcomes that are stored and wait for their delivery. `save` of the store adds them. */
export interface OutcomeOutbox {
  /**
   * Claims up to `limit` undelivered outcomes, oldest first, until `leaseUntil`. An outcome is not claimed before all
   * earlier ones of its checkout are delivered or abandoned.
   */
  claimOutcomes(now: number, leaseUntil: number, limit: number): Promise<readonly Outcome[]>;

  /** When the oldest outcome that is neither delivered nor abandoned occurred, or undefined when there is none. */
  oldestOutcomeAt(): Promise<number | undefined>;

  /** How many outcomes are neither delivered nor abandoned. */
  countUndeliveredOutcomes(): Promise<number>;

  /** How many outcomes are abandoned. */
  countAbandonedOutcomes(): Promise<number>;

  /** The outcomes of a checkout in the order of `sequence`. */
  listOutcomes(checkoutId: string): Promise<readonly OutcomeRecord[]>;

  /** Extends the leases of outcomes that are being delivered; a lease that is no longer held is left as it is. */
  renewOutcomeLeases(leases: readonly OutcomeLease[], leaseUntil: number): Promise<void>;

  /**
   * Marks an outcome as delivered: it is never claimed again. It needs no lease: the shop has the outcome, whichever process
   * holds the lease by now.
   */
  markOutcomeDelivered(id: string, at: number): Promise<void>;

  /**
   * Ends the lease of an outcome that could not be delivered: it can be claimed from `at` on. Does nothing when the lease is
   * no longer held: another process has claimed the outcome.
   */
  retryOutcome(lease: OutcomeLease, at: number): Promise<void>;

  /**
   * Gives up the delivery of an outcome: it is kept, and not claimed until `redeliverOutcome`. Does nothing when the lease
   * is no longer held.
   */
  abandonOutcome(lease: OutcomeLease, at: number): Promise<void>;

  /** Makes an outcome claimable from `at` on, also one that was delivered or abandoned; false when there is none. */
  redeliverOutcome(id: string, at: number): Promise<boolean>;
}
