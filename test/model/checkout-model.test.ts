import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkoutModel } from './checkout-model.ts';
import { decisions } from './checkout-steps.ts';
import { defects } from './checkout-defects.ts';
import { explore, firstViolation } from './explore.ts';
import { scenarios } from './checkout-scenarios.ts';

/** A defect is looked for with few steps first: most are found long before a scenario has been explored. */
const depths = Array.from({ length: Math.max(...scenarios.map(({ depth }) => depth)) }, (_, index) => index + 1);

describe('the decisions over a checkout, explored in every order of steps up to a depth,', () => {
  for (const { name, bounds, depth } of scenarios)
    test(`keep every rule with ${name}`, () => {
      const { violation, complete } = explore(checkoutModel(decisions, bounds), { maxDepth: depth });
      assert.deepEqual(violation, undefined);
      assert.ok(complete);
    });

  for (const defect of defects)
    test(`break a rule with the defect: ${defect.name}`, () => {
      const violation = firstViolation(
        depths.flatMap((maxDepth) =>
          scenarios
            .filter(({ depth }) => depth >= maxDepth)
            .map(
              ({ bounds }) =>
                () =>
                  explore(checkoutModel(defect.decisions, bounds), { maxDepth }),
            ),
        ),
      );
      assert.match(violation?.rule ?? 'nothing was found', defect.rule);
      assert.ok((violation?.trace.length ?? 0) > 0);
    });
});
