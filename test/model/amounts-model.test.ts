import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyFetchedStatus } from '../../src/server/domain/apply-fetched-status.ts';
import { amountsModel, type ApplyFetched } from './amounts-model.ts';
import { explore } from './explore.ts';

const depths = [
  { count: 1, maxDepth: 7 },
  { count: 2, maxDepth: 5 },
] as const;

/** Functions that apply a fetch, with one defect each. */
const defects: readonly { readonly name: string; readonly rule: RegExp; readonly apply: ApplyFetched }[] = [
  {
    name: 'the amount of a paid invoice is not compared',
    rule: /reported for another amount/,
    apply: (record, id, result, ...rest) => {
      const update = applyFetchedStatus(
        record,
        id,
        { ...result, fetched: result.fetched && { ...result.fetched, amount: '100.00' } },
        ...rest,
      );
      return (
        update && {
          ...update,
          outcomes: update.outcomes.map((one) => ({ ...one, amount: result.fetched?.amount ?? '' })),
        }
      );
    },
  },
  {
    name: 'amounts are compared as texts',
    rule: /reported as a mismatch/,
    apply: (record, id, result, ...rest) => {
      const isSame = result.fetched?.amount === '100.00';
      const fetched = result.fetched && { ...result.fetched, amount: isSame ? '100.00' : '99.00' };
      const update = applyFetchedStatus(record, id, { ...result, fetched }, ...rest);
      return (
        update && {
          ...update,
          outcomes: update.outcomes.map((one) => ({ ...one, amount: result.fetched?.amount ?? '' })),
        }
      );
    },
  },
  {
    name: 'a payment of another amount makes the checkout paid',
    rule: /without a reported payment/,
    apply: (record, id, ...rest) => {
      const update = applyFetchedStatus(record, id, ...rest);
      const isMismatch = update?.outcomes.some(({ kind }) => kind === 'amount_mismatch') === true;
      return isMismatch ? { ...update, record: { ...update.record, paidExternalId: id } } : update;
    },
  },
  {
    name: 'a payment of another amount is not reported',
    rule: /a payment is not reported/,
    apply: (...args) => {
      const update = applyFetchedStatus(...args);
      return update && { ...update, outcomes: update.outcomes.filter(({ kind }) => kind !== 'amount_mismatch') };
    },
  },
  {
    name: 'a mismatch is reported without the order’s amount',
    rule: /amount of the order/,
    apply: (...args) => {
      const update = applyFetchedStatus(...args);
      return update && { ...update, outcomes: update.outcomes.map((one) => ({ ...one, expectedAmount: one.amount })) };
    },
  },
];

describe('amounts at the create, at fetches and at the payment', () => {
  for (const { count, maxDepth } of depths)
    test(`keep every rule in every order of answers, with ${count} waiting`, () => {
      const { violation, complete } = explore(amountsModel(applyFetchedStatus, count), { maxDepth });
      assert.deepEqual(violation, undefined);
      assert.ok(complete);
    });

  for (const { name, rule, apply } of defects)
    test(`a defect is found: ${name}`, () => {
      const { violation } = explore(amountsModel(apply, 1), { maxDepth: 6 });
      assert.match(violation?.rule ?? 'nothing was found', rule);
      assert.ok((violation?.trace.length ?? 0) > 0);
    });
});
