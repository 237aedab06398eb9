import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attempt, CreateAttempt } from '../../../src/server.ts';
import { applyCreateFailure, applyCreatedInvoice } from '../../../src/server/domain/create-decisions.ts';
import { invoicesOf, shownAttempt, outcomesBetween } from '../../../src/server/domain/checkout-status.ts';
import {
  makeAttempt,
  makeCheckoutRecord,
  makeCreate,
  makeRejected,
} from '../../../src/tools/testing/checkout-records.ts';

const times = { now: 3, fetchAt: 5, retryAt: 7 };
const invoice = {
  id: 'inv_9',
  amount: '1500.00',
  payment_url: 'https://pay.example/inv_9',
  expires_at: '1970-01-01T01:00:00Z',
};

/** A checkout with an older attempt, and an attempt `e` whose create is under way. */
const recordWith = (attempt: Attempt) =>
  makeCheckoutRecord('c', { attempts: [makeAttempt('old', { outcome: 'failed' }), attempt] });
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
      const attempt = result.record.attempts[1];
      assert.deepEqual(
        [result.kind, attempt?.state, attempt?.runAt],
        [kind, kind === 'created' ? 'live' : 'hidden', 5],
      );
    });

  for (const [title, expires_at] of [
    ['no deadline', undefined],
    ['a deadline that cannot be read', 'tomorrow'],
  ] as const)
    test(`with ${title} is stored without a deadline`, () => {
      const { record } = applyCreatedInvoice(
        recordWithAttempt({}),
        'e',
        { id: 'inv_9', amount: '1500.00', expires_at },
        times,
      );
      assert.equal(invoicesOf(record)[1]?.expiresAt, null);
    });

  test('changes nothing when it is stored already, or when the attempt is unknown', () => {
    const recordWithInvoice = recordWith(makeAttempt('e', { invoice }));
    assert.deepEqual(applyCreatedInvoice(recordWithInvoice, 'e', invoice, times), {
      kind: 'unchanged',
      record: recordWithInvoice,
    });
    assert.deepEqual(applyCreatedInvoice(recordWithInvoice, 'nobody', invoice, times), {
      kind: 'unchanged',
      record: recordWithInvoice,
    });
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

describe('a failed create call', () => {
  for (const [failure, code, reason] of [
    ['refused', 'out_of_range', 'amount_out_of_limits'],
    ['refused', 'failed_precondition', 'method_unavailable'],
    ['refused', 'not_found', 'method_unavailable'],
    ['refused', 'invalid_argument', 'try_again'],
    ['refused', 'permission_denied', 'try_again'],
    ['unavailable', 'out_of_range', 'try_again'],
    ['unavailable', 'not_found', 'try_again'],
  ] as const)
    test(`with the error ${failure} and the code ${code} rejects the attempt with ${reason}`, () => {
      const record = recordWithAttempt({});
      const [old] = record.attempts;
      assert.deepEqual(applyCreateFailure(record, 'e', { failure, code, httpStatus: 400, isOwnCode: true }, times), {
        kind: 'rejected',
        record: {
          ...record,
          attempts: [old, makeRejected('e', { reason })],
        },
      });
    });

  for (const [code, kind, source] of [
    ['invalid_argument', 'rejected'],
    ['failed_precondition', 'rejected'],
    ['out_of_range', 'rejected'],
    ['not_found', 'rejected'],
    ['already_exists', 'conflict'],
    ['permission_denied', 'in_doubt'],
    ['unimplemented', 'in_doubt'],
    ['not_found', 'in_doubt', 'a gateway'],
    ['invalid_argument', 'in_doubt', 'a gateway'],
  ] as const)
    test(`that repeats a create in doubt, with the code ${code} from ${source ?? 'the service'}, has the result ${kind}`, () => {
      const record = recordWithAttempt({ state: 'in_doubt' });
      const error = { failure: 'refused', code, httpStatus: 400, isOwnCode: source === undefined } as const;
      const result = applyCreateFailure(record, 'e', error, times);
      assert.deepEqual(
        [result.kind, result.record.attempts[1]?.state],
        [kind, kind === 'in_doubt' ? kind : 'rejected'],
      );
    });

  test('whose result is in doubt ends the lease, and is repeated at the given time', () => {
    const record = recordWithAttempt({});
    const [old, attempt] = record.attempts;
    assert.deepEqual(
      applyCreateFailure(
        record,
        'e',
        { failure: 'ambiguous', code: 'unknown', httpStatus: 0, isOwnCode: false },
        times,
      ),
      {
        kind: 'in_doubt',
        record: {
          ...record,
          attempts: [old, { ...attempt, state: 'in_doubt', leaseUntil: 0, runAt: 7 }],
        },
      },
    );
  });

  test('whose result is in doubt, and which is not repeated any more, is reported to the shop as unresolved', () => {
    const record = recordWithAttempt({ state: 'in_doubt' });
    const error = { failure: 'ambiguous', code: 'unknown', httpStatus: 0, isOwnCode: false } as const;
    const result = applyCreateFailure(record, 'e', error, { ...times, retryAt: null });
    assert.equal(result.kind, 'unresolved');
    assert.deepEqual(
      [result.record.attempts[1]?.state, result.record.attempts[1]?.runAt, result.record.attempts[1]?.leaseUntil],
      ['unresolved', null, 0],
    );
    const [outcome] = outcomesBetween(record, result.record, 3);
    assert.deepEqual(
      [outcome?.id, outcome?.kind, outcome?.invoiceId, outcome?.amount, outcome?.mode, outcome?.occurredAt],
      ['e.create_unresolved', 'create_unresolved', null, '1500.00', 'TEST', 3],
    );
  });

  test('has the result conflict when the service has an invoice with this external_id, and the attempt is refused', () => {
    const { kind, record } = applyCreateFailure(
      recordWithAttempt({}),
      'e',
      { failure: 'refused', code: 'already_exists', httpStatus: 400, isOwnCode: true },
      times,
    );
    assert.equal(kind, 'conflict');
    const rejected = makeRejected('e', { reason: 'method_unavailable' });
    assert.deepEqual(record.attempts[1], rejected);
  });

  for (const error of [
    { failure: 'unavailable', code: 'already_exists', httpStatus: 409, isOwnCode: true },
    { failure: 'unavailable', code: 'aborted', httpStatus: 409, isOwnCode: true },
  ] as const)
    test(`with the error unavailable and the code ${error.code} does not have the result conflict`, () => {
      assert.notEqual(applyCreateFailure(recordWithAttempt({ callCount: 4 }), 'e', error, times).kind, 'conflict');
    });

  test('changes nothing when the attempt is unknown', () => {
    const record = recordWithAttempt({});
    const error = { failure: 'refused', code: 'out_of_range', httpStatus: 400, isOwnCode: true } as const;
    assert.deepEqual(applyCreateFailure(record, 'nobody', error, times), { kind: 'unchanged', record });
  });
});
