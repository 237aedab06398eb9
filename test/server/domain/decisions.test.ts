import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { currentAttempt, withNewAttempt } from '../../../src/server/domain/select-invoice-attempt.ts';
import { deriveStatus, type FetchResult } from '../../../src/server/domain/apply-fetched-status.ts';
import { applyFetchedStatus } from '../../support/apply-with-outcomes.ts';
import { sumsMatch } from '../../../src/server/domain/present-to-payer.ts';
import { applyCreateFailure } from '../../../src/server/domain/apply-create-result.ts';
import { nextFetchAt, alignToTick, retryAt, retryDelay } from '../../../src/server/domain/next-fetch-time.ts';
import { defaultTiming } from '../../../src/server/timing-and-limit-defaults.ts';
import { defaultStatuses } from '../../../src/server/domain/status-words.ts';
import { createParamsReader, CheckoutParamsError } from '../../../src/server/domain/checkout-params.ts';
import { makeCheckoutRecord, makeAttempt } from '../../../src/testing/checkout-records.ts';
import { checkoutParams } from '../../support/test-checkout-server.ts';
import { holds } from '../../support/properties.ts';

const rules = { statuses: defaultStatuses, timing: defaultTiming, mode: 'TEST' } as const;
const fetchResult = (status: string | undefined, requestedAt: number): FetchResult => ({
  fetched: { id: 'inv', status },
  requestedAt,
  deadlineNow: requestedAt,
});

describe('applyFetchedStatus', () => {
  test('keeps paid as the final outcome and ignores older responses, in every order of responses', () => {
    const words = fc.constantFrom('PENDING', 'PAID', 'FAILED', 'EXPIRED', 'ODD', undefined);
    const fetchLists = fc.array(fc.record({ word: words, at: fc.integer({ min: 0, max: 2_000_000 }) }), {
      maxLength: 12,
    });
    const check = (fetches: readonly { readonly word: string | undefined; readonly at: number }[]): void => {
      let record = makeCheckoutRecord('c', { attempts: [makeAttempt('e', { expiresAt: 1_000_000, runAt: 0 })] });
      const kinds: string[] = [];
      let isPaid = false;
      for (const { word, at } of fetches) {
        const update = applyFetchedStatus(record, 'e', fetchResult(word, at), rules, () => null, at);
        assert.ok(update);
        isPaid ||= word === 'PAID';
        kinds.push(...update.outcomes.map(({ kind }) => kind));
        record = update.record;
        assert.equal(deriveStatus(record, at) === 'paid', isPaid, 'paid if and only if the service has returned PAID');
        assert.equal(record.attempts[0]?.outcome === 'paid', isPaid);
        if (deriveStatus(record, at) === 'expired' && !fetches.some(({ word: known }) => known === 'EXPIRED'))
          assert.ok((record.attempts[0]?.checkedAt ?? 0) >= 1_000_000 + defaultTiming.graceMs);
      }
      assert.equal(kinds.filter((kind) => kind === 'paid').length, isPaid ? 1 : 0);
      if (fetches.every(({ word }) => word !== 'FAILED')) assert.ok(!kinds.includes('failed'));
    };
    holds(fc.property(fetchLists, check), 2000);
  });

  test('ignores a response that is older than the last one, unless its status is paid', () => {
    const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e', { checkedAt: 500 })] });
    const update = applyFetchedStatus(record, 'e', fetchResult('FAILED', 499), rules, () => 9, 600);
    assert.equal(update?.record.attempts[0]?.outcome, 'pending');
    assert.equal(update.record.attempts[0].serviceStatus, 'PENDING');
    const paidUpdate = applyFetchedStatus(record, 'e', fetchResult('PAID', 499), rules, () => 9, 600);
    assert.equal(paidUpdate?.record.paidExternalId, 'e');
  });

  test('changes an unpaid final outcome only to another final outcome, never to pending', () => {
    for (const outcome of ['failed', 'expired'] as const) {
      const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e', { outcome })] });
      const outcomeAfter = (word: string) =>
        applyFetchedStatus(record, 'e', fetchResult(word, 900), rules, () => 9, 900)?.record.attempts[0]?.outcome;
      assert.deepEqual(
        [outcomeAfter('PENDING'), outcomeAfter('ODD'), outcomeAfter('PAID')],
        [outcome, outcome, 'paid'],
      );
      assert.equal(outcomeAfter('FAILED'), 'failed');
    }
  });

  test('stores a deadline that the service has changed', () => {
    const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e', { expiresAt: 1000 })] });
    const fetched = { id: 'inv', status: 'PENDING', expires_at: '1970-01-01T01:00:00Z' };
    const update = applyFetchedStatus(
      record,
      'e',
      { fetched, requestedAt: 90_000, deadlineNow: 90_000 },
      rules,
      () => 9,
      90_000,
    );
    assert.equal(update?.record.attempts[0]?.expiresAt, 3_600_000);
    assert.equal(deriveStatus(update.record, 0), 'pending');
  });

  test('detects an amount that is not the requested one', () => {
    const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e')] });
    const updateFor = (amount: string) =>
      applyFetchedStatus(
        record,
        'e',
        { fetched: { id: 'inv', amount, status: 'PAID' }, requestedAt: 9, deadlineNow: 9 },
        rules,
        () => 9,
        9,
      );
    assert.equal(updateFor('1500.01')?.hasAmountMismatch, true);
    assert.equal(updateFor('1500.01')?.outcomes[0]?.amount, '1500.01');
    assert.equal(updateFor('1500.0')?.hasAmountMismatch, false);
  });
});

