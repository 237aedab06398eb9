import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  decideCreateRequest,
  claimCreate,
  type CreateRequest,
  type PricedCreateRequest,
  type CreateDecision,
} from '../../../src/server/domain/create-decisions.ts';
import type { Attempt, CheckoutRecord } from '../../../src/server-internals.ts';
import { makeAttempt, makeCheckoutRecord, makeCreate, makeRejected } from '../../support/make-checkout-records.ts';

const now = 5000;
const leaseMs = 700;

/** The request of `makeAttempt`, with a key that the attempt does not have. */
const requestWithNewKey: PricedCreateRequest = {
  key: { key: 'new', fingerprint: 'three' },
  paymentMethodId: 'pm_1',
  amount: '1500.00',
  replace: false,
};
/** The request of `makeAttempt`, with one of its keys. */
const repeatedRequest: CreateRequest = { ...requestWithNewKey, key: { key: 'key-2', fingerprint: 'two' } };
/** An attempt whose call is under way. */
const leased = makeCreate('e', { state: 'creating', leaseUntil: now + 1 });
/** An attempt whose lease has ended. */
const unleased = makeCreate('e', { state: 'creating', leaseUntil: now });
const refused = makeRejected('e');

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
  const voided = { as: 'void', note: 'not paid', at: now } as const;
  const withReplace = { ...requestWithNewKey, replace: true };
  const otherBody = { ...repeatedRequest, key: { key: 'key-2', fingerprint: 'one' } };
  for (const [title, attempt, request, kind] of [
    ['with the same key and body', {}, repeatedRequest, 'reuse'],
    ['with the same key and another body', {}, otherBody, 'idempotency_mismatch'],
    ['with another key, for the same method and amount', {}, requestWithNewKey, 'reuse'],
    ['for the same amount without decimals', {}, { ...requestWithNewKey, amount: '1500' }, 'reuse'],
    ['for another amount', {}, { ...requestWithNewKey, amount: '1500.01' }, 'invoice_pending'],
    ['for another method', {}, { ...requestWithNewKey, paymentMethodId: 'pm_2' }, 'invoice_pending'],
    ['for another method, with replace', {}, { ...withReplace, paymentMethodId: 'pm_2' }, 'new'],
    ['for the same method, with replace', {}, withReplace, 'reuse'],
    ['with replace, at the deadline of the invoice', { expiresAt: now, answeredAt: now }, withReplace, 'new'],
    ['with replace, at the deadline, fetched before', { expiresAt: now, answeredAt: now - 1 }, withReplace, 'check'],
    ['with replace, just before the deadline', { expiresAt: now + 1 }, withReplace, 'reuse'],
    ['without replace, at the deadline of the invoice', { expiresAt: now }, requestWithNewKey, 'reuse'],
    ['after the invoice has failed', { outcome: 'failed', answeredAt: now }, requestWithNewKey, 'new'],
    ['after the invoice was voided', { resolution: voided, answeredAt: now }, requestWithNewKey, 'new'],
    ['after the invoice has failed before', { outcome: 'failed', answeredAt: now - 1 }, requestWithNewKey, 'check'],
    ['after the invoice has failed, with the same key', { outcome: 'failed' }, repeatedRequest, 'reuse'],
    ['after the service refused the create, with the same key', refused, repeatedRequest, 'new'],
    ['while the call of another request is under way', leased, requestWithNewKey, 'join'],
    ['while the call of a request with the same key is under way', leased, repeatedRequest, 'join'],
    ['after a call whose lease has ended', unleased, requestWithNewKey, 'call'],
    ['after a call in doubt, with the same key', makeCreate('e'), repeatedRequest, 'call'],
  ] as const)
    test(`${title} is decided as ${kind}`, () => {
      assert.equal(decide(['externalId' in attempt ? attempt : makeAttempt('e', attempt)], request).kind, kind);
    });

  test('without an earlier attempt is decided as new', () => {
    assert.deepEqual(decide([], requestWithNewKey), { kind: 'new' });
  });

  for (const [title, older, replace, kind] of [
    ['that can still be paid', makeAttempt('old'), false, 'invoice_pending'],
    ['whose create is in doubt', makeCreate('e'), false, 'invoice_pending'],
    ['that can still be paid, with replace', makeAttempt('old'), true, 'new'],
    ['that has expired', makeAttempt('old', { outcome: 'expired', answeredAt: now }), false, 'new'],
    ['that has expired before', makeAttempt('old', { outcome: 'expired' }), false, 'check'],
    ['that the service refused', makeRejected('old'), false, 'new'],
  ] as const satisfies readonly (readonly [string, Attempt, boolean, CreateDecision['kind']])[])
    test(`after the failure of an invoice that replaced an invoice ${title} is decided as ${kind}`, () => {
      const attempts = [
        { ...older, externalId: 'old', keys: [] },
        makeAttempt('e', { outcome: 'failed', answeredAt: now }),
      ];
      assert.equal(decide(attempts, { ...requestWithNewKey, replace }).kind, kind);
    });

  test('for a paid checkout is refused, with a known or a new key', () => {
    for (const request of [repeatedRequest, requestWithNewKey])
      assert.equal(decide([makeAttempt('e')], request, { paidExternalId: 'e' }).kind, 'already_paid');
  });

  test('for a checkout that the merchant or its expiresAt has closed is refused, but a known key gets its attempt', () => {
    const { params } = makeCheckoutRecord('c');
    for (const changes of [{ closedAt: now }, { params: { ...params, expiresAt: now } }]) {
      assert.equal(decide([makeAttempt('e')], requestWithNewKey, changes).kind, 'checkout_closed');
      assert.equal(decide([], requestWithNewKey, changes).kind, 'checkout_closed');
      assert.equal(decide([makeAttempt('e')], repeatedRequest, changes).kind, 'reuse');
    }
  });

  test('whose key was used with another body is refused, even when the service refused the attempt of that key', () => {
    const refusedAttempt = makeRejected('e');
    const mismatchedRequest = { ...repeatedRequest, key: { key: 'key-1', fingerprint: 'two' } };
    assert.equal(decide([refusedAttempt], mismatchedRequest).kind, 'idempotency_mismatch');
  });

  test('gets the attempt of its key, not the newest attempt', () => {
    const decision = decide([makeAttempt('old'), makeAttempt('e', { keys: [] })], repeatedRequest);
    assert.ok('attempt' in decision);
    assert.equal(decision.attempt.externalId, 'old');
  });

  test('saves nothing when its key is known', () => {
    const attempt = makeAttempt('e');
    assert.deepEqual(decide([attempt], repeatedRequest), { kind: 'reuse', attempt, record: undefined });
  });

  test('stores its new key in the attempt that it gets, so that a repeat gets the same attempt', () => {
    for (const attempt of [makeAttempt('e'), leased, unleased]) {
      const decision = decide([makeAttempt('old', { keys: [] }), attempt], requestWithNewKey);
      assert.ok('attempt' in decision);
      assert.deepEqual(keysOf(decision.record), [[], ['key-1', 'key-2', 'new']]);
      assert.deepEqual(decision.attempt, decision.record?.attempts[1]);
    }
  });

  test('stores at most twenty keys of an attempt, and gets the attempt even when its key is not stored', () => {
    const withKeys = (count: number): Attempt =>
      makeAttempt('e', { keys: Array.from({ length: count }, (_, n) => ({ key: `k${n}`, fingerprint: 'one' })) });
    const decision = decide([withKeys(19)], requestWithNewKey);
    assert.equal('record' in decision ? keysOf(decision.record)?.[0]?.length : undefined, 20);
    const attempt = withKeys(20);
    assert.deepEqual(decide([attempt], requestWithNewKey), { kind: 'reuse', attempt, record: undefined });
  });
});

