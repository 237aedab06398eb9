import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkoutModel } from './checkout-model.ts';
import { decisions, type Decisions } from './checkout-steps.ts';
import { defects } from './checkout-defects.ts';
import { explore, type Violation } from './explore.ts';
import { scenarios } from './checkout-scenarios.ts';

const mostSteps = Math.max(...scenarios.map(({ depth }) => depth));

/** The first violation in any scenario, with few steps first: most are found long before a scenario has been explored. */
function findViolation(changed: Decisions): Violation | undefined {
  for (let maxDepth = 1; maxDepth <= mostSteps; maxDepth += 1)
    for (const { bounds } of scenarios.filter(({ depth }) => depth >= maxDepth)) {
      const { violation } = explore(checkoutModel(changed, bounds), { maxDepth });
      if (violation !== undefined) return violation;
    }
  return undefined;
}

describe('the decisions over a checkout, explored in every order of steps up to a depth,', () => {
  for (const { name, bounds, depth } of scenarios)
    test(`keep every rule with ${name}`, () => {
      const { violation, complete } = explore(checkoutModel(decisions, bounds), { maxDepth: depth });
      assert.deepEqual(violation, undefined);
      assert.ok(complete);
    });

  for (const defect of defects)
    test(`break a rule with the defect: ${defect.name}`, () => {
      const violation = findViolation(defect.decisions);
      assert.match(violation?.rule ?? 'nothing was found', defect.rule);
      assert.ok((violation?.trace.length ?? 0) > 0);
    });
});
