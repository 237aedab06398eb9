import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkoutModel } from './checkout-model.ts';
import { decisions } from './checkout-steps.ts';
import { defects } from './checkout-defects.ts';
import { explore, firstViolation } from './explore.ts';
import { scenarios } from './checkout-scenarios.ts';

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
        scenarios.map(
          ({ bounds, depth }) =>
            () =>
              explore(checkoutModel(defect.decisions, bounds), { maxDepth: depth }),
        ),
      );
      assert.match(violation?.rule ?? 'nothing was found', defect.rule);
      assert.ok((violation?.trace.length ?? 0) > 0);
    });
});

describe('the exploration', () => {
  const createCounter = (isWrong: (value: number) => boolean) => ({
    initial: 0,
    steps: (value: number) => [
      { name: 'add one', next: value + 1 },
      { name: 'double', next: value * 2 },
    ],
    key: String,
    violation: (value: number) => (isWrong(value) ? `${value} is wrong` : undefined),
  });

  test('reports the shortest trace to a state that breaks a rule', () => {
    const { violation } = explore(
      createCounter((value) => value === 6),
      { maxDepth: 10 },
    );
    assert.deepEqual(violation, { rule: '6 is wrong', trace: ['add one', 'add one', 'add one', 'double'] });
  });

  test('counts each state once, and is not complete when it ends at maxStates', () => {
    const exploration = explore(
      createCounter(() => false),
      { maxDepth: 3 },
    );
    assert.deepEqual([exploration.states, exploration.complete], [5, true]);
    assert.equal(
      explore(
        createCounter(() => false),
        { maxDepth: 30, maxStates: 50 },
      ).complete,
      false,
    );
  });
});
