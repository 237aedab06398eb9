import { alignToTick } from '../../base/clock.ts';
import {
  attemptOf,
  expectedAmountOf,
  hasInvoice,
  isOpenOutcome,
  isPaidOutcome,
  modeOf,
  withAttempt,
} from './checkout-status.ts';
import { sentExternalId } from './identifiers.ts';
import type { InvoiceAttempt, InvoiceOutcome, StatusLists } from '../ports/invoice-attempt.ts';
import type { CheckoutRecord, DueInvoice } from '../ports/checkout-store.ts';
import { compareDecimals, type FetchedInvoice, type Mode, parseServiceTimestamp } from '../../service-api.ts';
import type { Timing } from '../timing-and-limit-defaults.ts';

/** Whether a fetched invoice has another `external_id` than the attempt sent: it pays another order. */
export function isOfOtherAttempt({ external_id }: FetchedInvoice, externalId: string): boolean {
  return external_id !== undefined && external_id !== sentExternalId(externalId);
}

/** Whether a fetched invoice of another request was made for this checkout too: the service may return one for two requests. */
export function isOfSameCheckout(record: CheckoutRecord, { fetched, isForeign = false }: FetchResult): boolean {
  return isForeign && fetched?.external_id !== undefined && attemptOf(record, fetched.external_id) !== undefined;
}

/** The result of a fetch for one invoice. Times are milliseconds since 1970. */
export interface FetchResult {
  /** undefined: the response did not contain this invoice. */
  readonly fetched: FetchedInvoice | undefined;
  /** The service refused this identifier, which says nothing about the invoice: it never expires by time because of it. */
  readonly isUnreadable?: boolean;
  /** `fetched` has the `external_id` of another request: it neither pays nor ends this attempt, and is shown no longer. */
  readonly isForeign?: boolean;
  /** When the fetch started. */
  readonly requestedAt: number;
  /** The same moment as `requestedAt`, on the clock that the deadline is compared with. */
  readonly deadlineNow: number;
}

export interface StatusRules {
  readonly statuses: StatusLists;
  readonly timing: GraceTiming;
  /** The mode of the server. */
  readonly mode: Mode;
}

/** The members of an attempt from which its next outcome is computed. */
type KnownStatus = Pick<DueInvoice, 'outcome' | 'expiresAt' | 'serviceStatus' | 'answeredAt' | 'checkedAt'>;

/**
 * The outcome of an attempt after a fetch. `paid` is final, even from a response that is older than the last one. An invoice
 * that failed or expired never becomes pending again; the service can only report another final status. A pending invoice
 * expires by time when a fetch after its deadline and the grace period returned a pending word, or did not return the invoice.
 */
function outcomeAfter(
  known: KnownStatus,
  { fetched, isUnreadable, isForeign, requestedAt, deadlineNow }: FetchResult,
  { statuses, timing }: Pick<StatusRules, 'statuses' | 'timing'>,
): InvoiceOutcome {
  if (isPaidOutcome(known.outcome) || isUnreadable === true || isForeign === true) return known.outcome;
  const meaning = fetched === undefined ? 'pending' : readStatus(fetched.status, statuses);
  if (meaning === 'paid') return 'paid';
  if (isOlderResult(known, requestedAt) || meaning === 'unlisted') return known.outcome;
  if (meaning !== 'pending') return meaning;
  return isOpenOutcome(known.outcome) && isExpired(known, fetched, deadlineNow, timing) ? 'expired' : known.outcome;
}

/** No fetch takes so long, in milliseconds: a last fetch that began later than this one by more was noted by a clock that was ahead. */
const longestFetchMs = 60_000;

function isOlderResult({ answeredAt }: KnownStatus, requestedAt: number): boolean {
  return answeredAt !== null && requestedAt < answeredAt && answeredAt <= requestedAt + longestFetchMs;
}

