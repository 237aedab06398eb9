import type { Timing } from '../timing-and-limit-defaults.ts';
import { isPaidOutcome } from './apply-fetched-status.ts';
import type { DueAttempt } from '../ports/checkout-store.ts';

// When an invoice is fetched next, and when a create in doubt is repeated. Times are in milliseconds since 1970.

export type FetchedAttempt = Pick<DueAttempt, 'outcome' | 'createdAt' | 'expiresAt'>;

/** The longest interval between two fetches from the deadline of an invoice to the end of its grace period. */
const maxGraceIntervalMs = 5000;

/** A value limited to the range from `least` to `most`. */
function clamp(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

/**
 * When an invoice is fetched next; null: it is no longer polled, and only a webhook causes another fetch.
 * - A payer is viewing it: every `fastMs`. Nobody is: after a twentieth of its age, from `slowMs` to `slowestMs`.
 * - In both cases also exactly at the deadline and at the end of the grace period, and at least every five seconds between
 *   the two, when late payments arrive.
 * - It ended unpaid: whenever the time since its end has doubled, until `lateMs`.
 * - It has no deadline: at least once an hour, until `endlessMs`.
 */
export function nextFetchAt(invoice: FetchedAttempt, now: number, isViewed: boolean, timing: Timing): number | null {
  if (isPaidOutcome(invoice.outcome)) return null;
  if (invoice.outcome !== 'pending') return nextLateFetchAt(invoice, now, timing);
  const { createdAt, expiresAt } = invoice;
  const age = now - createdAt;
  const slowest = expiresAt === null ? Math.max(timing.slowestMs, age / 20) : timing.slowestMs;
  const isInGrace = expiresAt !== null && now >= expiresAt && now < expiresAt + timing.graceMs;
  const usual = isViewed ? timing.fastMs : clamp(timing.slowMs, age / 20, Math.min(slowest, 3_600_000));
  const pause = isInGrace ? Math.min(usual, maxGraceIntervalMs) : usual;
  if (expiresAt === null) return age > timing.endlessMs ? null : now + pause;
  if (now > expiresAt + timing.lateMs) return null;
  const marks = [expiresAt, expiresAt + timing.graceMs].filter((mark) => mark > now);
  return Math.min(now + pause, ...marks);
}

function nextLateFetchAt(
  { createdAt, expiresAt }: FetchedAttempt,
  now: number,
  { fastMs, lateMs }: Timing,
): number | null {
  const end = expiresAt !== null && expiresAt <= now ? expiresAt : createdAt;
  const since = now - end;
  return since >= lateMs ? null : end + Math.min(Math.max(2 * since, since + fastMs), lateMs);
}

/** The pause before a create in doubt is repeated, after `callCount` calls. */
export function retryDelay(callCount: number, random: number): number {
  const cap = Math.min(2000 * 2 ** Math.min(callCount - 1, 20), 300_000);
  return cap * (0.5 + random / 2);
}

/** How long a create in doubt is repeated. */
const repeatForMs = 86_400_000;

/**
 * When a create in doubt is repeated next. Repeats go on for a day, even after the payer has requested another invoice. The
 * last one is at the end of that day; after it, the result is null.
 */
export function retryAt(
  attempt: { readonly createdAt: number; readonly callCount: number },
  now: number,
  random: number,
): number | null {
  const end = attempt.createdAt + repeatForMs;
  return now >= end ? null : Math.min(end, now + Math.round(retryDelay(attempt.callCount, random)));
}

/** Rounds a time up to the next tick: invoices that are due at one tick are fetched together. */
export function alignToTick(at: number, stepMs: number, phase: number): number {
  return Math.ceil((at - phase) / stepMs) * stepMs + phase;
}
