import { compareDecimals } from '../../service-api.ts';
import type { Attempt, InvoiceAttempt } from '../ports/invoice-attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';
import { repeatForMs } from './create-repeats.ts';
import {
  attemptOf,
  hasInvoice,
  invoicesOf,
  isDecidedAsPaid,
  isOpenOutcome,
  isPaidOutcome,
  isClosed,
} from './checkout-status.ts';

// The rules of a checkout record. The server applies them to each record that it loads and before each save; the model checker
// and the simulator apply the same functions. A rule is a constant sentence without data, so that it can be logged.

/** A change of a record that is about to be saved. */
export interface RecordChange {
  readonly before: CheckoutRecord;
  readonly record: CheckoutRecord;
  readonly outcomes: readonly NewOutcome[];
}

type Rules<T> = readonly (readonly [rule: string, isBroken: (subject: T) => boolean])[];

const recordRules: Rules<CheckoutRecord> = [
  [
    'a checkout is paid by exactly one of its paid invoices, or by a decision',
    (record) => {
      const { paidExternalId, attempts } = record;
      const pays = (attempt: Attempt): boolean =>
        (hasInvoice(attempt) && attempt.outcome === 'paid') || attempt.resolution?.as === 'paid';
      if ((paidExternalId !== null) !== (record.paidAt !== null)) return true;
      return paidExternalId === null
        ? attempts.some(pays)
        : !attempts.some((attempt) => attempt.externalId === paidExternalId && pays(attempt));
    },
  ],
  [
    'an invoice for another amount is not shown',
    ({ attempts }) =>
      attempts.some(
        (attempt) => attempt.state === 'live' && compareDecimals(attempt.invoice.amount, attempt.amount) !== 0,
      ),
  ],
  [
    'each attempt has its own external_id',
    ({ attempts }) => new Set(attempts.map(({ externalId }) => externalId)).size < attempts.length,
  ],
];

const changeRules: Rules<RecordChange> = [
  [
    'the invoice that paid a checkout does not change',
    ({ before, record }) =>
      before.paidExternalId !== null &&
      (record.paidExternalId !== before.paidExternalId || record.paidAt !== before.paidAt),
  ],
  [
    'an attempt and its invoice are never lost or exchanged',
    changesAttempt((known, next) => isOtherAttempt(known, next)),
  ],
  ['a create whose result is known is not repeated', changesAttempt((known, next) => isRepeated(known, next))],
  [
    'a payment is final, and an invoice that has ended is not pending again',
    changesAttempt((known, next) => {
      if (next === undefined || !hasInvoice(known) || !hasInvoice(next) || next.outcome === known.outcome) return false;
      return isPaidOutcome(known.outcome) || (!isOpenOutcome(known.outcome) && isOpenOutcome(next.outcome));
    }),
  ],
  [
    'a checkout that is paid gets no new invoice',
    ({ before, record }) => before.paidExternalId !== null && newCreates(before, record).length > 0,
  ],
  [
    'a closed checkout gets no new invoice',
    ({ before, record }) => newCreates(before, record).some(({ createdAt }) => isClosed(before, createdAt)),
  ],
  [
    'a record that breaks a rule gets no new invoice',
    ({ before, record }) => newCreates(before, record).length > 0 && brokenRules(before).length > 0,
  ],
  [
    'each payment is reported',
    ({ before, record, outcomes }) => invoicesOf(record).some(isUnreported(before, outcomes)),
  ],
  ['paid is reported once, for the first payment and its amount', hasWrongPaidOutcome],
  [
    'failed or expired is not reported after paid',
    ({ before, outcomes }) => {
      const paidIndex = before.paidExternalId !== null ? -1 : outcomes.findIndex(({ kind }) => kind === 'paid');
      const isPaid = before.paidExternalId !== null || paidIndex !== -1;
      return (
        isPaid && outcomes.some(({ kind }, index) => index > paidIndex && (kind === 'failed' || kind === 'expired'))
      );
    },
  ],
  [
    'a create in doubt that is given up is reported',
    ({ before, record, outcomes }) =>
      record.attempts.some(
        (attempt) =>
          attempt.state === 'unresolved' &&
          attemptOf(before, attempt.externalId)?.state !== 'unresolved' &&
          !outcomes.some(({ kind, externalId }) => kind === 'create_unresolved' && externalId === attempt.externalId),
      ),
  ],
  [
    'a create in doubt is repeated for a day',
    ({ record, outcomes }) =>
      outcomes.some(
        ({ kind, externalId, occurredAt }) =>
          kind === 'create_unresolved' && occurredAt - (attemptOf(record, externalId)?.createdAt ?? 0) < repeatForMs,
      ),
  ],
  [
    'a decision is reported, and as a payment where it is one',
    ({ before, record, outcomes }) =>
      record.attempts.some((attempt) => {
        const { externalId, resolution } = attempt;
        if (resolution === null || attemptOf(before, externalId)?.resolution !== null) return false;
        const kinds = outcomes.filter((outcome) => outcome.externalId === externalId).map(({ kind }) => kind);
        const isPaid = kinds.includes('paid') || kinds.includes('duplicate_payment');
        return !kinds.includes('resolved') || isPaid !== isDecidedAsPaid(attempt);
      }),
  ],
  [
    'an outcome names its checkout and order',
    ({ record, outcomes }) =>
      outcomes.some(({ checkoutId, orderId }) => checkoutId !== record.id || orderId !== record.params.orderId),
  ],
];

