import {
  attemptOf,
  expectedAmountOf,
  hasInvoice,
  isOpenOutcome,
  isPaidOutcome,
  modeOf,
  withAttempt,
} from './checkout-status.ts';
import type { InvoiceAttempt, InvoiceOutcome } from '../ports/attempt.ts';
import type { CheckoutRecord, DueInvoice } from '../ports/checkout-store.ts';
import { compareDecimals, type FetchedInvoice, type Mode, parseServiceTimestamp } from '../../service-api.ts';
import type { Timing } from '../timing-and-limit-defaults.ts';

/**
 * Whether a fetched invoice has another `external_id` than the attempt sent: it pays another order. The identifier of an attempt
 * for a second invoice ends with `~` and a number, which the service does not know.
 */
export function isOfOtherAttempt({ external_id }: FetchedInvoice, externalId: string): boolean {
  return external_id !== undefined && external_id !== externalId.split('~')[0];
}

/** The result of a fetch for one invoice. Times are milliseconds since 1970. */
export interface FetchResult {
  /** undefined: the response did not contain this invoice. */
  readonly fetched: FetchedInvoice | undefined;
  /** The service refused this identifier, which says nothing about the invoice: it never expires by time because of it. */
  readonly isUnreadable?: boolean;
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
type KnownStatus = Pick<DueInvoice, 'outcome' | 'expiresAt' | 'serviceStatus' | 'checkedAt'>;

/**
 * The outcome of an attempt after a fetch. `paid` is final, even from a response that is older than the last one. An invoice
 * that failed or expired never becomes pending again; the service can only report another final status. A pending invoice
 * expires by time when a fetch after its deadline and the grace period returned a pending word, or did not return the invoice.
 */
function outcomeAfter(
  known: KnownStatus,
  { fetched, isUnreadable, requestedAt, deadlineNow }: FetchResult,
  { statuses, timing }: Pick<StatusRules, 'statuses' | 'timing'>,
): InvoiceOutcome {
  if (isPaidOutcome(known.outcome) || isUnreadable === true) return known.outcome;
  const meaning = fetched === undefined ? 'pending' : readStatus(fetched.status, statuses);
  if (meaning === 'paid') return 'paid';
  if (isOlderResult(known, requestedAt) || meaning === 'unlisted') return known.outcome;
  if (meaning !== 'pending') return meaning;
  return isOpenOutcome(known.outcome) && isExpired(known, fetched, deadlineNow, timing) ? 'expired' : known.outcome;
}

function isOlderResult({ checkedAt }: KnownStatus, requestedAt: number): boolean {
  return requestedAt < (checkedAt ?? 0);
}

/** The outcome of an invoice that is fetched next at `runAt`: an open invoice that is not polled any more is `unresolved`. */
export function outcomeWhenPolledNext(outcome: InvoiceOutcome, runAt: number | null): InvoiceOutcome {
  if (!isOpenOutcome(outcome)) return outcome;
  return runAt === null ? 'unresolved' : 'pending';
}

/** Whether a fetch changes more than the time of the next fetch. */
export function changesCheckout(
  known: KnownStatus,
  result: FetchResult,
  rules: Pick<StatusRules, 'statuses' | 'timing'>,
): boolean {
  if (outcomeAfter(known, result, rules) !== known.outcome) return true;
  const { fetched, requestedAt } = result;
  if (fetched === undefined || isOlderResult(known, requestedAt)) return false;
  const hasNewWord = fetched.status !== undefined && fetched.status !== known.serviceStatus;
  return hasNewWord || deadlineAfter(known, fetched) !== known.expiresAt;
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
  const { fetched, requestedAt } = result;
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
  const changedAttempt: InvoiceAttempt = {
    ...attempt,
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
    checkedAt: Math.max(requestedAt, attempt.checkedAt ?? 0),
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

/**
 * Removes a deadline that is before the request for the invoice, such as the zero of a date type, or a local time that is
 * marked as UTC. An invoice without a deadline has no countdown and does not expire by time.
 * @param requestedAt - when the invoice was requested, on the clock that its deadline is compared with
 */
export function withoutImpossibleDeadline<T extends { readonly expires_at?: string | undefined }>(
  invoice: T,
  requestedAt: number,
): T {
  const deadline = invoice.expires_at === undefined ? undefined : parseServiceTimestamp(invoice.expires_at);
  return deadline === undefined || deadline > requestedAt ? invoice : { ...invoice, expires_at: undefined };
}

/**
 * What the service's status words mean. The service's specification names only two words (section 3). Case is ignored. A word
 * in none of the lists never ends an invoice: the checkout stays `pending`, even after the deadline.
 */
export interface StatusLists {
  readonly paid: readonly string[];
  readonly failed: readonly string[];
  readonly expired: readonly string[];
  /** Only an invoice with one of these words expires by time: after its deadline and `timing.graceMs`. */
  readonly pending: readonly string[];
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