describe('the error of a create', () => {
  for (const [stage, failure, code, httpStatus, callCount, expected] of [
    ['creating', 'unavailable', 'unavailable', 503, 1, 'rejected'],
    ['creating', 'refused', 'out_of_range', 400, 1, 'rejected'],
    ['creating', 'refused', 'unauthenticated', 401, 1, 'rejected'],
    ['creating', 'ambiguous', 'data_loss', 200, 1, 'in_doubt'],
    ['creating', 'ambiguous', 'already_exists', 409, 1, 'conflict'],
    ['creating', 'ambiguous', 'aborted', 409, 1, 'in_doubt'],
    ['in_doubt', 'unavailable', 'unavailable', 503, 2, 'in_doubt'],
    ['in_doubt', 'ambiguous', 'unavailable', 0, 2, 'in_doubt'],
    ['in_doubt', 'refused', 'unauthenticated', 401, 2, 'in_doubt'],
    ['in_doubt', 'refused', 'resource_exhausted', 413, 2, 'in_doubt'],
    ['in_doubt', 'refused', 'failed_precondition', 400, 2, 'rejected'],
    ['in_doubt', 'refused', 'already_exists', 409, 2, 'conflict'],
    ['in_doubt', 'ambiguous', 'aborted', 409, 3, 'in_doubt'],
    ['in_doubt', 'ambiguous', 'aborted', 409, 4, 'conflict'],
    ['created', 'unavailable', 'unavailable', 503, 2, 'unchanged'],
    ['rejected', 'ambiguous', 'unavailable', 503, 2, 'unchanged'],
  ] as const)
    test(`${failure} with the code ${code}, in call ${callCount} of an attempt that is ${stage}, has the result ${expected}`, () => {
      const record = makeCheckoutRecord('c', {
        attempts: [makeAttempt('e', { stage, callCount, invoice: null, leaseUntil: 99 })],
      });
      const { kind, record: recordAfter } = applyCreateFailure(
        record,
        'e',
        { failure, code, httpStatus, isOwnCode: httpStatus !== 0 },
        { fetchAt: 5, retryAt: 7 },
      );
      assert.equal(kind, expected);
      const dueAt = kind === 'in_doubt' ? 7 : kind === 'unchanged' ? 1000 : null;
      const leaseUntil = kind === 'unchanged' ? 99 : 0;
      assert.deepEqual(
        recordAfter.attempts.map((attempt) => [attempt.runAt, attempt.leaseUntil]),
        [[dueAt, leaseUntil]],
      );
    });
});

for (const [age, expected] of [
  [0, 1000],
  [86_399_500, 86_400_000],
  [86_400_000, null],
] as const)
  test(`a create in doubt that is ${age} ms old is ${expected === null ? 'unresolved' : `repeated at ${expected}`}`, () => {
    assert.equal(retryAt({ createdAt: 0, callCount: 1 }, age, 0), expected);
  });

test('withNewAttempt marks the attempts before the current one as replaced, and no others', () => {
  const stageLists = fc.array(fc.constantFrom('created', 'rejected', 'in_doubt'), { minLength: 1, maxLength: 8 });
  const check = (stages: readonly ('created' | 'rejected' | 'in_doubt')[]): void => {
    const record = stages.reduce(
      (known, stage, n) =>
        withNewAttempt(known, makeAttempt(`e${n}`, { stage, refusal: stage === 'rejected' ? 'try_again' : null })),
      makeCheckoutRecord('c'),
    );
    const current = currentAttempt(record);
    const at = stages.findLastIndex((stage) => stage !== 'rejected');
    assert.equal(current?.externalId, at === -1 ? undefined : `e${at}`);
    assert.deepEqual(
      record.attempts.map(({ replaced }) => replaced),
      stages.map((_, n) => n < at),
    );
  };
  holds(fc.property(stageLists, check));
});

