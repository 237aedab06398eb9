import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FetchedInvoice } from '../../../src/contract.ts';
import type { Attempt, CheckoutRecord } from '../../../src/server.ts';
import {
  changesCheckout,
  applyFetchedStatus,
  type FetchResult,
  type StatusRules,
} from '../../../src/server/domain/apply-fetched-status.ts';
import { isUnlistedStatus } from '../../../src/server/domain/status-words.ts';
import { makeCheckoutRecord, makeAttempt } from '../../../src/testing/checkout-records.ts';

const statuses = { paid: ['PAID', 'Settled'], failed: ['FAILED'], expired: ['EXPIRED'], pending: ['PENDING'] };
const reading: StatusRules = { statuses, timing: { graceMs: 10, missingGraceMs: 100 } };
const deadline = '1970-01-01T00:01:40Z';
const deadlineMs = 100_000;

const attempt = (changes: Partial<Attempt> = {}): Attempt =>
  makeAttempt('e', { expiresAt: deadlineMs, checkedAt: 5000, ...changes });
/** The result of a fetch of the invoice; undefined: the response does not contain it. */
const fetchResult = (fetched: Partial<FetchedInvoice> | undefined, requested_at = 6000): FetchResult => ({
  fetched: fetched && { id: 'inv of e', ...fetched },
  requested_at,
  deadline_time: requested_at,
});

function recorded(record: CheckoutRecord, seen: FetchResult, name = 'e') {
  return applyFetchedStatus(record, name, seen, reading, () => 77, 9000);
}

/** The attempt after a fetch result was applied. */
function after(changes: Partial<Attempt>, seen: FetchResult): Attempt | undefined {
  return recorded(makeCheckoutRecord('c', { attempts: [attempt(changes)] }), seen)?.record.attempts[0];
}

describe('a status word', () => {
  for (const [word, outcome, isUnknown] of [
    ['PAID', 'paid', false],
    [' paid\n', 'paid', false],
    ['SETTLED', 'paid', false],
    ['Failed', 'failed', false],
    ['expired', 'expired', false],
    ['PENDING', 'pending', false],
    [' pending ', 'pending', false],
    ['', 'pending', false],
    ['  ', 'pending', false],
    ['PAID_OUT', 'pending', true],
    ['un paid', 'pending', true],
  ] as const)
    test(`${JSON.stringify(word)} means ${outcome}${isUnknown ? ', and nobody has listed it' : ''}`, () => {
      assert.equal(after({}, fetchResult({ status: word }))?.outcome, outcome);
      assert.equal(isUnlistedStatus(word, statuses), isUnknown);
    });

  test('counts as none when it is missing or empty, whatever the lists contain', () => {
    const careless = { ...reading, statuses: { ...statuses, paid: ['', 'undefined'] } };
    const record = makeCheckoutRecord('c', { attempts: [attempt()] });
    for (const fetched of [{}, { status: '' }, { status: ' ' }]) {
      const seen = applyFetchedStatus(record, 'e', fetchResult(fetched), careless, () => 77, 9000);
      assert.equal(seen?.record.attempts[0]?.outcome, 'pending');
    }
  });
});

