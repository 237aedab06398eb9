// Judges the samples of a load run: whether, and since when, everything is as before.

/** What was seen in about a second. Times are in seconds since the start of the run. */
export interface Sample {
  readonly at: number;
  /** Payers without an invoice. */
  readonly arriving: number;
  /** Payers with an invoice, who have not been told that it is paid. */
  readonly waiting: number;
  /** Waiting payers who have had an answer or have a held poll: see `countServed`. */
  readonly served: number;
  /** Long polls that the servers hold, as they say; a server that does not say it counts as holding none. */
  readonly held: number;
  /** Waiting payers who see stale data. */
  readonly stale: number;
  /** Reads by HTTP status, or by the reason why they have no answer. */
  readonly reads: Readonly<Record<string, number>>;
  /** The same for orders and create requests. */
  readonly creates: Readonly<Record<string, number>>;
  /** How long orders and create requests took that were answered with 503, in ms. */
  readonly refusedMs: readonly number[];
  /** How long buyers waited for their invoice after their order was placed, in ms; a minute for those who gave up. */
  readonly invoiceMs: readonly number[];
  /** FetchInvoices calls. */
  readonly fetches: number;
  /** The worst p99 of a server; undefined when a server did not say so. */
  readonly loopDelayMs: number | undefined;
  /** The resident memory of all servers. */
  readonly memoryMegabytes: number;
  /** Percent of one core; `machine` is everything that runs on it. */
  readonly cpu: Readonly<Record<'servers' | 'sandbox' | 'payers' | 'machine', number>>;
}

/** A payment, and when its payer was told; in seconds since the start of the run. */
export interface PaymentTimes {
  readonly paidAt: number;
  readonly toldAt?: number;
}

/** A payment is told in time within this many seconds. */
export const toldWithin = 3;

/** How long it took until a payer was told, in seconds; Infinity when he was not. */
export const delayOf = ({ paidAt, toldAt = Infinity }: PaymentTimes): number => toldAt - paidAt;

/** The part of a run to which a payment belongs. 0: its payer is due to be told before the disturbance; 2: it is paid after it; else 1. */
export function partOf(
  { paidAt }: PaymentTimes,
  { disturbedAt, endedAt }: { readonly disturbedAt: number; readonly endedAt: number },
): 0 | 1 | 2 {
  if (paidAt + toldWithin <= disturbedAt) return 0;
  return paidAt > endedAt ? 2 : 1;
}

/** The percentile of a `share` from 0 to 1; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

export const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function mergeCounts(all: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const merged: Record<string, number> = {};
  for (const [name, count] of all.flatMap((counts) => Object.entries(counts)))
    merged[name] = (merged[name] ?? 0) + count;
  return merged;
}

/** Whether a result is a success: an HTTP status of 2xx or 3xx. */
export const isSuccess = (result: string): boolean => /^[23]/.test(result);

/** How many of these results are successes, and how many are not. */
export function splitResults(results: Readonly<Record<string, number>>): {
  readonly good: number;
  readonly failed: number;
} {
  const count = (isGood: boolean): number =>
    sumOf(Object.entries(results).flatMap(([result, number]) => (isSuccess(result) === isGood ? [number] : [])));
  return { good: count(true), failed: count(false) };
}

/**
 * How many payers are served: they have had an answer, or the servers hold their long poll. The servers say only how many polls they
 * hold, so the answered payers' own polls are taken to be held first: the result is never too large.
 */
export function countServed(
  { answered, answeredPolls, otherPolls }: Readonly<Record<'answered' | 'answeredPolls' | 'otherPolls', number>>,
  held: number,
): number {
  return answered + Math.min(otherPolls, Math.max(0, held - answeredPolls));
}

/** What belongs to "as before", in the order of a report. */
export const conditions = ['served', 'told', 'reads'] as const;
export type Condition = (typeof conditions)[number];

/** Whether a condition holds in the time of a sample, which began with the sample before it. */
function holds(condition: Condition, sample: Sample, beganAt: number, payments: readonly PaymentTimes[]): boolean {
  switch (condition) {
    case 'served':
      return sample.served >= 0.99 * sample.waiting;
    case 'told': // no payment was untold for too long at any time of the sample
      return payments.every(
        ({ paidAt, toldAt = Infinity }) =>
          toldAt <= Math.max(beganAt, paidAt + toldWithin) || sample.at <= paidAt + toldWithin,
      );
    case 'reads':
      return splitResults(sample.reads).failed === 0;
  }
}

/** The number of samples in a time in which a condition does not hold. */
export function countBad({ samples, payments }: Recording, condition: Condition, from: number, to: number): number {
  return samples.filter(
    (sample, index) =>
      sample.at > from && sample.at <= to && !holds(condition, sample, samples[index - 1]?.at ?? 0, payments),
  ).length;
}

/** What a run has recorded. */
export interface Recording {
  readonly samples: readonly Sample[];
  readonly payments: readonly PaymentTimes[];
}

/** How many seconds after `endsAt` a condition holds for good; Infinity when it does not hold in the last sample, or when there is none. */
export function recoverySeconds(
  { samples, payments }: Recording,
  endsAt: number,
  isGood: Condition | ((sample: Sample) => boolean),
): number {
  const isBad = (sample: Sample, index: number): boolean =>
    typeof isGood === 'string' ? !holds(isGood, sample, samples[index - 1]?.at ?? 0, payments) : !isGood(sample);
  const last = samples.findLastIndex((sample, index) => sample.at > endsAt && isBad(sample, index));
  const end = samples.at(-1);
  if (end === undefined || end.at <= endsAt || last === samples.length - 1) return Infinity;
  return Math.max(0, (samples[last]?.at ?? endsAt) - endsAt);
}

/** How many seconds after `endsAt` everything is as before: all `conditions` hold for good. */
export function secondsUntilAsBefore(recording: Recording, endsAt: number): number {
  return Math.max(...conditions.map((condition) => recoverySeconds(recording, endsAt, condition)));
}
