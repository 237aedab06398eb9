import type { Timing } from '../timing-and-limit-defaults.ts';
import type { InvoiceAttempt } from '../ports/attempt.ts';
import type { DueInvoice } from '../ports/checkout-store.ts';
import { isOpenOutcome, isPaidOutcome } from './checkout-status.ts';

// When an invoice is fetched next, and when a create in doubt is repeated. Times are in milliseconds since 1970.

/** Webhooks and checks cause at most one fetch of an invoice in this time, in milliseconds. */
const minFetchIntervalMs = 1000;

/** The members of an attempt from which its next fetch is computed. */
export type FetchedAttempt = Pick<DueInvoice, 'outcome' | 'createdAt' | 'expiresAt'>;

/** The longest interval between two fetches from the deadline of an invoice to the end of its grace period. */
const maxGraceIntervalMs = 5000;

/** Limits a value to the range from `min` to `max`. */
function clamp(min: number, value: number, max: number): number {
  return Math.max(min, Math.min(value, max));
}

/**
 * When an invoice is fetched next; null: the invoice is no longer polled, and only a webhook causes another fetch.
 * `isStatusTold`: the fetch that has just ended told the status of the invoice, or that there is no such invoice.
 * - While a payer views the invoice: every `fastMs`.
 * - While nobody views it: after a twentieth of its age, but at least `slowMs` and at most `slowestMs`.
 * - In both cases: also at the deadline and at the end of the grace period. Between these two times late payments arrive, so
 *   the interval is at most five seconds.
 * - After it has failed or expired: whenever the time since its end has doubled, until `lateMs`; every `slowMs` while its end is
 *   in the future, because the clock was set back. When the fetch at `lateMs` did not tell its status, it is repeated after a
 *   twentieth of the time since its end, until `endlessMs`.
 * - Without a deadline: at least once an hour, until `endlessMs`.
 */
export function nextFetchAt(
  invoice: FetchedAttempt,
  now: number,
  isViewed: boolean,
  timing: Timing,
  isStatusTold = true,
): number | null {
  if (isPaidOutcome(invoice.outcome)) return null;
  if (!isOpenOutcome(invoice.outcome)) return nextLateFetchAt(invoice, now, timing, isStatusTold);
  const { createdAt, expiresAt } = invoice;
  const ageMs = now - createdAt;
  const maxPauseMs = expiresAt === null ? Math.max(timing.slowestMs, ageMs / 20) : timing.slowestMs;
  const isInGrace = expiresAt !== null && now >= expiresAt && now < expiresAt + timing.graceMs;
  const usualPauseMs = isViewed ? timing.fastMs : clamp(timing.slowMs, ageMs / 20, Math.min(maxPauseMs, 3_600_000));
  const pauseMs = isInGrace ? Math.min(usualPauseMs, maxGraceIntervalMs) : usualPauseMs;
  if (expiresAt === null) return ageMs > timing.endlessMs ? null : now + pauseMs;
  if (now > expiresAt + timing.lateMs) return null;
  const fixedTimes = [expiresAt, expiresAt + timing.graceMs].filter((time) => time > now);
  return Math.min(now + pauseMs, ...fixedTimes);
}

/** When an invoice that has failed or expired is fetched next; null: never. */
function nextLateFetchAt(
  { createdAt, expiresAt }: FetchedAttempt,
  now: number,
  { fastMs, slowMs, lateMs, endlessMs }: Timing,
  isStatusTold: boolean,
): number | null {
  const endedAt = expiresAt !== null && expiresAt <= now ? expiresAt : createdAt;
  const elapsedMs = now - endedAt;
  if (elapsedMs < 0) return now + slowMs;
  if (elapsedMs < lateMs) return endedAt + Math.min(Math.max(2 * elapsedMs, elapsedMs + fastMs), lateMs);
  return isStatusTold || elapsedMs >= endlessMs ? null : now + Math.max(slowMs, elapsedMs / 20);
}

/** The pause in milliseconds before a create in doubt is repeated, after `callCount` calls. */
function retryDelay(callCount: number, random: number): number {
  const maxDelayMs = Math.min(2000 * 2 ** Math.min(callCount - 1, 20), 300_000);
  return maxDelayMs * (0.5 + random / 2);
}

/** How long a create in doubt is repeated, in milliseconds. */
export const repeatForMs = 86_400_000;

/**
 * When a create in doubt is repeated next. It is repeated for a day, even after the payer has requested another invoice. The
 * last repeat is at the end of that day; after the last repeat, the result is null.
 */
export function retryAt(
  attempt: { readonly createdAt: number; readonly callCount: number },
  now: number,
  random: number,
): number | null {
  const lastRepeatAt = attempt.createdAt + repeatForMs;
  return now >= lastRepeatAt ? null : Math.min(lastRepeatAt, now + Math.round(retryDelay(attempt.callCount, random)));
}

/** Rounds a time up to the next poll tick, so that invoices that are due at one tick are fetched together. */
export function alignToTick(time: number, tickMs: number): number {
  return Math.ceil(time / tickMs) * tickMs;
}

/** The clock that a schedule is computed with (`ServerTime`). */
interface ScheduleTime {
  now(): number;
  deadlineNow(): number;
  elapsedMs(since: number): number;
}

/**
 * The poll tick at which an invoice that was fetched at `requestedAt` is due again; null: only a webhook makes it due.
 * `viewedUntil`: the stored time until which payers view it; null: never stored. `isStatusTold`: as in `nextFetchAt`.
 */
export function nextFetchTick(
  attempt: FetchedAttempt,
  requestedAt: number,
  viewedUntil: number | null,
  isStatusTold: boolean,
  { time, timing }: { readonly time: ScheduleTime; readonly timing: Timing },
): number | null {
  const { fastMs } = timing;
  const now = time.now();
  const fetchedAt = Math.max(requestedAt, now - fastMs / 2);
  const expiresAt = attempt.expiresAt === null ? null : attempt.expiresAt - (time.deadlineNow() - now);
  const createdAt = now - time.elapsedMs(attempt.createdAt);
  const isViewed = (viewedUntil ?? 0) > now;
  const fetchAt = nextFetchAt({ ...attempt, createdAt, expiresAt }, fetchedAt, isViewed, timing, isStatusTold);
  if (fetchAt === null) return null;
  // Rounds to the next tick, unless the invoice was fetched less than an eighth of a tick ago.
  const isAtNextTick = fetchAt <= fetchedAt + fastMs;
  return alignToTick(isAtNextTick ? Math.max(requestedAt + fastMs / 8, now) : fetchAt - fastMs / 2, fastMs);
}

/**
 * When a webhook or a check makes the unpaid invoices of a checkout due: a second after the last fetch, or a second from now
 * when one of them may be fetched at the moment, because that fetch may have begun before the payment. undefined: they are due
 * by then anyway.
 */
export function requestedFetchAt(
  unpaid: readonly Pick<InvoiceAttempt, 'runAt' | 'checkedAt'>[],
  now: number,
): number | undefined {
  const isDue = (runAt: number | null): boolean => runAt !== null && runAt <= now;
  const earliest = unpaid.map(({ runAt, checkedAt }) => (isDue(runAt) ? now : (checkedAt ?? 0)) + minFetchIntervalMs);
  const at = Math.max(now, ...earliest);
  return unpaid.some(({ runAt }) => runAt === null || isDue(runAt) || runAt > at) ? at : undefined;
}