describe('an invoice after its deadline', () => {
  for (const [title, changes, seen, outcome] of [
    ['in the grace', {}, fetchResult({ status: 'PENDING' }, deadlineMs + 9), 'pending'],
    ['after the grace', {}, fetchResult({ status: 'PENDING' }, deadlineMs + 10), 'expired'],
    ['with a word that is in no list', {}, fetchResult({ status: 'HELD_BY_BANK' }, deadlineMs + 1_000_000), 'pending'],
    ['with an empty word', {}, fetchResult({ status: '' }, deadlineMs + 1_000_000), 'pending'],
    ['without a word', {}, fetchResult({}, deadlineMs + 1_000_000), 'pending'],
    ['not in the answer, in its longer grace', {}, fetchResult(undefined, deadlineMs + 99), 'pending'],
    ['not in the answer, after its longer grace', {}, fetchResult(undefined, deadlineMs + 100), 'expired'],
    ['paid', {}, fetchResult({ status: 'PAID' }, deadlineMs + 500), 'paid'],
    ['failed before', { outcome: 'failed' }, fetchResult({ status: 'PENDING' }, deadlineMs + 500), 'failed'],
    ['without a deadline', { expiresAt: null }, fetchResult({ status: 'PENDING' }, deadlineMs + 500), 'pending'],
    [
      'that is told only now',
      { expiresAt: null },
      fetchResult({ status: 'PENDING', expires_at: deadline }, deadlineMs + 500),
      'expired',
    ],
    ['that was moved on', {}, fetchResult({ expires_at: '1970-01-01T00:05:00Z' }, deadlineMs + 500), 'pending'],
    [
      'looked at before, in an answer that is late',
      { checkedAt: deadlineMs + 600 },
      fetchResult({ status: 'PENDING' }, deadlineMs + 500),
      'pending',
    ],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>, FetchResult, Attempt['outcome']])[])
    test(`${title} is ${outcome}`, () => {
      assert.equal(after(changes, seen)?.outcome, outcome);
    });
});

describe('a fetched deadline', () => {
  for (const [title, told, expected] of [
    ['is the same where it is written otherwise', '1970-01-01T00:01:40.999Z', deadlineMs],
    ['is the same where it is a little earlier', '1970-01-01T00:01:39.001Z', deadlineMs],
    ['is another from a second on', '1970-01-01T00:01:41Z', deadlineMs + 1000],
    ['is another a second before', '1970-01-01T00:01:39Z', deadlineMs - 1000],
    ['is left as it was where it cannot be read', 'soon', deadlineMs],
    ['is left as it was where there is none', undefined, deadlineMs],
  ] as const)
    test(title, () => {
      const seen = fetchResult({ status: 'PENDING', expires_at: told });
      assert.equal(after({}, seen)?.expiresAt, expected);
      assert.equal(changesCheckout(attempt(), seen, reading), expected !== deadlineMs);
    });
});

describe('a fetch', () => {
  for (const [title, changes, seen, expected] of [
    ['with the same word', {}, fetchResult({ status: 'PENDING' }), false],
    ['with another word', {}, fetchResult({ status: 'IN_PROGRESS' }), true],
    ['without a word', {}, fetchResult({}), false],
    ['without the invoice', {}, fetchResult(undefined), false],
    ['that says paid', {}, fetchResult({ status: 'PAID' }), true],
    ['that says paid again', { outcome: 'paid', serviceStatus: 'PAID' }, fetchResult({ status: 'PAID' }), false],
    ['at the time of the last, with another word', {}, fetchResult({ status: 'ODD' }, 5000), true],
    ['older than the last, with another word', {}, fetchResult({ status: 'ODD' }, 4999), false],
    [
      'older than the last, with another deadline',
      {},
      fetchResult({ expires_at: '1970-01-01T00:05:00Z' }, 4999),
      false,
    ],
    ['older than the last, that says paid', {}, fetchResult({ status: 'PAID' }, 4999), true],
    ['that is the first', { checkedAt: null }, fetchResult({ status: 'ODD' }, 0), true],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>, FetchResult, boolean])[])
    test(`${title} ${expected ? 'has to be recorded' : 'is no news'}`, () => {
      assert.equal(changesCheckout(attempt(changes), seen, reading), expected);
    });

  test('is recorded with its status, deadline and time, and the next one is at the computed time', () => {
    const record = makeCheckoutRecord('c', { attempts: [makeAttempt('old', { replaced: true }), attempt()] });
    const seen = fetchResult({ status: 'ODD', expires_at: '1970-01-01T00:05:00Z' });
    const asked: Attempt[] = [];
    const dueAt = (next: Attempt): number => asked.push(next);
    const next = { ...attempt(), serviceStatus: 'ODD', expiresAt: 300_000, checkedAt: 6000 };
    assert.deepEqual(applyFetchedStatus(record, 'e', seen, reading, dueAt, 9000), {
      record: { ...record, attempts: [record.attempts[0], { ...next, runAt: 1 }] },
      outcomes: [],
      hasAmountMismatch: false,
    });
    assert.deepEqual(asked, [{ ...next, runAt: 1000 }], 'the schedule goes by what is known after the look');
  });

  for (const [title, seen, expected] of [
    [
      'older than the last leaves word, deadline and time',
      fetchResult({ status: 'ODD', expires_at: '1970-01-01T00:05:00Z' }, 4999),
      5000,
    ],
    ['without a word leaves the last one', fetchResult({}), 6000],
    ['without the invoice leaves its word', fetchResult(undefined), 6000],
  ] as const)
    test(title, () => {
      assert.deepEqual(after({}, seen), attempt({ checkedAt: expected, runAt: 77 }));
    });

  test('of an unknown attempt changes nothing', () => {
    const record = makeCheckoutRecord('c', { attempts: [attempt({ invoice: null })] });
    assert.equal(recorded(record, fetchResult({ status: 'PAID' })), undefined);
    assert.equal(recorded(record, fetchResult({ status: 'PAID' }), 'nobody'), undefined);
  });
});

