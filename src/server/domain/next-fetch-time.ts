import type { Timing } from '../options.ts';
import { isPaidOutcome } from './apply-fetched-status.ts';
import type { DueAttempt } from '../ports/checkout-store.ts';

// When to look next. Times in milliseconds since 1970.

export type PolledInvoice = Pick<DueAttempt, 'outcome' | 'created_at' | 'expires_at'>;

/** How often at least an invoice is fetched between its deadline and the end of the grace period. */
const gracePollMs = 5000;

/** A value held between two others. */
function clamp(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

/**
 * When an invoice is to be fetched next; null: never again by itself.
 * One that a payer looks at: every `fastMs`. One that nobody looks at: after a twentieth of its age, from `slowMs` to
 * `slowestMs`. Both exactly at the deadline and at the end of the grace, and every five seconds between them, when late
 * payments arrive. One that ended unpaid: at twice its time since
 * the end, again and again, until `lateMs`. One without a deadline: at most once an hour, until `endlessMs`.
 */
export function nextPollAt(facts: PolledInvoice, now: number, isWatched: boolean, timing: Timing): number | null {
  if (isPaidOutcome(facts.outcome)) return null;
  if (facts.outcome !== 'pending') return nextLatePollAt(facts, now, timing);
  const { created_at, expires_at } = facts;
  const age = now - created_at;
  const slowest = expires_at === null ? Math.max(timing.slowestMs, age / 20) : timing.slowestMs;
  const isInGrace = expires_at !== null && now >= expires_at && now < expires_at + timing.graceMs;
  const usual = isWatched ? timing.fastMs : clamp(timing.slowMs, age / 20, Math.min(slowest, 3_600_000));
  const pause = isInGrace ? Math.min(usual, gracePollMs) : usual;
  if (expires_at === null) return age > timing.endlessMs ? null : now + pause;
  if (now > expires_at + timing.lateMs) return null;
  const marks = [expires_at, expires_at + timing.graceMs].filter((mark) => mark > now);
  return Math.min(now + pause, ...marks);
}

function nextLatePollAt(
  { created_at, expires_at }: PolledInvoice,
  now: number,
  { fastMs, lateMs }: Timing,
): number | null {
  const end = expires_at !== null && expires_at <= now ? expires_at : created_at;
  const since = now - end;
  return since >= lateMs ? null : end + Math.min(Math.max(2 * since, since + fastMs), lateMs);
}

/** How long a process waits before it repeats a create whose answer is not known, after `callCount` calls. */
export function retryDelay(callCount: number, random: number): number {
  const cap = Math.min(2000 * 2 ** Math.min(callCount - 1, 20), 300_000);
  return cap * (0.5 + random / 2);
}

/** How long a create whose answer is not known is repeated. */
const doubtMs = 86_400_000;

/**
 * When a create whose answer is not known is repeated: for a day, also when the payer has asked for another invoice since,
 * and for the last time at the end of that day; then null.
 */
export function retryAt(
  attempt: { readonly created_at: number; readonly call_count: number },
  now: number,
  random: number,
): number | null {
  const end = attempt.created_at + doubtMs;
  return now >= end ? null : Math.min(end, now + Math.round(retryDelay(attempt.call_count, random)));
}

/** The first moment of a grid of `stepMs` that is not before `at`: what is due together is fetched together. */
export function alignToTick(at: number, stepMs: number, phase: number): number {
  return Math.ceil((at - phase) / stepMs) * stepMs + phase;
}
