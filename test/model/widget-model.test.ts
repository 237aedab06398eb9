import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reduce } from '../../src/core/reducer.ts';
import { explore, firstViolation } from './explore.ts';
import { widgetDefects } from './widget-defects.ts';
import { widgetModel } from './widget-model.ts';
import { widgetScenarios } from './widget-scenarios.ts';

describe('the widget’s reducer, explored in every order of steps up to a depth,', () => {
  for (const { name, bounds, depth } of widgetScenarios)
    test(`keeps every rule with ${name}`, () => {
      const { violation, complete } = explore(widgetModel(reduce, bounds), { maxDepth: depth });
      assert.deepEqual(violation, undefined);
      assert.ok(complete);
    });

  for (const { name, reduce: defectiveReduce, rule } of widgetDefects)
    test(`breaks a rule with the defect: ${name}`, () => {
      const violation = firstViolation(
        widgetScenarios.map(
          ({ bounds, depth }) =>
            () =>
              explore(widgetModel(defectiveReduce, bounds), { maxDepth: depth }),
        ),
      );
      assert.match(violation?.rule ?? 'nothing was found', rule);
      assert.ok((violation?.trace.length ?? 0) > 0);
    });
});
