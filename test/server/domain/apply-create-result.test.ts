import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StatusCode } from '../../../src/service-api.ts';
import type { Attempt, CreateAttempt, ServiceFailure } from '../../../src/server-internals.ts';
import { applyCreateFailure, applyCreatedInvoice } from '../../../src/server/domain/create-results.ts';
import { retryAt } from '../../../src/server/domain/create-repeats.ts';
import { invoicesOf, shownAttempt } from '../../../src/server/domain/checkout-status.ts';
import { makeAttempt, makeCheckoutRecord, makeCreate, makeRejected } from '../../support/make-checkout-records.ts';

const times = { now: 3, fetchAt: 5, retryAt: 7 };
const invoice = {
  id: 'inv_9',
  amount: '1500.00',
  payment_url: 'https://pay.example/inv_9',
  expires_at: '1970-01-01T01:00:00Z',
};

/** A checkout with an older attempt, and an attempt `e` whose create is under way. */
const recordWith = (attempt: Attempt) =>
  makeCheckoutRecord('c', { attempts: [makeAttempt('old', { outcome: 'failed', runAt: 9 }), attempt] });
const recordWithAttempt = (changes: Partial<CreateAttempt>) =>
  recordWith(makeCreate('e', { state: 'creating', leaseUntil: 99, ...changes }));

describe('an invoice that a call returned', () => {
  for (const attempt of [makeCreate('e', { state: 'creating', leaseUntil: 99 }), makeCreate('e'), makeRejected('e')])
    test(`is stored for an attempt that was ${attempt.state}, is shown, and has a time for its first fetch`, () => {
      const record = recordWith(attempt);
      const known = { invoice, expiresAt: 3_600_000, serviceStatus: null };
      assert.deepEqual(applyCreatedInvoice(record, 'e', invoice, times), {
        kind: 'created',
        record: { ...record, attempts: [record.attempts[0], makeAttempt('e', { ...known, runAt: 5 })] },
      });
    });

  for (const [title, changes, kind] of [
    ['the requested amount and one more zero', { amount: '1500.000' }, 'created'],
    ['the requested external_id', { external_id: 'e' }, 'created'],
    ['another amount', { amount: '1500.01' }, 'not_shown'],
    ['another external_id', { external_id: 'old' }, 'not_shown'],
  ] as const)
    test(`with ${title} has the result ${kind}, and a time for its first fetch`, () => {
      const result = applyCreatedInvoice(recordWithAttempt({}), 'e', { ...invoice, ...changes }, times);
      const [old, attempt] = result.record.attempts;
      assert.deepEqual(
        [result.kind, attempt?.state, attempt?.runAt, old?.runAt],
        kind === 'created' ? [kind, 'live', 5, 9] : [kind, 'hidden', 5, 5],
      );
    });

  test('with a deadline that cannot be read is stored without a deadline', () => {
    const unreadable = { ...invoice, expires_at: 'tomorrow' };
    const { record } = applyCreatedInvoice(recordWithAttempt({}), 'e', unreadable, times);
    assert.equal(invoicesOf(record)[1]?.expiresAt, null);
  });

  test('changes nothing when it is stored already, or when the attempt is unknown', () => {
    const recordWithInvoice = recordWith(makeAttempt('e', { invoice }));
    const unchanged = { kind: 'unchanged', record: recordWithInvoice };
    for (const externalId of ['e', 'nobody'])
      assert.deepEqual(applyCreatedInvoice(recordWithInvoice, externalId, invoice, times), unchanged);
  });

  test('is stored beside the invoice of an earlier response, is fetched, and is never shown', () => {
    const recordWithInvoice = recordWith(makeAttempt('e', { invoice: { id: 'inv_1', amount: '1500.00' } }));
    const { kind, record } = applyCreatedInvoice(recordWithInvoice, 'e', invoice, times);
    const secondAttempt = invoicesOf(record).at(-1);
    assert.equal(kind, 'second_invoice');
    assert.deepEqual(secondAttempt?.invoice, invoice);
    assert.deepEqual(
      [secondAttempt.runAt, secondAttempt.outcome, secondAttempt.state],
      [times.fetchAt, 'pending', 'hidden'],
    );
    assert.equal(new Set(record.attempts.map(({ externalId }) => externalId)).size, record.attempts.length);
    assert.equal(shownAttempt(record), record.attempts[1]);
    assert.deepEqual(applyCreatedInvoice(record, 'e', invoice, times), { kind: 'unchanged', record });
  });
});

