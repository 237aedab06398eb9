import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reduce } from '../../src/core/reducer.ts';
import { explore, firstViolation } from './explore.ts';
import { widgetDefects } from './widget-defects.ts';
import { widgetModel } from './widget-model.ts';
import { widgetScenarios } from './widget-scenarios.ts';

describe('the widget’s reducer, explored exhaustively up to a depth', () => {
  for (const { name, bounds, depth } of widgetScenarios)
    test(`keeps every rule: ${name}`, () => {
      const { violation, complete } = explore(widgetModel(reduce, bounds), { maxDepth: depth });
      assert.deepEqual(violation, undefined);
      assert.ok(complete);
    });

  for (const { name, reduce: broken, rule } of widgetDefects)
    test(`a defect is found: ${name}`, () => {
      const found = firstViolation(
        widgetScenarios.map(
          ({ bounds, depth }) =>
            () =>
              explore(widgetModel(broken, bounds), { maxDepth: depth }),
        ),
      );
      assert.match(found?.rule ?? 'nothing was found', rule);
      assert.ok((found?.trace.length ?? 0) > 0);
    });
});
