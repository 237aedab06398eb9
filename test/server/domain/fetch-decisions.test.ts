import type { InvoiceOutcome } from '../../../src/server.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FetchedInvoice } from '../../../src/service-api.ts';
import type { CheckoutRecord, InvoiceAttempt, LiveAttempt } from '../../../src/server-internals.ts';
import {
  applyFetchedStatus,
  changesCheckout,
  type FetchResult,
  type StatusRules,
  isUnlistedStatus,
  endlessMs,
  nextFetchAt,
} from '../../../src/server/domain/fetch-decisions.ts';
import { invoicesOf, outcomesBetween } from '../../../src/server/domain/checkout-status.ts';
import { makeAttempt, makeCheckoutRecord, makeCreate, makeHidden } from '../../support/make-checkout-records.ts';
import { defaultTiming } from '../../../src/server/timing-and-limit-defaults.ts';

const statuses = { paid: ['PAID', 'Settled'], failed: ['FAILED'], expired: ['EXPIRED'], pending: ['PENDING'] };
const rules: StatusRules = { statuses, timing: { graceMs: 10 }, mode: 'TEST' };
const deadline = '1970-01-01T00:01:40Z';
const deadlineMs = 100_000;
const later = '1970-01-01T00:05:00Z';

const attempt = (changes: Partial<LiveAttempt> = {}): LiveAttempt =>
  makeAttempt('e', { expiresAt: deadlineMs, answeredAt: 5000, checkedAt: 4000, ...changes });
/** The result of a fetch. `fetched` is undefined when the response does not contain the invoice. */
const fetchResult = (fetched: Partial<FetchedInvoice> | undefined, requestedAt = 6000): FetchResult => ({
  fetched: fetched && { id: 'inv of e', ...fetched },
  requestedAt,
  deadlineNow: requestedAt,
});

type NextRunAt = Parameters<typeof applyFetchedStatus>[4];
/** Applies the result of a fetch. Returns the record with the outcomes that the save of the result stores. */
function apply(record: CheckoutRecord, result: FetchResult, externalId = 'e', nextRunAt: NextRunAt = () => 77) {
  const update = applyFetchedStatus(record, externalId, result, rules, nextRunAt, 9000);
  return update && { ...update, outcomes: outcomesBetween(record, update.record, 9000) };
}

/** The attempt to which a fetch result was applied. */
function attemptAfter(changes: Partial<LiveAttempt>, result: FetchResult): InvoiceAttempt | undefined {
  const update = apply(makeCheckoutRecord('c', { attempts: [attempt(changes)] }), result);
  return update && invoicesOf(update.record)[0];
}

describe('a status word', () => {
  for (const [word, outcome, isUnlisted] of [
    [' paid\n', 'paid', false],
    ['SETTLED', 'paid', false],
    ['Failed', 'failed', false],
    ['expired', 'expired', false],
    [' pending ', 'pending', false],
    ['  ', 'pending', false],
    ['PAID_OUT', 'pending', true],
  ] as const)
    test(`${JSON.stringify(word)} means ${outcome}${isUnlisted ? ', and is in no list' : ''}`, () => {
      assert.equal(attemptAfter({}, fetchResult({ status: word }))?.outcome, outcome);
      assert.equal(isUnlistedStatus(word, statuses), isUnlisted);
    });
});

describe('an invoice after its deadline', () => {
  for (const [title, changes, result, outcome] of [
    ['in the grace period', {}, fetchResult({ status: 'PENDING' }, deadlineMs + 9), 'pending'],
    ['after the grace period', {}, fetchResult({ status: 'PENDING' }, deadlineMs + 10), 'expired'],
    ['with a word in no list', {}, fetchResult({ status: 'HELD_BY_BANK' }, deadlineMs + 1_000_000), 'pending'],
    ['without a status word', {}, fetchResult({}, deadlineMs + 1_000_000), 'pending'],
    ['missing, in its longer grace period', {}, fetchResult(undefined, deadlineMs + 599_999), 'pending'],
    ['missing, after that period', {}, fetchResult(undefined, deadlineMs + 600_000), 'expired'],
    ['that has failed already', { outcome: 'failed' }, fetchResult({ status: 'PENDING' }, deadlineMs + 500), 'failed'],
    ['without a deadline', { expiresAt: null }, fetchResult({ status: 'PENDING' }, deadlineMs + 500), 'pending'],
    [
      'whose deadline was unknown before',
      { expiresAt: null },
      fetchResult({ status: 'PENDING', expires_at: deadline }, deadlineMs + 500),
      'expired',
    ],
    ['whose deadline this fetch moves', {}, fetchResult({ expires_at: later }, deadlineMs + 500), 'pending'],
    [
      'that a later fetch has checked since',
      { answeredAt: deadlineMs + 600 },
      fetchResult({ status: 'PENDING' }, deadlineMs + 500),
      'pending',
    ],
  ] as const satisfies readonly (readonly [string, Partial<LiveAttempt>, FetchResult, InvoiceOutcome])[])
    test(`${title} is ${outcome}`, () => {
      assert.equal(attemptAfter(changes, result)?.outcome, outcome);
    });
});