/** The rules that a record breaks, whatever it was before. */
export function brokenRules(record: CheckoutRecord): readonly string[] {
  return recordRules.filter(([, isBroken]) => isBroken(record)).map(([rule]) => rule);
}

/**
 * The rules that a save would break. A rule of the record that was broken before does not count: the payment of a damaged
 * record is stored and reported too.
 */
export function rulesBrokenBy(change: RecordChange): readonly string[] {
  const brokenBefore = brokenRules(change.before);
  return [
    ...brokenRules(change.record).filter((rule) => !brokenBefore.includes(rule)),
    ...changeRules.filter(([, isBroken]) => isBroken(change)).map(([rule]) => rule),
  ];
}

/** A rule that each attempt of the record before the change has to keep. */
function changesAttempt(
  isBroken: (known: Attempt, next: Attempt | undefined) => boolean,
): (change: RecordChange) => boolean {
  return ({ before, record }) => before.attempts.some((known) => isBroken(known, attemptOf(record, known.externalId)));
}

function isOtherAttempt(known: Attempt, next: Attempt | undefined): boolean {
  if (next?.amount !== known.amount || next.createdAt !== known.createdAt) return true;
  return hasInvoice(known) && (!hasInvoice(next) || next.invoice.id !== known.invoice.id);
}

function isRepeated(known: Attempt, next: Attempt | undefined): boolean {
  if (known.state !== 'rejected' && !hasInvoice(known)) return false;
  if (next?.callCount !== known.callCount) return true;
  return !hasInvoice(next) && !(known.state === 'rejected' && next.state === 'rejected');
}

function newCreates(before: CheckoutRecord, { attempts }: CheckoutRecord): readonly Attempt[] {
  return attempts.filter(
    ({ externalId, state }) => state === 'creating' && attemptOf(before, externalId) === undefined,
  );
}

/** The kinds of outcomes that report a payment. */
const paymentKinds: readonly NewOutcome['kind'][] = ['paid', 'amount_mismatch', 'test_payment', 'duplicate_payment'];

/** The service may return one invoice for two attempts. Its payment is reported once. */
function isUnreported(before: CheckoutRecord, outcomes: readonly NewOutcome[]): (attempt: InvoiceAttempt) => boolean {
  return ({ externalId, outcome, invoice }) => {
    const known = invoicesOf(before);
    return (
      isPaidOutcome(outcome) &&
      !known.some((other) => isDecidedAsPaid(other) && other.invoice.id === invoice.id) &&
      !before.attempts.some((other) => isDecidedAsPaid(other) && other.externalId === externalId) &&
      !known.some((other) => other.externalId === externalId && other.outcome === outcome) &&
      !known.some((other) => other.invoice.id === invoice.id && isPaidOutcome(other.outcome)) &&
      !outcomes.some(({ kind, invoiceId }) => invoiceId === invoice.id && paymentKinds.includes(kind))
    );
  };
}

function hasWrongPaidOutcome({ before, record, outcomes }: RecordChange): boolean {
  const paid = outcomes.filter(({ kind }) => kind === 'paid');
  return (
    paid.length > 1 ||
    paid.some(
      ({ externalId, amount, expectedAmount, decidedBy }) =>
        before.paidExternalId !== null ||
        record.paidExternalId !== externalId ||
        (decidedBy === undefined && compareDecimals(amount, expectedAmount) !== 0),
    )
  );
}
