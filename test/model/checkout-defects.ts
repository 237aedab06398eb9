// Decisions with one defect each. The exploration must find each defect, which shows that it can fail.
import type { CheckoutRecord } from '../../src/server-internals.ts';
import { recreateCheckout } from '../../src/server/domain/merchant-changes.ts';
import { invoicesOf, withAttempt } from '../../src/server/domain/checkout-status.ts';
import { decisions, type Decisions } from './checkout-steps.ts';

export interface Defect {
  readonly name: string;
  readonly decisions: Decisions;
  /** Matches the rule that the exploration must report as broken. */
  readonly rule: RegExp;
}

const {
  decideCreateRequest,
  claimCreate,
  applyCreatedInvoice,
  applyCreateFailure,
  applyFetchedStatus,
  outcomesBetween,
} = decisions;

/** Applies fetched statuses as if the model's unlisted status word were in one of the lists. */
const withUnlistedWordIn =
  (list: 'pending' | 'failed'): typeof applyFetchedStatus =>
  (record, externalId, fetch, { statuses, ...rules }, nextRun, now) => {
    const changedStatuses = { ...statuses, [list]: [...statuses[list], 'HELD_BY_BANK'] };
    return applyFetchedStatus(record, externalId, fetch, { ...rules, statuses: changedStatuses }, nextRun, now);
  };