/** The outcome of an invoice that is fetched next at `runAt`: an open invoice that is not polled any more is `unresolved`. */
export function outcomeWhenPolledNext(outcome: InvoiceOutcome, runAt: number | null): InvoiceOutcome {
  if (!isOpenOutcome(outcome)) return outcome;
  return runAt === null ? 'unresolved' : 'pending';
}

/** Whether a fetch changes more than the time of the next fetch. */
export function changesCheckout(
  known: KnownStatus & Pick<DueInvoice, 'isHidden'>,
  result: FetchResult,
  rules: Pick<StatusRules, 'statuses' | 'timing'>,
): boolean {
  if (result.isForeign === true) return !known.isHidden && isOpenOutcome(known.outcome);
  if (outcomeAfter(known, result, rules) !== known.outcome) return true;
  const { fetched, requestedAt } = result;
  if (fetched === undefined || isOlderResult(known, requestedAt)) return false;
  const hasNewWord = fetched.status !== undefined && fetched.status !== known.serviceStatus;
  return hasNewWord || deadlineAfter(known, fetched) !== known.expiresAt;
}

/** Whether an answer told the status of the invoice that was asked for: one without it, or with another one, did not. */
const isChecked = ({ fetched, isForeign }: Pick<FetchResult, 'fetched' | 'isForeign'>): boolean =>
  fetched?.status !== undefined && isForeign !== true;

/** When an invoice was last asked about and checked, after an answer that is not older than the last one. */
export function timesAfter(
  { checkedAt }: Pick<KnownStatus, 'checkedAt'>,
  result: FetchResult,
): Pick<InvoiceAttempt, 'answeredAt' | 'checkedAt'> {
  const { requestedAt } = result;
  return { answeredAt: requestedAt, checkedAt: isChecked(result) ? requestedAt : checkedAt };
}

/** How many status words of an invoice are kept. */
const maxStatusChanges = 50;

/** The checkout after a fetch. */
export interface StatusUpdate {
  readonly record: CheckoutRecord;
  /** Whether the fetched amount differs from the requested amount. */
  readonly hasAmountMismatch: boolean;
}

/**
 * Applies the result of a fetch to one attempt. `nextRunAt` computes when the changed attempt is fetched next. Returns
 * undefined when the checkout has no such attempt.
 */
export function applyFetchedStatus(
  record: CheckoutRecord,
  externalId: string,
  result: FetchResult,
  rules: StatusRules,
  nextRunAt: (attempt: InvoiceAttempt) => number | null,
  now: number,
): StatusUpdate | undefined {
  const attempt = attemptOf(record, externalId);
  if (attempt === undefined || !hasInvoice(attempt)) return undefined;
  const { requestedAt, isForeign = false } = result;
  const fetched = isForeign ? undefined : result.fetched;
  const amount = fetched?.amount ?? attempt.invoice.amount;
  const hasAmountMismatch = compareDecimals(amount, attempt.amount) !== 0;
  const newOutcome = outcomeAfter(attempt, result, rules);
  const isNewPayment = newOutcome === 'paid' && attempt.outcome !== 'paid';
  const isOtherMode = modeOf(attempt) !== rules.mode;
  const outcome = !isNewPayment
    ? newOutcome
    : isOtherMode
      ? 'test_payment'
      : hasAmountMismatch || compareDecimals(amount, expectedAmountOf(record, attempt)) !== 0
        ? 'amount_mismatch'
        : 'paid';
  const isOlderResponse = isOlderResult(attempt, requestedAt);
  const serviceStatus = isOlderResponse ? attempt.serviceStatus : (fetched?.status ?? attempt.serviceStatus);
  const mayBeShown = !isForeign || attempt.state === 'hidden' || !isOpenOutcome(attempt.outcome);
  const changedAttempt: InvoiceAttempt = {
    ...(mayBeShown ? attempt : { ...attempt, state: 'hidden', reason: 'mismatch' }),
    outcome,
    paidAmount: isNewPayment ? amount : attempt.paidAmount,
    serviceStatus,
    statusHistory:
      serviceStatus === null || serviceStatus === attempt.serviceStatus
        ? attempt.statusHistory
        : [...attempt.statusHistory, { at: now, status: serviceStatus }].slice(-maxStatusChanges),
    // The money has come after all.
    resolution: isNewPayment && attempt.resolution?.as === 'void' ? null : attempt.resolution,
    expiresAt: isOlderResponse ? attempt.expiresAt : deadlineAfter(attempt, fetched),
    ...(isOlderResponse ? {} : timesAfter(attempt, result)),
  };
  const runAt = nextRunAt(changedAttempt);
  const nextRecord = withAttempt(record, { ...changedAttempt, runAt, outcome: outcomeWhenPolledNext(outcome, runAt) });
  const isFirstPayment = outcome === 'paid' && record.paidExternalId === null;
  return {
    record: isFirstPayment ? { ...nextRecord, paidExternalId: externalId, paidAt: now } : nextRecord,
    hasAmountMismatch,
  };
}

