import { z } from 'zod';
import { strictObject, wholeNumber } from './domain/strict-object.ts';

/** The durations that a merchant may have a reason to change, in milliseconds. */
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

const duration = (defaultMs: number) => wholeNumber(' of milliseconds', 1).default(defaultMs);
const durationOrZero = (defaultMs: number) => wholeNumber(' of milliseconds', 0).default(defaultMs);
const durationOrInfinity = z.custom<number>(
  (value) => value === Infinity || wholeNumber('', 0).safeParse(value).success,
  'must be a whole number of milliseconds from 0, or Infinity',
);

/** Pairs of durations of which the first may not be shorter than the second. */
const notShorterPairs = [
  ['slowMs', 'fastMs'],
  ['slowestMs', 'slowMs'],
] as const;

export const timingSchema = strictObject({
  fastMs: duration(2000),
  slowMs: duration(10_000),
  slowestMs: duration(minuteMs),
  graceMs: durationOrZero(minuteMs),
  lateMs: durationOrZero(48 * hourMs),
  deliverForMs: durationOrInfinity.default(Infinity),
  lifetimeMs: duration(90 * 24 * hourMs),
} satisfies Record<keyof Timing, z.ZodType>).check(({ value, issues }) => {
  for (const [name, minimumName] of notShorterPairs) {
    const message = `must not be shorter than timing.${minimumName}`;
    if (value[name] < value[minimumName]) issues.push({ code: 'custom', path: [name], message, input: value });
  }
});

const allowance = (defaultAllowance: Allowance) =>
  strictObject({ burst: wholeNumber('', 1), perMinute: wholeNumber('', 1) }).default(defaultAllowance);

export const limitsSchema = strictObject({
  batchSize: wholeNumber('', 1).default(100),
  waiters: wholeNumber('', 0).default(20_000),
  createsOfAddress: allowance({ burst: 300, perMinute: 300 }),
  createsOfCheckout: allowance({ burst: 20, perMinute: 10 }),
} satisfies Record<keyof Limits, z.ZodType>);

export const defaultTiming: Timing = timingSchema.parse({});
export const defaultLimits: Limits = limitsSchema.parse({});
