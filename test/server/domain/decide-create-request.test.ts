import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  decideCreateRequest,
  newAttempt,
  claimCreate,
  type CreateRequest,
  type PricedCreateRequest,
  type CreateDecision,
} from '../../../src/server/domain/decide-create-request.ts';
import type { Attempt, CheckoutRecord } from '../../../src/server.ts';
import { makeCheckoutRecord, makeAttempt } from '../../../src/testing/checkout-records.ts';

const now = 5000;
const leaseMs = 700;

/** The request is that of `makeAttempt`, with a key that the attempt does not have. */
const another: PricedCreateRequest = {
  key: { key: 'new', fingerprint: 'three' },
  paymentMethodId: 'pm_1',
  amount: '1500.00',
  replace: false,
};
/** A repeat of the request of `makeAttempt`. */
const repeat: CreateRequest = { ...another, key: { key: 'key-2', fingerprint: 'two' } };
/** A call under way. */
const leased = { stage: 'creating', invoice: null, leaseUntil: now + 1 } as const;
/** A call whose lease has ended. */
const unleased = { ...leased, leaseUntil: now } as const;

function decide(
  attempts: readonly Attempt[],
  request: CreateRequest,
  changes: Partial<CheckoutRecord> = {},
): CreateDecision {
  return decideCreateRequest(makeCheckoutRecord('c', { attempts, ...changes }), request, now, leaseMs);
}

const keysOf = (record: CheckoutRecord | undefined): readonly (readonly string[])[] | undefined =>
  record?.attempts.map(({ keys }) => keys.map(({ key }) => key));

describe('a create request', () => {
  const withReplace = { ...another, replace: true };
  const otherBody = { ...repeat, key: { key: 'key-2', fingerprint: 'one' } };
  for (const [title, attempt, request, kind] of [
    ['with the same key and body', {}, repeat, 'reuse'],
    ['with the same key and another body', {}, otherBody, 'idempotency_mismatch'],
    ['with another key, for the same method and amount', {}, another, 'reuse'],
    ['for the same amount, written otherwise', {}, { ...another, amount: '1500' }, 'reuse'],
    ['for another amount', {}, { ...another, amount: '1500.01' }, 'invoice_pending'],
    ['for another method', {}, { ...another, paymentMethodId: 'pm_2' }, 'invoice_pending'],
    ['for another method, with replace', {}, { ...withReplace, paymentMethodId: 'pm_2' }, 'new'],
    ['for the same method, with replace', {}, withReplace, 'reuse'],
    ['with replace, at the deadline of the invoice', { expiresAt: now }, withReplace, 'new'],
    ['with replace, just before the deadline', { expiresAt: now + 1 }, withReplace, 'reuse'],
    ['with replace, for an invoice without a deadline', { expiresAt: null }, withReplace, 'reuse'],
    ['without replace, at the deadline of the invoice', { expiresAt: now }, another, 'reuse'],
    ['after a failure', { outcome: 'failed' }, another, 'new'],
    ['after a failure, with the same key', { outcome: 'failed' }, repeat, 'reuse'],
    ['after a refusal, with the same key', { stage: 'rejected', refusal: 'try_again' }, repeat, 'new'],
    ['while the call of another request is under way', leased, another, 'join'],
    ['while the call of the same key is under way', leased, repeat, 'join'],
    ['after a call whose lease has ended', unleased, another, 'call'],
    ['after a call in doubt, with the same key', { ...unleased, stage: 'in_doubt' }, repeat, 'call'],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>, CreateRequest, CreateDecision['kind']])[])
    test(`${title} is decided as ${kind}`, () => {
      assert.equal(decide([makeAttempt('e', attempt)], request).kind, kind);
    });

  test('without an earlier attempt leads to a new one', () => {
    assert.deepEqual(decide([], another), { kind: 'new' });
  });

  for (const [title, older, replace, kind] of [
    ['that can still be paid', {}, false, 'invoice_pending'],
    ['whose create is in doubt', { ...unleased, stage: 'in_doubt' }, false, 'invoice_pending'],
    ['that can still be paid, with replace', {}, true, 'new'],
    ['that has expired', { outcome: 'expired' }, false, 'new'],
    ['that was refused', { stage: 'rejected', refusal: 'try_again' }, false, 'new'],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>, boolean, CreateDecision['kind']])[])
    test(`after the failure of an invoice that replaced one ${title} is decided as ${kind}`, () => {
      const attempts = [
        makeAttempt('old', { replaced: true, keys: [], ...older }),
        makeAttempt('e', { outcome: 'failed' }),
      ];
      assert.equal(decide(attempts, { ...another, replace }).kind, kind);
    });

  test('for a paid checkout is refused, with a known key or another one', () => {
    for (const request of [repeat, another])
      assert.equal(decide([makeAttempt('e')], request, { paidExternalId: 'e' }).kind, 'already_paid');
  });

  test('whose key was used with another body is refused, also when that attempt was refused', () => {
    const refused = makeAttempt('e', { stage: 'rejected', refusal: 'try_again' });
    const mismatched = { ...repeat, key: { key: 'key-1', fingerprint: 'two' } };
    assert.equal(decide([refused], mismatched).kind, 'idempotency_mismatch');
  });

  test('gets the attempt of its key, not the newest one', () => {
    const decision = decide([makeAttempt('old', { replaced: true }), makeAttempt('e', { keys: [] })], repeat);
    assert.ok('attempt' in decision);
    assert.equal(decision.attempt.externalId, 'old');
  });

  test('saves nothing when its key is known', () => {
    for (const attempt of [makeAttempt('e'), makeAttempt('e', leased)])
      assert.deepEqual(decide([attempt], repeat), {
        kind: attempt.stage === 'created' ? 'reuse' : 'join',
        attempt,
        record: undefined,
      });
  });

  test('stores its key in the attempt, so that a repeat gets the same attempt', () => {
    for (const changes of [{}, leased, unleased]) {
      const first = decide([makeAttempt('old', { keys: [] }), makeAttempt('e', changes)], another);
      assert.ok('attempt' in first);
      assert.deepEqual(keysOf(first.record), [[], ['key-1', 'key-2', 'new']]);
      assert.deepEqual(first.attempt, first.record?.attempts[1]);
    }
  });

  test('stores at most twenty keys, and gets the same attempt without one', () => {
    const withKeys = (count: number): Attempt =>
      makeAttempt('e', { keys: Array.from({ length: count }, (_, n) => ({ key: `k${n}`, fingerprint: 'one' })) });
    const last = decide([withKeys(19)], another);
    assert.equal('record' in last ? keysOf(last.record)?.[0]?.length : undefined, 20);
    const attempt = withKeys(20);
    assert.deepEqual(decide([attempt], another), { kind: 'reuse', attempt, record: undefined });
  });
});