type KnownDeadline = Pick<DueInvoice, 'expiresAt'>;

type GraceTiming = Pick<Timing, 'graceMs'>;

/** The least grace period of an invoice that is missing from the service's responses, in milliseconds. */
export const missingGraceMs = 600_000;

/** A fetched deadline that differs by less than this counts as unchanged. */
const sameDeadlineMs = 1000;

/**
 * Whether an unpaid invoice has expired by time: its deadline and the grace period after the deadline have passed.
 * @param fetched - undefined where the response did not contain the invoice
 * @param deadlineNow - when the fetch started, on the clock that the deadline is compared with
 */
function isExpired(
  known: KnownDeadline,
  fetched: FetchedInvoice | undefined,
  deadlineNow: number,
  timing: GraceTiming,
): boolean {
  const expiresAt = deadlineAfter(known, fetched);
  const grace = fetched === undefined ? Math.max(timing.graceMs, missingGraceMs) : timing.graceMs;
  return expiresAt !== null && deadlineNow >= expiresAt + grace;
}

/**
 * The deadline of an invoice after a fetch: the fetched deadline, unless it is unreadable or unchanged. Milliseconds since
 * 1970.
 */
function deadlineAfter({ expiresAt }: KnownDeadline, fetched: FetchedInvoice | undefined): number | null {
  const deadline = fetched?.expires_at === undefined ? undefined : parseServiceTimestamp(fetched.expires_at);
  if (deadline === undefined) return expiresAt;
  return expiresAt !== null && Math.abs(deadline - expiresAt) < sameDeadlineMs ? expiresAt : deadline;
}

export const defaultStatuses: StatusLists = {
  paid: ['PAID'],
  failed: ['FAILED'],
  expired: ['EXPIRED'],
  pending: ['PENDING'],
};

const meanings = ['paid', 'failed', 'expired', 'pending'] as const;

/** The first word that is in two lists, with the names of the lists; undefined when there is no such word. */
export function repeatedStatus(
  lists: StatusLists,
):
  { readonly word: string; readonly meaning: keyof StatusLists; readonly otherMeaning: keyof StatusLists } | undefined {
  const meaningByWord = new Map<string, keyof StatusLists>();
  for (const meaning of meanings)
    for (const word of lists[meaning].map((text) => text.trim().toLowerCase())) {
      const otherMeaning = meaningByWord.get(word);
      if (otherMeaning !== undefined && otherMeaning !== meaning) return { word, meaning, otherMeaning };
      meaningByWord.set(word, meaning);
    }
  return undefined;
}

/** What a status word means. `unlisted`: the word is in none of the lists, or it is missing or empty. */
export function readStatus(status: string | undefined, statuses: StatusLists): InvoiceOutcome | 'unlisted' {
  const word = status?.trim().toLowerCase() ?? '';
  if (word === '') return 'unlisted';
  return meanings.find((meaning) => statuses[meaning].some((known) => known.toLowerCase() === word)) ?? 'unlisted';
}