describe('a fetched deadline', () => {
  for (const [title, fetched, expected] of [
    ['that is less than a second later changes nothing', '1970-01-01T00:01:40.999Z', deadlineMs],
    ['that is a second earlier is the new deadline', '1970-01-01T00:01:39Z', deadlineMs - 1000],
    ['that cannot be read changes nothing', 'soon', deadlineMs],
    ['that is missing changes nothing', undefined, deadlineMs],
  ] as const)
    test(title, () => {
      const result = fetchResult({ status: 'PENDING', expires_at: fetched });
      assert.equal(attemptAfter({}, result)?.expiresAt, expected);
      assert.equal(changesCheckout({ ...attempt(), isHidden: false }, result, rules), expected !== deadlineMs);
    });
});

describe('a fetch', () => {
  for (const [title, changes, result, expected] of [
    ['with the stored status word', {}, fetchResult({ status: 'PENDING' }), false],
    ['with another status word', {}, fetchResult({ status: 'IN_PROGRESS' }), true],
    ['without a status word', {}, fetchResult({}), false],
    ['of a paid invoice', { outcome: 'paid', serviceStatus: 'PAID' }, fetchResult({ status: 'PAID' }), false],
    ['at the time of the last fetch, with another status word', {}, fetchResult({ status: 'ODD' }, 5000), true],
    ['that began before the last fetch, with another status word', {}, fetchResult({ status: 'ODD' }, 4999), false],
    ['that began before the last fetch, with a word that means paid', {}, fetchResult({ status: 'PAID' }, 4999), true],
    ['that is the first of its invoice', { answeredAt: null }, fetchResult({ status: 'ODD' }, 0), true],
  ] as const satisfies readonly (readonly [string, Partial<LiveAttempt>, FetchResult, boolean])[])
    test(`${title} ${expected ? 'changes the checkout' : 'changes only the time of the next fetch'}`, () => {
      assert.equal(changesCheckout({ ...attempt(changes), isHidden: false }, result, rules), expected);
    });

  test('is stored with its status, deadline and time, and the next fetch is due at the computed time', () => {
    const record = makeCheckoutRecord('c', { attempts: [makeAttempt('old', {}), attempt()] });
    const result = fetchResult({ status: 'ODD', expires_at: later });
    const scheduledAttempts: InvoiceAttempt[] = [];
    const nextRunAt = (next: InvoiceAttempt): number => scheduledAttempts.push(next);
    const statusHistory = [{ at: 9000, status: 'ODD' }];
    const times = { expiresAt: 300_000, answeredAt: 6000, checkedAt: 6000 };
    const changedAttempt = { ...attempt(), serviceStatus: 'ODD', statusHistory, ...times };
    assert.deepEqual(apply(record, result, 'e', nextRunAt), {
      record: { ...record, attempts: [record.attempts[0], { ...changedAttempt, runAt: 1 }] },
      outcomes: [],
      hasAmountMismatch: false,
    });
    assert.deepEqual(
      scheduledAttempts,
      [{ ...changedAttempt, runAt: 1000 }],
      'the time is computed from the changed attempt',
    );
  });

  for (const [title, result, expected] of [
    [
      'that began before the last fetch changes neither the status word, the deadline nor the time of the last fetch',
      fetchResult({ status: 'ODD', expires_at: later }, 4999),
      5000,
    ],
    ['without a status word changes only the times of the last answer and the next fetch', fetchResult({}), 6000],
    ['without the invoice changes only the times of the last answer and the next fetch', fetchResult(undefined), 6000],
  ] as const)
    test(`${title}, and the invoice is not checked by it`, () => {
      assert.deepEqual(attemptAfter({}, result), attempt({ answeredAt: expected, runAt: 77 }));
    });

  test('of an unknown attempt changes nothing', () => {
    const record = makeCheckoutRecord('c', { attempts: [makeCreate('e')] });
    assert.equal(apply(record, fetchResult({ status: 'PAID' })), undefined);
    assert.equal(apply(record, fetchResult({ status: 'PAID' }), 'unknown'), undefined);
  });
});