describe('a call that has to be repeated', () => {
  for (const stage of ['creating', 'in_doubt'] as const)
    test(`is claimed when the lease of its attempt (${stage}) has ended: the attempt is counted, in doubt and without a QR`, () => {
      const attempt = makeAttempt('e', { ...unleased, stage });
      const record = makeCheckoutRecord('c', { attempts: [makeAttempt('old', { replaced: true }), attempt] });
      const claimed = claimCreate(record, 'e', now, leaseMs);
      assert.deepEqual(claimed?.attempt, {
        ...attempt,
        request: { ...attempt.request, qr: undefined },
        stage: 'in_doubt',
        callCount: 3,
        leaseUntil: 5700,
        runAt: 5700,
      });
      assert.deepEqual(claimed.record, { ...record, attempts: [record.attempts[0], claimed.attempt] });
    });

  for (const [title, changes] of [
    ['is under a lease', leased],
    ['has its invoice', {}],
    ['was refused', { ...unleased, stage: 'rejected', refusal: 'try_again' }],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>])[])
    test(`is not claimed when its attempt ${title}`, () => {
      assert.equal(
        claimCreate(makeCheckoutRecord('c', { attempts: [makeAttempt('e', changes)] }), 'e', now, leaseMs),
        undefined,
      );
    });

  test('is not claimed for an unknown attempt', () => {
    assert.equal(
      claimCreate(makeCheckoutRecord('c', { attempts: [makeAttempt('e', unleased)] }), 'other', now, leaseMs),
      undefined,
    );
  });
});

test('a new attempt has a lease for its first call and no result', () => {
  const { request } = makeAttempt('e');
  assert.deepEqual(newAttempt(another, { type: 'CARD' }, request, 'e', now, leaseMs), {
    externalId: 'e',
    keys: [{ key: 'new', fingerprint: 'three' }],
    paymentMethodId: 'pm_1',
    method: { type: 'CARD' },
    amount: '1500.00',
    request,
    stage: 'creating',
    callCount: 1,
    leaseUntil: 5700,
    replaced: false,
    createdAt: 5000,
    invoice: null,
    expiresAt: null,
    serviceStatus: null,
    outcome: 'pending',
    runAt: 5700,
    checkedAt: null,
    refusal: null,
  });
});