describe('the outcome for the shop', () => {
  const old = makeAttempt('old', { replaced: true });
  const told = {
    orderId: 'order of c',
    checkoutId: 'c',
    externalId: 'e',
    invoiceId: 'inv of e',
    amount: '1500.00',
    expectedAmount: '1500.00',
    mode: 'TEST',
    occurredAt: 9000,
  } as const;

  for (const kind of ['paid', 'failed', 'expired'] as const)
    test(`is ${kind} with all members, once`, () => {
      const seen = recorded(makeCheckoutRecord('c', { attempts: [old, attempt()] }), fetchResult({ status: kind }));
      assert.deepEqual(seen?.outcomes, [{ ...told, id: `e.${kind}`, kind }]);
      assert.equal(seen.record.paidExternalId, kind === 'paid' ? 'e' : null);
      assert.deepEqual(recorded(seen.record, fetchResult({ status: kind }))?.outcomes, []);
    });

  test('is paid for a replaced invoice', () => {
    const seen = recorded(
      makeCheckoutRecord('c', { attempts: [old, attempt()] }),
      fetchResult({ status: 'PAID' }),
      'old',
    );
    assert.deepEqual(
      seen?.outcomes.map(({ id }) => id),
      ['old.paid'],
    );
    assert.equal(seen.record.paidExternalId, 'old');
  });

  test('is duplicate_payment for a second invoice, and the first stays the paid one', () => {
    const record = makeCheckoutRecord('c', {
      attempts: [{ ...old, outcome: 'paid' }, attempt()],
      paidExternalId: 'old',
    });
    const seen = recorded(record, fetchResult({ status: 'PAID', amount: '1500.01' }));
    assert.deepEqual(seen?.outcomes, [
      { ...told, id: 'e.duplicate_payment', kind: 'duplicate_payment', amount: '1500.01' },
    ]);
    assert.equal(seen.record.paidExternalId, 'old');
    assert.equal(seen.hasAmountMismatch, true);
  });

  for (const status of ['FAILED', 'EXPIRED'])
    test(`is missing for ${status} of an invoice that was replaced, or never shown, or after the payment`, () => {
      const left = makeCheckoutRecord('c', { attempts: [old, attempt()] });
      assert.deepEqual(recorded(left, fetchResult({ status }), 'old')?.outcomes, []);
      const unseen = makeCheckoutRecord('c', { attempts: [attempt({ refusal: 'try_again' })] });
      assert.deepEqual(recorded(unseen, fetchResult({ status }))?.outcomes, []);
      const paid = makeCheckoutRecord('c', {
        attempts: [{ ...old, outcome: 'paid' }, attempt()],
        paidExternalId: 'old',
      });
      const seen = recorded(paid, fetchResult({ status }));
      assert.deepEqual(seen?.outcomes, []);
      assert.equal(seen.record.paidExternalId, 'old');
    });
});