export const defects: readonly Defect[] = [
  {
    name: 'a payment is told again after a person has decided that it pays the order',
    rule: /a further payment is not reported exactly once/,
    decisions: {
      ...decisions,
      outcomesBetween: (before, after, now) => {
        const outcomes = outcomesBetween(before, after, now);
        const paid = invoicesOf(after).find(({ externalId }) => externalId === before.paidExternalId);
        const attempts = before.attempts.map((attempt) => ({ ...attempt, resolution: null }));
        return paid?.resolution?.as === 'paid' && paid.outcome === 'paid' && outcomes.length === 0
          ? outcomesBetween({ ...before, paidExternalId: 'another', attempts }, after, now)
          : outcomes;
      },
    },
  },
  {
    name: 'an invoice is created after the merchant has closed the checkout',
    rule: /closed checkout gets no new invoice/,
    decisions: {
      ...decisions,
      decideCreateRequest: (record, ...remainingArguments) =>
        decideCreateRequest({ ...record, closedAt: null }, ...remainingArguments),
    },
  },
  {
    name: 'create opens what the merchant has closed',
    rule: /create opens a closed checkout/,
    decisions: {
      ...decisions,
      recreateCheckout: (record, ...remainingArguments) => ({
        ...recreateCheckout(record, ...remainingArguments),
        closedAt: null,
      }),
    },
  },
  {
    name: 'an invoice is created after the end of the checkout',
    rule: /closed checkout gets no new invoice/,
    decisions: {
      ...decisions,
      decideCreateRequest: (record, ...remainingArguments) =>
        decideCreateRequest({ ...record, params: { ...record.params, expiresAt: null } }, ...remainingArguments),
    },
  },
  {
    name: 'a closed checkout does not become paid',
    rule: /also after it was closed/,
    decisions: {
      ...decisions,
      deriveStatus: (record, now) =>
        record.closedAt !== null && record.paidExternalId !== null ? 'closed' : decisions.deriveStatus(record, now),
    },
  },
  {
    name: 'a checkout is closed although its invoice is pending',
    rule: /can still be paid \(checkout-api/,
    decisions: {
      ...decisions,
      deriveStatus: (record, now) =>
        record.closedAt !== null && record.paidExternalId === null ? 'closed' : decisions.deriveStatus(record, now),
    },
  },
  {
    name: 'a second invoice is created although the payer did not request to replace the first',
    rule: /without `replace`/,
    decisions: {
      ...decisions,
      decideCreateRequest: (record, request, now, leaseMs) => {
        const decision = decideCreateRequest(record, request, now, leaseMs);
        return decision.kind === 'invoice_pending' ? { kind: 'new' } : decision;
      },
    },
  },
  {
    name: 'an invoice is created for a checkout that is paid',
    rule: /is paid gets no new invoice/,
    decisions: {
      ...decisions,
      decideCreateRequest: (record, request, now, leaseMs) =>
        decideCreateRequest({ ...record, paidExternalId: null }, request, now, leaseMs),
    },
  },
  {
    name: 'a rejected create is repeated',
    rule: /result is known is not repeated/,
    decisions: {
      ...decisions,
      claimCreate(record, externalId, now, leaseMs) {
        const attempts = record.attempts.map((attempt) =>
          attempt.state === 'rejected' ? { ...attempt, state: 'creating' as const } : attempt,
        );
        return claimCreate({ ...record, attempts }, externalId, now, leaseMs);
      },
    },
  },
  {
    name: 'a repeat requests the QR code again',
    rule: /requests the QR code/,
    decisions: {
      ...decisions,
      claimCreate(record, externalId, now, leaseMs) {
        const claim = claimCreate(record, externalId, now, leaseMs);
        if (claim === undefined) return undefined;
        const { attempt } = claim;
        return { ...claim, attempt: { ...attempt, request: { ...attempt.request, qr: { generate: true } } } };
      },
    },
  },
  {
    name: 'a create whose response is lost counts as one that was not done',
    rule: /as if the service had certainly done nothing/,
    decisions: {
      ...decisions,
      applyCreateFailure: (record, externalId, error, times) =>
        applyCreateFailure(record, externalId, { ...error, failure: 'unavailable' }, times),
    },
  },
  {
    name: 'a create whose process has died counts as one that was not done',
    rule: /as if the service had certainly done nothing/,
    decisions: {
      ...decisions,
      claimCreate(record, externalId, now, leaseMs) {
        const claim = claimCreate(record, externalId, now, leaseMs);
        const state = record.attempts.find((attempt) => attempt.externalId === externalId)?.state;
        return claim && state === 'creating' ? { ...claim, attempt: { ...claim.attempt, state } } : claim;
      },
    },
  },
  {
    name: 'the invoice of a late response is dropped',
    rule: /exists is not stored/,
    decisions: {
      ...decisions,
      applyCreatedInvoice: (record, externalId, invoice, times) =>
        invoicesOf(record).some((attempt) => attempt.externalId === externalId)
          ? { kind: 'unchanged', record }
          : applyCreatedInvoice(record, externalId, invoice, times),
    },
  },
  {
    name: 'the response to an older fetch is applied',
    rule: /exactly one of its paid invoices/,
    decisions: {
      ...decisions,
      applyFetchedStatus(record, externalId, fetch, rules, nextRun, now) {
        const update = applyFetchedStatus(record, externalId, fetch, rules, nextRun, now);
        const attempt = update && invoicesOf(update.record).find((candidate) => candidate.externalId === externalId);
        if (update === undefined || attempt === undefined || fetch.fetched?.status !== 'PENDING') return update;
        return { ...update, record: withAttempt(update.record, { ...attempt, outcome: 'pending' }) };
      },
    },
  },
  {
    name: 'an invoice expires at its deadline, without a grace period',
    rule: /before its grace period/,
    decisions: {
      ...decisions,
      applyFetchedStatus: (record, externalId, fetch, rules, nextRun, now) =>
        applyFetchedStatus(
          record,
          externalId,
          fetch,
          { ...rules, timing: { ...rules.timing, graceMs: 0 } },
          nextRun,
          now,
        ),
    },
  },
  {
    name: 'a word in no list counts as pending',
    rule: /unlisted status word/,
    decisions: {
      ...decisions,
      applyFetchedStatus: withUnlistedWordIn('pending'),
    },
  },
  {
    name: 'a word in no list counts as failed',
    rule: /that has not failed/,
    decisions: {
      ...decisions,
      applyFetchedStatus: withUnlistedWordIn('failed'),
    },
  },
  {
    name: 'the failure or expiry of another invoice is reported after a payment',
    rule: /not reported after paid/,
    decisions: {
      ...decisions,
      // Derives the outcomes as if the record were unpaid and had only this invoice.
      outcomesBetween: (before, after, now) =>
        after.attempts.flatMap(({ externalId }) => {
          const alone = (record: CheckoutRecord): CheckoutRecord => ({
            ...record,
            paidExternalId: null,
            attempts: record.attempts.filter((attempt) => attempt.externalId === externalId),
          });
          const ends = outcomesBetween(alone(before), alone(after), now);
          const outcomes = outcomesBetween(before, after, now).filter((outcome) => outcome.externalId === externalId);
          return outcomes.length > 0 ? outcomes : ends.filter(({ kind }) => kind === 'failed' || kind === 'expired');
        }),
    },
  },
  {
    name: 'failed and expired are reported only for the attempt that is current at that moment',
    rule: /fails or expires, and the shop is not notified/,
    decisions: {
      ...decisions,
      outcomesBetween: (before, after, now) =>
        outcomesBetween(before, after, now).filter(
          ({ kind, externalId }) =>
            (kind !== 'failed' && kind !== 'expired') ||
            invoicesOf(before).every((known) => known.externalId !== externalId || known.outcome !== kind),
        ),
    },
  },
  {
    name: 'a create in doubt is given up without an outcome',
    rule: /given up is reported/,
    decisions: {
      ...decisions,
      outcomesBetween: (...args) => outcomesBetween(...args).filter(({ kind }) => kind !== 'create_unresolved'),
    },
  },
  {
    name: 'a create in doubt is given up after its first failure',
    rule: /repeated for a day/,
    decisions: {
      ...decisions,
      applyCreateFailure: (record, externalId, error, times) =>
        applyCreateFailure(record, externalId, error, { ...times, retryAt: null }),
    },
  },
  {
    name: 'a second payment is reported as the first',
    rule: /paid is reported once/,
    decisions: {
      ...decisions,
      outcomesBetween: (...args) =>
        outcomesBetween(...args).map((outcome) =>
          outcome.kind === 'duplicate_payment' ? { ...outcome, kind: 'paid' } : outcome,
        ),
    },
  },
];
