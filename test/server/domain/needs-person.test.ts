import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsPerson } from '../../../src/server/domain/merchant-changes.ts';
import { defaultStatuses, type Attempt } from '../../../src/server-internals.ts';
import type { NewOutcome } from '../../../src/server.ts';
import { makeAttempt, makeCheckoutRecord, makeCreate, makeOutcome } from '../../support/make-checkout-records.ts';

const voided = { as: 'void', note: 'Anna', at: 1 } as const;

for (const [kind, attempt, expected] of [
  ['paid', makeAttempt('e', { outcome: 'paid' }), false],
  ['failed', makeAttempt('e', { outcome: 'failed' }), false],
  ['expired', makeAttempt('e', { outcome: 'expired' }), false],
  ['resolved', makeAttempt('e', { outcome: 'amount_mismatch', resolution: voided }), false],
  ['amount_mismatch', makeAttempt('e', { outcome: 'amount_mismatch' }), true],
  ['duplicate_payment', makeAttempt('e', { outcome: 'paid' }), true],
  ['test_payment', makeAttempt('e', { outcome: 'test_payment' }), true],
  ['invoice_unresolved', makeAttempt('e', { outcome: 'unresolved' }), true],
  ['create_unresolved', makeCreate('e', { state: 'unresolved' }), true],
] as const satisfies readonly (readonly [NewOutcome['kind'], Attempt, boolean])[])
  test(`an outcome ${kind} ${expected ? 'needs a person' : 'needs nobody'}`, () => {
    const record = makeCheckoutRecord('c', { attempts: [attempt] });
    assert.equal(needsPerson(record, makeOutcome('o', { kind }), defaultStatuses), expected);
  });