type Failure = Parameters<typeof applyCreateFailure>[2];
const failed = (failure: ServiceFailure, code: StatusCode, changes: Partial<Failure> = {}): Failure => ({
  failure,
  code,
  httpStatus: 400,
  isOwnCode: true,
  ...changes,
});

describe('the next repeat of a failed create', () => {
  const day = 86_400_000;
  for (const [title, attempt, error, isAnswering, expected] of [
    ['in doubt, while the service answers', {}, {}, true, 300],
    ['in doubt, in an outage', {}, {}, false, 2000],
    ['in doubt for the second time', { callCount: 2 }, {}, true, 4000],
    ['in doubt for the tenth time', { callCount: 10 }, {}, true, 300_000],
    ['in doubt, with a Retry-After', {}, { retryAfterMs: 5000 }, true, 5000],
    ['in doubt at the end of the day', { createdAt: 1500 - day, callCount: 10 }, {}, true, 500],
    ['in doubt after the end of the day', { createdAt: 1000 - day }, {}, true, null],
    ['certainly not done, while the service answers', {}, { failure: 'unavailable' }, true, 300],
    ['certainly not done, with a Retry-After', {}, { failure: 'unavailable', retryAfterMs: 5000 }, true, 5000],
    ['certainly not done, in an outage', {}, { failure: 'unavailable' }, false, null],
    ['certainly not done for the second time', { callCount: 2 }, { failure: 'unavailable' }, true, null],
    ['in doubt before, and now certainly not done', { state: 'in_doubt' }, { failure: 'unavailable' }, false, 2000],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>, object, boolean, number | null])[])
    test(`${title}, comes ${expected === null ? 'never' : `within ${expected} ms`}`, () => {
      const failedAttempt = { createdAt: 0, callCount: 1, state: 'creating', ...attempt } as const;
      const failure = { failure: 'ambiguous', retryAfterMs: undefined, ...error } as const;
      const at = (random: number) => retryAt(failedAttempt, failure, 1000, random, isAnswering);
      assert.equal(at(1), expected && 1000 + expected);
      if (expected !== null) assert.ok((at(0) ?? 0) - 1000 >= expected / 2, 'at least half of it');
    });
});

