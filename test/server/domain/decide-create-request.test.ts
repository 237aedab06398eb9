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
  payment_method_id: 'pm_1',
  amount: '1500.00',
  replace: false,
};
const own: CreateRequest = { ...another, key: { key: 'key-2', fingerprint: 'two' } };
const held = { stage: 'creating', invoice: null, leaseUntil: now + 1 } as const;
const left = { ...held, leaseUntil: now } as const;

function begun(
  attempts: readonly Attempt[],
  ask: CreateRequest,
  changes: Partial<CheckoutRecord> = {},
): CreateDecision {
  return decideCreateRequest(makeCheckoutRecord('c', { attempts, ...changes }), ask, now, leaseMs);
}

const keysOf = (record: CheckoutRecord | undefined): readonly (readonly string[])[] | undefined =>
  record?.attempts.map(({ keys }) => keys.map(({ key }) => key));

describe('a request for requisites', () => {
  for (const [title, attempt, ask, kind] of [
    ['under its own key, with the body of then', {}, own, 'reuse'],
    [
      'under its own key, with another body',
      {},
      { ...own, key: { key: 'key-2', fingerprint: 'one' } },
      'idempotency_mismatch',
    ],
    ['under another key, for the same', {}, another, 'reuse'],
    ['for the same amount, written otherwise', {}, { ...another, amount: '1500' }, 'reuse'],
    ['for another amount', {}, { ...another, amount: '1500.01' }, 'invoice_pending'],
    ['for another method', {}, { ...another, payment_method_id: 'pm_2' }, 'invoice_pending'],
    ['for another method, to replace', {}, { ...another, payment_method_id: 'pm_2', replace: true }, 'new'],
    ['for the same, to replace', {}, { ...another, replace: true }, 'reuse'],
    ['for the same, to replace what is just over', { expiresAt: now }, { ...another, replace: true }, 'new'],
    ['for the same, to replace what is almost over', { expiresAt: now + 1 }, { ...another, replace: true }, 'reuse'],
    ['for the same, to replace what has no end', { expiresAt: null }, { ...another, replace: true }, 'reuse'],
    ['for the same, which is over', { expiresAt: now }, another, 'reuse'],
    ['after a failure', { outcome: 'failed' }, another, 'new'],
    ['after a failure, under its own key', { outcome: 'failed' }, own, 'reuse'],
    ['after a refusal, under its own key', { stage: 'rejected', refusal: 'try_again' }, own, 'new'],
    ['while another call is under way', held, another, 'join'],
    ['while its own call is under way', held, own, 'join'],
    ['after a call whose process is gone', left, another, 'call'],
    ['after its own call in doubt', { ...left, stage: 'in_doubt' }, own, 'call'],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>, CreateRequest, CreateDecision['kind']])[])
    test(`${title}: ${kind}`, () => {
      assert.equal(begun([makeAttempt('e', attempt)], ask).kind, kind);
    });

  test('without an earlier attempt leads to a new one', () => {
    assert.deepEqual(begun([], another), { kind: 'new' });
  });

  for (const [title, older, replace, kind] of [
    ['that can still be paid', {}, false, 'invoice_pending'],
    ['whose create is in doubt', { ...left, stage: 'in_doubt' }, false, 'invoice_pending'],
    ['that can still be paid, to replace', {}, true, 'new'],
    ['that has expired', { outcome: 'expired' }, false, 'new'],
    ['that was refused', { stage: 'rejected', refusal: 'try_again' }, false, 'new'],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>, boolean, CreateDecision['kind']])[])
    test(`after the failure of an invoice that replaced one ${title}: ${kind}`, () => {
      const attempts = [
        makeAttempt('old', { replaced: true, keys: [], ...older }),
        makeAttempt('e', { outcome: 'failed' }),
      ];
      assert.equal(begun(attempts, { ...another, replace }).kind, kind);
    });

  test('for a paid checkout is refused, with a known key or another one', () => {
    for (const ask of [own, another])
      assert.equal(begun([makeAttempt('e')], ask, { paidExternalId: 'e' }).kind, 'already_paid');
  });

  test('whose key was used with another body is refused, also when that attempt was refused', () => {
    const refused = makeAttempt('e', { stage: 'rejected', refusal: 'try_again' });
    assert.equal(begun([refused], { ...own, key: { key: 'key-1', fingerprint: 'two' } }).kind, 'idempotency_mismatch');
  });

  test('gets the attempt of its key, not the newest one', () => {
    const beginning = begun([makeAttempt('old', { replaced: true }), makeAttempt('e', { keys: [] })], own);
    assert.ok('attempt' in beginning);
    assert.equal(beginning.attempt.externalId, 'old');
  });

  test('saves nothing when its key is known', () => {
    for (const attempt of [makeAttempt('e'), makeAttempt('e', held)])
      assert.deepEqual(begun([attempt], own), {
        kind: attempt.stage === 'created' ? 'reuse' : 'join',
        attempt,
        record: undefined,
      });
  });

  test('stores its key in the attempt, so that a repeat gets the same attempt', () => {
    for (const changes of [{}, held, left]) {
      const first = begun([makeAttempt('old', { keys: [] }), makeAttempt('e', changes)], another);
      assert.ok('attempt' in first);
      assert.deepEqual(keysOf(first.record), [[], ['key-1', 'key-2', 'new']]);
      assert.deepEqual(first.attempt, first.record?.attempts[1]);
    }
  });

  test('stores at most twenty keys, and gets the same attempt without one', () => {
    const withKeys = (count: number): Attempt =>
      makeAttempt('e', { keys: Array.from({ length: count }, (_, n) => ({ key: `k${n}`, fingerprint: 'one' })) });
    const last = begun([withKeys(19)], another);
    assert.equal('record' in last ? keysOf(last.record)?.[0]?.length : undefined, 20);
    const attempt = withKeys(20);
    assert.deepEqual(begun([attempt], another), { kind: 'reuse', attempt, record: undefined });
  });
});

describe('a call that has to be repeated', () => {
  for (const stage of ['creating', 'in_doubt'] as const)
    test(`${stage}: is claimed when its lease has ended, counted, in doubt from then on, and without the QR`, () => {
      const attempt = makeAttempt('e', { ...left, stage });
      const record = makeCheckoutRecord('c', { attempts: [makeAttempt('old', { replaced: true }), attempt] });
      const taken = claimCreate(record, 'e', now, leaseMs);
      assert.deepEqual(taken?.attempt, {
        ...attempt,
        request: { ...attempt.request, qr: undefined },
        stage: 'in_doubt',
        callCount: 3,
        leaseUntil: 5700,
        runAt: 5700,
      });
      assert.deepEqual(taken.record, { ...record, attempts: [record.attempts[0], taken.attempt] });
    });

  for (const [title, changes] of [
    ['somebody holds', held],
    ['has its invoice', {}],
    ['was refused', { ...left, stage: 'rejected', refusal: 'try_again' }],
  ] as const satisfies readonly (readonly [string, Partial<Attempt>])[])
    test(`is not claimed when the attempt is one that ${title}`, () => {
      assert.equal(
        claimCreate(makeCheckoutRecord('c', { attempts: [makeAttempt('e', changes)] }), 'e', now, leaseMs),
        undefined,
      );
    });

  test('is not claimed for an unknown attempt', () => {
    assert.equal(
      claimCreate(makeCheckoutRecord('c', { attempts: [makeAttempt('e', left)] }), 'other', now, leaseMs),
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