test('sumMatches is false for an NSPK link whose sum is not the amount', () => {
  for (const [sum, expected] of [
    ['150000', true],
    ['0150000', true],
    ['15', false],
    ['', false],
    ['15e4', false],
  ] as const)
    assert.equal(sumsMatch(`https://qr.nspk.ru/A?sum=${sum}`, '1500.00'), expected, sum);
  assert.ok(sumsMatch('https://qr.nspk.ru/A?sum=5', '0.05'));
  assert.ok(!sumsMatch('https://qr.nspk.ru/A?sum=5', '0.051'));
  assert.ok(!sumsMatch('https://qr.nspk.ru/A?sum=150000&sum=1', '1500.00'));
  assert.ok(sumsMatch('https://qr.nspk.ru/A', '1500.00'));
});

describe('the next fetch', () => {
  const timing = defaultTiming;
  const invoice = { outcome: 'pending', createdAt: 0, expiresAt: 900_000 } as const;
  test('is after two seconds with a viewer and after growing intervals without one, and exactly at the deadline and the end of the grace period', () => {
    assert.equal(nextFetchAt(invoice, 10_000, true, timing), 12_000);
    assert.equal(nextFetchAt(invoice, 10_000, false, timing), 20_000);
    assert.equal(nextFetchAt(invoice, 600_000, false, timing), 630_000);
    assert.equal(nextFetchAt({ ...invoice, expiresAt: 9_000_000 }, 3_000_000, false, timing), 3_060_000);
    assert.equal(nextFetchAt(invoice, 890_000, false, timing), 900_000);
    assert.equal(nextFetchAt(invoice, 900_000, false, timing), 905_000);
    assert.equal(nextFetchAt(invoice, 959_000, true, timing), 960_000);
    assert.equal(nextFetchAt(invoice, 960_000, true, timing), 962_000);
  });
  test('comes at doubling intervals after an unpaid end, until lateMs after the deadline', () => {
    const ended = { ...invoice, outcome: 'expired' } as const;
    assert.equal(nextFetchAt(ended, 905_000, false, timing), 910_000);
    assert.equal(nextFetchAt(ended, 910_000, true, timing), 920_000);
    assert.equal(nextFetchAt(ended, 900_000 + timing.lateMs - 1, false, timing), 900_000 + timing.lateMs);
    assert.equal(nextFetchAt(ended, 900_000 + timing.lateMs, false, timing), null);
    assert.equal(nextFetchAt({ ...invoice, outcome: 'paid' }, 1, true, timing), null);
  });
  test('is no longer scheduled a week after the creation of an invoice without a deadline', () => {
    const endless = { ...invoice, expiresAt: null };
    assert.equal(nextFetchAt(endless, 60 * 3_600_000, false, timing), 61 * 3_600_000);
    assert.equal(nextFetchAt(endless, timing.endlessMs + 1, false, timing), null);
  });
  test('is rounded up to a tick', () => {
    for (const at of [0, 1, 1999, 2000, 2001, 123_457]) {
      const due = alignToTick(at, 2000, 300);
      assert.equal(due % 2000, 300);
      assert.ok(due >= at && due < at + 2000);
    }
  });
});

test('the pause before a create in doubt is repeated doubles up to five minutes', () => {
  assert.deepEqual(
    [1, 2, 3, 20, 500].map((callCount) => retryDelay(callCount, 0.5)),
    [1500, 3000, 6000, 225_000, 225_000],
  );
});

for (const [changes, field] of [
  [{ orderId: '' }, 'orderId'],
  [{ orderId: 'x'.repeat(201) }, 'orderId'],
  [{ amount: '0' }, 'amount'],
  [{ amount: '-5' }, 'amount'],
  [{ amount: '1,5' }, 'amount'],
  [{ amountLimits: { minAmount: '1' } }, 'amountLimits'],
  [{ amount: null, amountLimits: { minAmount: '2', maxAmount: '1.99' } }, 'amountLimits'],
  [{ amount: null, amountLimits: { minAmount: 'x' } }, 'amountLimits.minAmount'],
  [{ currency: 'rub' }, 'currency'],
  [{ description: 'x'.repeat(1001) }, 'description'],
  [{ successUrl: 'http://elsewhere.example' }, 'successUrl'],
  [{ failUrl: 'javascript:alert(1)' }, 'failUrl'],
] as const)
  test(`parameters with ${JSON.stringify(changes).slice(0, 60)} are refused with the name of the field`, () => {
    const readParams = createParamsReader({ endpoint: 'shop.example', currencies: ['RUB'] });
    const namesField = (error: unknown): boolean =>
      error instanceof CheckoutParamsError && error.message.startsWith(`${field}: `);
    assert.throws(() => readParams({ ...checkoutParams, ...changes }), namesField);
  });