describe('a failed create call', () => {
  const { qr, ...withoutQr } = makeCreate('e').request;
  const withQr = { ...withoutQr, qr };
  for (const [failure, code, reason] of [
    ['refused', 'out_of_range', 'amount_out_of_limits'],
    ['refused', 'failed_precondition', 'method_unavailable'],
    ['refused', 'not_found', 'method_unavailable'],
    ['refused', 'invalid_argument', 'try_again'],
    ['unavailable', 'out_of_range', 'try_again'],
    ['unavailable', 'not_found', 'try_again'],
  ] as const)
    test(`with the error ${failure} and the code ${code} rejects the attempt with ${reason}`, () => {
      const record = makeCheckoutRecord('c', { attempts: [makeCreate('e', { state: 'creating', leaseUntil: 99 })] });
      assert.deepEqual(applyCreateFailure(record, 'e', failed(failure, code), { ...times, retryAt: null }), {
        kind: 'rejected',
        record: { ...record, attempts: [makeRejected('e', { reason })] },
      });
    });

  for (const [outcome, runAt] of [
    ['failed', 5],
    ['expired', 5],
    ['pending', 9],
    ['paid', 9],
  ] as const)
    test(`leads to a fetch of the invoice that is shown again only when it has ended unpaid (${outcome})`, () => {
      const attempts = [
        makeAttempt('old', { outcome, runAt: 9 }),
        makeCreate('e', { state: 'creating', leaseUntil: 99 }),
      ];
      const record = makeCheckoutRecord('c', { attempts });
      const result = applyCreateFailure(record, 'e', failed('refused', 'out_of_range'), times);
      assert.equal(result.record.attempts[0]?.runAt, runAt);
    });

  for (const [error, kind] of [
    [failed('refused', 'invalid_argument'), 'rejected'],
    [failed('refused', 'failed_precondition'), 'rejected'],
    [failed('refused', 'out_of_range'), 'rejected'],
    [failed('refused', 'not_found'), 'rejected'],
    [failed('refused', 'already_exists'), 'conflict'],
    [failed('refused', 'permission_denied'), 'in_doubt'],
    [failed('refused', 'unimplemented'), 'in_doubt'],
    [failed('refused', 'invalid_argument', { isOwnCode: false }), 'in_doubt'],
    [failed('unavailable', 'unavailable'), 'in_doubt'],
    [failed('ambiguous', 'unknown'), 'in_doubt'],
  ] as const)
    test(`that repeats a create in doubt, with ${JSON.stringify(error)}, has the result ${kind}`, () => {
      const result = applyCreateFailure(recordWithAttempt({ state: 'in_doubt' }), 'e', error, times);
      const state = kind === 'in_doubt' ? kind : 'rejected';
      assert.deepEqual([result.kind, result.record.attempts[1]?.state], [kind, state]);
    });

  test('whose result is in doubt ends the lease, and is repeated at the given time', () => {
    const record = recordWithAttempt({});
    const [old, attempt] = record.attempts;
    assert.deepEqual(applyCreateFailure(record, 'e', failed('ambiguous', 'unknown'), times), {
      kind: 'in_doubt',
      record: {
        ...record,
        attempts: [old, { ...attempt, request: withoutQr, state: 'in_doubt', leaseUntil: 0, runAt: 7 }],
      },
    });
  });

  for (const [title, callCount, changes, keepsQr] of [
    ['was lost with its connection', 1, { httpStatus: 0, code: 'unavailable' }, true],
    ['was lost with its connection twice', 2, { httpStatus: 0, code: 'unavailable' }, false],
    ['timed out', 1, { httpStatus: 0, code: 'deadline_exceeded' }, false],
    ['was answered with 503', 1, { httpStatus: 503, code: 'unavailable' }, false],
  ] as const)
    test(`that ${title} is repeated ${keepsQr ? 'with' : 'without'} the QR`, () => {
      const error = failed('ambiguous', changes.code, changes);
      const { record } = applyCreateFailure(recordWithAttempt({ request: withQr, callCount }), 'e', error, times);
      assert.deepEqual(record.attempts[1]?.request, keepsQr ? withQr : withoutQr);
    });

  test('of which the service has certainly done nothing is repeated as it was at the given time', () => {
    const record = recordWithAttempt({ request: withQr });
    const [old, attempt] = record.attempts;
    assert.deepEqual(applyCreateFailure(record, 'e', failed('unavailable', 'unavailable'), times), {
      kind: 'postponed',
      record: { ...record, attempts: [old, { ...attempt, leaseUntil: 0, runAt: 7 }] },
    });
  });

  test('whose result is in doubt, and which is not repeated any more, is unresolved', () => {
    const record = recordWithAttempt({ state: 'in_doubt' });
    const result = applyCreateFailure(record, 'e', failed('ambiguous', 'unknown'), { ...times, retryAt: null });
    const [, attempt] = result.record.attempts;
    assert.deepEqual(
      [result.kind, attempt?.state, attempt?.runAt, attempt?.leaseUntil],
      ['unresolved', 'unresolved', null, 0],
    );
  });

  test('has the result conflict when the service has an invoice with this external_id, and the attempt is refused', () => {
    const { kind, record } = applyCreateFailure(recordWithAttempt({}), 'e', failed('refused', 'already_exists'), times);
    assert.equal(kind, 'conflict');
    assert.deepEqual(record.attempts[1], makeRejected('e', { reason: 'method_unavailable' }));
  });

  for (const [callCount, httpStatus, kind] of [
    [3, 409, 'in_doubt'],
    [4, 409, 'conflict'],
    [4, 400, 'in_doubt'],
  ] as const)
    test(`with the HTTP status ${httpStatus} to call ${callCount} of a create in doubt has the result ${kind}`, () => {
      const error = failed('refused', 'aborted', { httpStatus });
      const record = recordWithAttempt({ state: 'in_doubt', callCount });
      assert.equal(applyCreateFailure(record, 'e', error, times).kind, kind);
    });

  for (const code of ['already_exists', 'aborted'] as const)
    test(`with the error unavailable and the code ${code} does not have the result conflict`, () => {
      const error = failed('unavailable', code, { httpStatus: 409 });
      assert.notEqual(applyCreateFailure(recordWithAttempt({ callCount: 4 }), 'e', error, times).kind, 'conflict');
    });

  test('changes nothing when the attempt is unknown', () => {
    const record = recordWithAttempt({});
    const result = applyCreateFailure(record, 'nobody', failed('refused', 'out_of_range'), times);
    assert.deepEqual(result, { kind: 'unchanged', record });
  });
});