describe('a call that has to be repeated', () => {
  const { qr, ...withoutQr } = unleased.request;
  const requestWithQr = { ...withoutQr, qr };
  for (const state of ['creating', 'in_doubt'] as const)
    test(`is claimed when the lease of its attempt (${state}) has ended: its calls are counted, it is in doubt, and its request has no QR`, () => {
      const attempt = makeCreate('e', { ...unleased, state, request: requestWithQr });
      const record = makeCheckoutRecord('c', { attempts: [makeAttempt('old'), attempt] });
      const claim = claimCreate(record, 'e', now, leaseMs);
      assert.deepEqual(claim?.attempt, {
        ...attempt,
        request: withoutQr,
        state: 'in_doubt',
        callCount: 3,
        leaseUntil: 5700,
        runAt: 5700,
      });
      assert.deepEqual(claim.record, { ...record, attempts: [record.attempts[0], claim.attempt] });
    });

  for (const state of ['creating', 'in_doubt'] as const)
    test(`is claimed as it is when its last call (${state}) has ended`, () => {
      const attempt = makeCreate('e', { state, request: requestWithQr });
      const claim = claimCreate(makeCheckoutRecord('c', { attempts: [attempt] }), 'e', now, leaseMs);
      assert.deepEqual(claim?.attempt, { ...attempt, callCount: 3, leaseUntil: 5700, runAt: 5700 });
    });

  for (const state of ['creating', 'in_doubt'] as const)
    test(`is joined, not repeated, by a payer who asks before its time (${state})`, () => {
      for (const [runAt, kind] of [
        [now + 1, 'join'],
        [now, 'call'],
      ] as const)
        assert.equal(decide([makeCreate('e', { state, runAt })], repeatedRequest).kind, kind);
    });

  for (const [title, attempt] of [
    ['is under a lease', leased],
    ['has its invoice', makeAttempt('e')],
    ['was refused', refused],
    ['is unresolved', makeCreate('e', { state: 'unresolved' })],
  ] as const)
    test(`is not claimed when its attempt ${title}`, () => {
      assert.equal(claimCreate(makeCheckoutRecord('c', { attempts: [attempt] }), 'e', now, leaseMs), undefined);
    });

  test('is not claimed for an unknown attempt', () => {
    assert.equal(claimCreate(makeCheckoutRecord('c', { attempts: [unleased] }), 'other', now, leaseMs), undefined);
  });
});
