import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyFetchedStatus } from '../support/apply-with-outcomes.ts';
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
    apply: (record, id, result, ...remainingArguments) => {
      const update = applyFetchedStatus(
        record,
        id,
        { ...result, fetched: result.fetched && { ...result.fetched, amount: '100.00' } },
        ...remainingArguments,
      );
      return (
        update && {
          ...update,
          outcomes: update.outcomes.map((outcome) => ({ ...outcome, amount: result.fetched?.amount ?? '' })),
        }
      );
    },
  },
  {
    name: 'amounts are compared as texts',
    rule: /reported as a mismatch/,
    apply: (record, id, result, ...remainingArguments) => {
      const isRequestedAmount = result.fetched?.amount === '100.00';
      const fetched = result.fetched && { ...result.fetched, amount: isRequestedAmount ? '100.00' : '99.00' };
      const update = applyFetchedStatus(record, id, { ...result, fetched }, ...remainingArguments);
      return (
        update && {
          ...update,
          outcomes: update.outcomes.map((outcome) => ({ ...outcome, amount: result.fetched?.amount ?? '' })),
        }
      );
    },
  },
  {
    name: 'a payment of another amount makes the checkout paid',
    rule: /without a reported payment/,
    apply: (record, id, ...remainingArguments) => {
      const update = applyFetchedStatus(record, id, ...remainingArguments);
      const isMismatch = update?.outcomes.some(({ kind }) => kind === 'amount_mismatch') === true;
      return isMismatch ? { ...update, record: { ...update.record, paidExternalId: id } } : update;
    },
  },
  {
    name: 'a payment of another amount is not reported',
    rule: /a payment is not reported/,
    apply: (...applyArguments) => {
      const update = applyFetchedStatus(...applyArguments);
      return update && { ...update, outcomes: update.outcomes.filter(({ kind }) => kind !== 'amount_mismatch') };
    },
  },
  {
    name: 'a mismatch is reported without the order’s amount',
    rule: /amount of the order/,
    apply: (...applyArguments) => {
      const update = applyFetchedStatus(...applyArguments);
      return (
        update && {
          ...update,
          outcomes: update.outcomes.map((outcome) => ({ ...outcome, expectedAmount: outcome.amount })),
        }
      );
    },
  },
];

describe('the amounts at the create, in fetches and at the payment', () => {
  for (const { count, maxDepth } of depths)
    test(`keep every rule in every order of responses, with ${count === 1 ? 'one pending invoice' : 'two pending invoices'}`, () => {
      const { violation, complete } = explore(amountsModel(applyFetchedStatus, count), { maxDepth });
      assert.deepEqual(violation, undefined);
      assert.ok(complete);
    });

  for (const { name, rule, apply } of defects)
    test(`break a rule with the defect: ${name}`, () => {
      const { violation } = explore(amountsModel(apply, 1), { maxDepth: 6 });
      assert.match(violation?.rule ?? 'nothing was found', rule);
      assert.ok((violation?.trace.length ?? 0) > 0);
    });
});
