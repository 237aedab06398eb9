/** The durations that the server uses, in milliseconds. */
export interface Timing {
  /** The poll interval of an invoice that a payer is viewing. It is also the length of a poll tick. */
  readonly fastMs: number;
  /** The first poll interval of an invoice that nobody is viewing. */
  readonly slowMs: number;
  /** The longest poll interval of an invoice that nobody is viewing. */
  readonly slowestMs: number;
  /** How long after its deadline an unpaid invoice becomes expired. */
  readonly graceMs: number;
  /** An invoice that failed or expired is polled with growing intervals for this long, to detect a late payment. */
  readonly lateMs: number;
  /** An invoice without a deadline is polled for this long. */
  readonly endlessMs: number;
  /** How long payment options are fresh. */
  readonly optionsFreshMs: number;
  /** How long payment options may be shown while the service does not answer. */
  readonly optionsStaleMs: number;
  /** The longest pause between two deliveries of an outcome. */
  readonly deliverSlowestMs: number;
  /**
   * How long the delivery of an outcome is repeated after the outcome occurred; by default without a limit. After this time the
   * outcome is abandoned: it is kept, logged as `outcome_abandoned` and counted by a metric, and later outcomes of the checkout
   * are delivered.
   */
  readonly deliverForMs: number;
  /** How long a capability is valid. */
  readonly lifetimeMs: number;
}

/** The maximum numbers that the server allows. */
export interface Limits {
  /** Invoices in one FetchInvoices. */
  readonly batchSize: number;
  /** Long polls of all checkouts. */
  readonly waiters: number;
  /** New invoices that one client address may request. */
  readonly createsOfAddress: Allowance;
  /** New invoices that may be requested for one checkout. */
  readonly createsOfCheckout: Allowance;
}

/** The settings of a rate limit. */
export interface Allowance {
  /** How many uses are allowed at once. */
  readonly burst: number;
  /** How many uses become available again per minute, after the first `burst`. */
  readonly perMinute: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const defaultTiming: Timing = {
  fastMs: 2000,
  slowMs: 10_000,
  slowestMs: minuteMs,
  graceMs: minuteMs,
  lateMs: 48 * hourMs,
  endlessMs: 7 * 24 * hourMs,
  optionsFreshMs: 30_000,
  optionsStaleMs: 10 * minuteMs,
  deliverSlowestMs: minuteMs,
  deliverForMs: Infinity,
  lifetimeMs: 90 * 24 * hourMs,
};

export const defaultLimits: Limits = {
  batchSize: 100,
  waiters: 20_000,
  createsOfAddress: { burst: 300, perMinute: 300 },
  createsOfCheckout: { burst: 20, perMinute: 10 },
};