/** Whether a status is a word that is in none of the lists. An empty status is not a word. */
export function isUnlistedStatus(status: string, statuses: StatusLists): boolean {
  return status.trim() !== '' && readStatus(status, statuses) === 'unlisted';
}

// When an invoice is fetched next. Times are in milliseconds since 1970.

/** Webhooks and checks cause at most one fetch of an invoice in this time, in milliseconds. */
const minFetchIntervalMs = 1000;

/** How long an invoice without a deadline is polled, and one whose end the service does not tell, in milliseconds. */
export const endlessMs = 7 * 24 * 3_600_000;

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
  if (expiresAt === null) return ageMs > endlessMs ? null : now + pauseMs;
  if (now > expiresAt + timing.lateMs) return null;
  const fixedTimes = [expiresAt, expiresAt + timing.graceMs].filter((time) => time > now);
  return Math.min(now + pauseMs, ...fixedTimes);
}

/** When an invoice that has failed or expired is fetched next; null: never. */
function nextLateFetchAt(
  { createdAt, expiresAt }: FetchedAttempt,
  now: number,
  { fastMs, slowMs, lateMs }: Timing,
  isStatusTold: boolean,
): number | null {
  const endedAt = expiresAt !== null && expiresAt <= now ? expiresAt : createdAt;
  const elapsedMs = now - endedAt;
  if (elapsedMs < 0) return now + slowMs;
  if (elapsedMs < lateMs) return endedAt + Math.min(Math.max(2 * elapsedMs, elapsedMs + fastMs), lateMs);
  return isStatusTold || elapsedMs >= endlessMs ? null : now + Math.max(slowMs, elapsedMs / 20);
}

/** The clock that a schedule is computed with (`ServerTime`). */
interface ScheduleTime {
  now(): number;
  serviceNow(): number;
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
  const expiresAt = attempt.expiresAt === null ? null : attempt.expiresAt - (time.serviceNow() - now);
  const createdAt = now - time.elapsedMs(attempt.createdAt);
  const isViewed = (viewedUntil ?? 0) > now;
  const fetchAt = nextFetchAt({ ...attempt, createdAt, expiresAt }, fetchedAt, isViewed, timing, isStatusTold);
  if (fetchAt === null) return null;
  // Rounds to the next tick, unless the invoice was fetched less than an eighth of a tick ago.
  const isAtNextTick = fetchAt <= fetchedAt + fastMs;
  return alignToTick(isAtNextTick ? Math.max(requestedAt + fastMs / 8, now) : fetchAt - fastMs / 2, fastMs);
}

/**
 * Whether an invoice was fetched since that moment. A fetch that is later than now, because the clock was set back, does not
 * count: it may have been at any time.
 */
export function wasFetchedSince(
  { answeredAt }: Pick<InvoiceAttempt, 'answeredAt'>,
  since: number,
  now: number,
): boolean {
  return answeredAt !== null && answeredAt >= since && answeredAt <= now;
}

/**
 * When a webhook or a check makes the unpaid invoices of a checkout due: a second after the last fetch, or a second from now
 * when one of them may be fetched at the moment, because that fetch may have begun before the payment. undefined: they are due
 * by then anyway.
 */
export function requestedFetchAt(
  unpaid: readonly Pick<InvoiceAttempt, 'runAt' | 'answeredAt'>[],
  now: number,
): number | undefined {
  const isDue = (runAt: number | null): boolean => runAt !== null && runAt <= now;
  const earliest = unpaid.map(
    ({ runAt, answeredAt }) => (isDue(runAt) ? now : Math.min(answeredAt ?? 0, now)) + minFetchIntervalMs,
  );
  const at = Math.max(now, ...earliest);
  return unpaid.some(({ runAt }) => runAt === null || isDue(runAt) || runAt > at) ? at : undefined;
}
