// Decisions with a defect each: an exploration that finds nothing in one of them is not able to fail.
import { withAttempt } from '../../src/server/domain/create-attempts.ts';
import { decisions, type Decisions } from './steps.ts';

export interface Defect {
  readonly name: string;
  readonly decisions: Decisions;
  /** A part of the rule that the exploration must report. */
  readonly rule: RegExp;
}

const { decideCreateRequest, claimCreate, applyCreatedInvoice, applyCreateFailure, applyFetchedStatus } = decisions;

export const defects: readonly Defect[] = [
  {
    name: 'an invoice is created after the merchant has closed the checkout',
    rule: /closed checkout \(checkout-api/,
    decisions: {
      ...decisions,
      decideCreateRequest: (record, ...rest) => decideCreateRequest({ ...record, closedAt: null }, ...rest),
    },
  },
  {
    name: 'an invoice is created after the end of the checkout',
    rule: /closed checkout \(checkout-api/,
    decisions: {
      ...decisions,
      decideCreateRequest: (record, ...rest) =>
        decideCreateRequest({ ...record, params: { ...record.params, expiresAt: null } }, ...rest),
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
    name: 'a checkout is closed although its invoice waits',
    rule: /can still be paid \(checkout-api/,
    decisions: {
      ...decisions,
      deriveStatus: (record, now) =>
        record.closedAt !== null && record.paidExternalId === null ? 'closed' : decisions.deriveStatus(record, now),
    },
  },
  {
    name: 'a second invoice is created without being asked for',
    rule: /row 1\)/,
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
    rule: /row 12\)/,
    decisions: {
      ...decisions,
      decideCreateRequest: (record, request, now, leaseMs) =>
        decideCreateRequest({ ...record, paidExternalId: null }, request, now, leaseMs),
    },
  },
  {
    name: 'a rejected create is repeated',
    rule: /row 52\)/,
    decisions: {
      ...decisions,
      claimCreate(record, externalId, now, leaseMs) {
        const attempts = record.attempts.map((attempt) =>
          attempt.stage === 'rejected' ? { ...attempt, stage: 'in_doubt' as const } : attempt,
        );
        return claimCreate({ ...record, attempts }, externalId, now, leaseMs);
      },
    },
  },
  {
    name: 'a repeat asks for the QR code again',
    rule: /row 40\)/,
    decisions: {
      ...decisions,
      claimCreate(record, externalId, now, leaseMs) {
        const claimed = claimCreate(record, externalId, now, leaseMs);
        if (claimed === undefined) return undefined;
        const { attempt } = claimed;
        return { ...claimed, attempt: { ...attempt, request: { ...attempt.request, qr: { generate: true } } } };
      },
    },
  },
  {
    name: 'the invoice of a late answer is dropped',
    rule: /row 53\)/,
    decisions: {
      ...decisions,
      applyCreatedInvoice: (record, externalId, invoice, runs) =>
        record.attempts.some((attempt) => attempt.externalId === externalId && attempt.stage === 'created')
          ? { kind: 'unchanged', record }
          : applyCreatedInvoice(record, externalId, invoice, runs),
    },
  },
  {
    name: 'a stale answer is applied',
    rule: /row/,
    decisions: {
      ...decisions,
      applyFetchedStatus(record, externalId, fetch, rules, nextRun, now) {
        const update = applyFetchedStatus(record, externalId, fetch, rules, nextRun, now);
        const attempt = update?.record.attempts.find((one) => one.externalId === externalId);
        if (update === undefined || attempt === undefined || fetch.fetched?.status !== 'PENDING') return update;
        return { ...update, record: withAttempt(update.record, { ...attempt, outcome: 'pending' }) };
      },
    },
  },
  {
    name: 'an invoice expires at its deadline, without a grace period',
    rule: /row 39\)/,
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
    rule: /row 38\)/,
    decisions: {
      ...decisions,
      applyFetchedStatus: (record, externalId, fetch, { statuses, timing }, nextRun, now) =>
        applyFetchedStatus(
          record,
          externalId,
          fetch,
          { statuses: { ...statuses, pending: [...statuses.pending, 'HELD_BY_BANK'] }, timing },
          nextRun,
          now,
        ),
    },
  },
  {
    name: 'a word in no list counts as failed',
    rule: /row 11\)/,
    decisions: {
      ...decisions,
      applyFetchedStatus: (record, externalId, fetch, { statuses, timing }, nextRun, now) =>
        applyFetchedStatus(
          record,
          externalId,
          fetch,
          { statuses: { ...statuses, failed: [...statuses.failed, 'HELD_BY_BANK'] }, timing },
          nextRun,
          now,
        ),
    },
  },
  {
    name: 'the end of another invoice is told after a payment',
    rule: /row 44\)/,
    decisions: {
      ...decisions,
      applyFetchedStatus(record, externalId, fetch, rules, nextRun, now) {
        const update = applyFetchedStatus(record, externalId, fetch, rules, nextRun, now);
        // As for a record that nothing has paid, in which this invoice is the newest.
        const attempts = record.attempts.filter((one) => one.externalId === externalId);
        const alone = applyFetchedStatus(
          { ...record, attempts, paidExternalId: null },
          externalId,
          fetch,
          rules,
          nextRun,
          now,
        );
        const ends = alone?.outcomes.filter(({ kind }) => kind === 'failed' || kind === 'expired') ?? [];
        return update && { ...update, outcomes: update.outcomes.length > 0 ? update.outcomes : ends };
      },
    },
  },
  {
    name: 'a create in doubt is given up silently',
    rule: /row 45\)/,
    decisions: {
      ...decisions,
      applyCreateFailure: (...args) => ({ ...applyCreateFailure(...args), outcomes: [] }),
    },
  },
  {
    name: 'a create in doubt is given up after its first failure',
    rule: /row 45\)/,
    decisions: {
      ...decisions,
      applyCreateFailure: (record, externalId, error, runs) =>
        applyCreateFailure(record, externalId, error, { ...runs, retryAt: null }),
    },
  },
  {
    name: 'a payment of an order that another checkout has paid is told as paid',
    rule: /row 43\)/,
    decisions: { ...decisions, asDuplicatePayment: (outcome) => outcome },
  },
  {
    name: 'a second payment is told as the first',
    rule: /row 10\)|row 43\)/,
    decisions: {
      ...decisions,
      applyFetchedStatus(record, externalId, fetch, rules, nextRun, now) {
        const update = applyFetchedStatus(record, externalId, fetch, rules, nextRun, now);
        return (
          update && { ...update, outcomes: update.outcomes.map((outcome) => ({ ...outcome, kind: 'paid' as const })) }
        );
      },
    },
  },
];
