import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readMetricsOfPurchase } from './metrics-of-purchase.ts';
import { rulesFile, troubles } from './troubles.ts';

const { groups } = z
  .strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.strictObject({
            alert: z.string().regex(/^PayInvoice[A-Z]\w+$/),
            expr: z.string(),
            for: z.string().optional(),
            labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
            annotations: z.strictObject({ summary: z.string() }),
          }),
        ),
      }),
    ),
  })
  .parse(parse(readFileSync(rulesFile, 'utf8')));

/** The alerts that the package documents. */
const rules = groups.flatMap((group) => group.rules);

/** Parses the metrics of an expression, each with its matchers such as `event="clock_jumped"`. */
function parseSelectors(expr: string): readonly { readonly metric: string; readonly matchers: Map<string, string> }[] {
  return [...expr.matchAll(/\b((?:pay_invoice|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', text = '']) => ({
      metric,
      matchers: new Map(
        [...text.matchAll(/\b(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
      ),
    }),
  );
}

/** Returns the words that a pattern matches: `(a|b)_failed` matches `a_failed` and `b_failed`. */
function expandPattern(pattern: string): readonly string[] {
  const [, prefix = '', choices, suffix = ''] = /^([^(]*)\(([^)]*)\)(.*)$/.exec(pattern) ?? [];
  if (choices === undefined) return pattern.split('|');
  return choices.split('|').flatMap((choice) => expandPattern(`${prefix}${choice}${suffix}`));
}

/** The source of the backend. Its string literals contain the names of events, results and operations. */
const source = readdirSync('src/server', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join('src/server', name), 'utf8'))
  .join('\n');
/** Whether the backend has the word as a literal. A worker loop called `name` logs `${name}_failed`. */
const isLiteralInSource = (word: string): boolean =>
  source.includes(`'${word}'`) || (word.endsWith('_failed') && source.includes(`'${word.replace(/_failed$/, '')}'`));

describe(rulesFile, () => {
  const folder = temporaryFolder();
  let metricsText = '';
  before(async () => {
    metricsText = await readMetricsOfPurchase(folder);
  });

  it('has exactly one alert for each tested trouble', () => {
    assert.deepEqual(rules.map(({ alert }) => alert).sort(), Object.keys(troubles).sort());
  });

  for (const { alert, expr } of rules) {
    it(`uses in ${alert} only metrics and labels that the running shop exposes`, () => {
      const selectors = parseSelectors(expr);
      assert.notEqual(selectors.length, 0);
      for (const { metric, matchers } of selectors) {
        const sample =
          new RegExp(`^${metric}(?:\\{(.*)\\})? `, 'm').exec(metricsText) ?? assert.fail(`there is no ${metric}`);
        const labels = [...(sample[1] ?? '').matchAll(/\b(\w+)="/g)].map(([, name]) => name);
        for (const name of matchers.keys()) assert.ok(labels.includes(name), `${metric} has no label ${name}`);
      }
    });

    it(`uses in ${alert} only events and results that the source contains`, () => {
      for (const { matchers } of parseSelectors(expr))
        for (const [label, value] of matchers)
          for (const word of expandPattern(value))
            assert.ok(label === 'status' || isLiteralInSource(word), `${label}="${word}"`);
    });
  }
});
