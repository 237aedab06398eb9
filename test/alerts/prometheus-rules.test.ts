import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readEnvironment } from '../../src/standalone.ts';
import { startShop } from '../../server-example/start-shop.ts';
import { documentOf } from '../docs/documents.ts';
import { Buyer } from '../server-example/buyer.ts';
import { until } from '../support/wait-until.ts';
import { rules, rulesFile, selectorsOf } from './prometheus-rules.ts';
import { troubles } from './troubles.ts';

/** The words of a value, which may be a pattern: `(a|b)_failed` has `a_failed` and `b_failed`. */
function wordsOf(pattern: string): readonly string[] {
  const [, before = '', choices, behind = ''] = /^(.*?)\(([^)]*)\)(.*)$/.exec(pattern) ?? [];
  if (choices === undefined) return pattern.split('|');
  return choices.split('|').flatMap((choice) => wordsOf(`${before}${choice}${behind}`));
}

/** The source of the backend. Its string literals contain the names of events, results and operations. */
const source = readdirSync('src/server', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join('src/server', name), 'utf8'))
  .join('\n');
/** Whether the backend has the word as a literal. A worker loop called `name` logs `${name}_failed`. */
const isWritten = (word: string): boolean =>
  source.includes(`'${word}'`) || (word.endsWith('_failed') && source.includes(`'${word.replace(/_failed$/, '')}'`));

describe(rulesFile, () => {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  let exposed = '';
  before(async () => {
    const shop = await startShop(
      readEnvironment({ PORT: '0', SANDBOX_PORT: '0', METRICS_PORT: '0', DATA_DIR: folder }),
    );
    const buyer = new Buyer(shop);
    await buyer.order();
    const { invoice } = await buyer.createInvoice();
    await buyer.simulate(invoice?.id ?? assert.fail(), 'pay');
    const read = async (): Promise<string> => (await fetch(`${shop.metrics ?? ''}/metrics`)).text();
    // The last metric of a purchase to appear.
    await until('the outcome is delivered', async () => (await read()).includes('kind="paid",result="ok"'));
    exposed = await read();
    await shop.close();
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has an alert for each kind of trouble, under one name', () => {
    assert.deepEqual(rules.map(({ alert }) => alert).sort(), Object.keys(troubles).sort());
  });

  for (const path of ['docs/going-live.md', 'docs/ru/going-live.md'])
    it(`${path} has a table of exactly these alerts with their severities`, () => {
      const rows = documentOf(path).prose.matchAll(/^\| `(PayInvoice\w+)` \| (\w+) \| [^|]+ \| [^|]+ \|$/gm);
      assert.deepEqual(
        [...rows].map(([, alert, severity]) => ({ alert, severity })),
        rules.map(({ alert, labels }) => ({ alert, severity: labels.severity })),
      );
    });

  for (const { alert, expr } of rules) {
    it(`${alert} names metrics and labels that the running program exposes`, () => {
      const selectors = selectorsOf(expr);
      assert.notEqual(selectors.length, 0);
      for (const { metric, matchers } of selectors) {
        const sample =
          new RegExp(`^${metric}(?:\\{(.*)\\})? `, 'm').exec(exposed) ?? assert.fail(`there is no ${metric}`);
        const labels = [...(sample[1] ?? '').matchAll(/(\w+)="/g)].map(([, name]) => name);
        for (const name of matchers.keys()) assert.ok(labels.includes(name), `${metric} has no label ${name}`);
      }
    });

    it(`${alert} names events and results that the program has`, () => {
      for (const { matchers } of selectorsOf(expr))
        for (const [label, value] of matchers)
          for (const word of wordsOf(value)) assert.ok(label === 'status' || isWritten(word), `${label}="${word}"`);
    });

    it(`${alert} names metrics that docs/going-live.md explains`, () => {
      const { prose } = documentOf('docs/going-live.md');
      for (const { metric } of selectorsOf(expr)) assert.ok(prose.includes(`\`${metric}\``), metric);
    });
  }
});