describe('the outcome for the shop', () => {
  const replacedAttempt = makeAttempt('old', {});
  const members = {
    orderId: 'order of c',
    checkoutId: 'c',
    externalId: 'e',
    invoiceId: 'inv of e',
    amount: '1500.00',
    expectedAmount: '1500.00',
    mode: 'TEST',
    occurredAt: 9000,
  } as const;

  for (const kind of ['paid', 'expired'] as const)
    test(`of an invoice fetched as ${kind} is ${kind} with all members, and the next fetch does not report it again`, () => {
      const update = apply(
        makeCheckoutRecord('c', { attempts: [replacedAttempt, attempt()] }),
        fetchResult({ status: kind }),
      );
      assert.deepEqual(update?.outcomes, [{ ...members, id: `e.${kind}`, kind }]);
      assert.equal(update.record.paidExternalId, kind === 'paid' ? 'e' : null);
      assert.deepEqual(apply(update.record, fetchResult({ status: kind }))?.outcomes, []);
    });

  test('is paid for a replaced invoice, and for its amount in another notation', () => {
    const record = makeCheckoutRecord('c', { attempts: [replacedAttempt, attempt()] });
    const update = apply(record, fetchResult({ status: 'PAID', amount: '1500.000' }), 'old');
    assert.deepEqual(
      update?.outcomes.map(({ id }) => id),
      ['old.paid'],
    );
    assert.equal(update.record.paidExternalId, 'old');
  });

  test('is duplicate_payment for a second invoice, and the first stays the paid one', () => {
    const record = makeCheckoutRecord('c', {
      attempts: [{ ...replacedAttempt, outcome: 'paid' }, attempt()],
      paidExternalId: 'old',
    });
    const update = apply(record, fetchResult({ status: 'PAID', amount: '1500.01' }));
    assert.deepEqual(update?.outcomes, [
      { ...members, id: 'e.duplicate_payment', kind: 'duplicate_payment', amount: '1500.01' },
    ]);
    assert.equal(update.record.paidExternalId, 'old');
    assert.equal(update.hasAmountMismatch, true);
  });

  test('is missing for a failure of an invoice that was replaced, or never shown, or whose checkout is paid by another', () => {
    const paid = { attempts: [{ ...replacedAttempt, outcome: 'paid' as const }, attempt()], paidExternalId: 'old' };
    for (const [members, externalId] of [
      [{ attempts: [replacedAttempt, attempt()] }, 'old'],
      [{ attempts: [makeHidden('e')] }, 'e'],
      [paid, 'e'],
    ] as const)
      assert.deepEqual(
        apply(makeCheckoutRecord('c', members), fetchResult({ status: 'FAILED' }), externalId)?.outcomes,
        [],
      );
  });
});

test('an ended invoice is fetched as slowly as an unviewed one while the clock, set back, shows a time before its end', () => {
  const invoice = { outcome: 'expired', createdAt: 3_600_000, expiresAt: null } as const;
  assert.equal(nextFetchAt(invoice, 1000, true, defaultTiming), 1000 + defaultTiming.slowMs);
  assert.equal(nextFetchAt(invoice, 3_600_000, true, defaultTiming), 3_600_000 + defaultTiming.fastMs);
});

test('the last fetch of an ended invoice is repeated while its answers do not tell the status, for seven days', () => {
  const { lateMs } = defaultTiming;
  const invoice = { outcome: 'expired', createdAt: 0, expiresAt: 1000 } as const;
  const after = (elapsedMs: number, isStatusTold: boolean): number | null =>
    nextFetchAt(invoice, 1000 + elapsedMs, false, defaultTiming, isStatusTold);
  assert.equal(after(lateMs, true), null);
  assert.equal(after(lateMs, false), 1000 + lateMs * 1.05);
  assert.equal(after(endlessMs, false), null);
});
