import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { z } from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readMetricsOfPurchase } from './metrics-of-purchase.ts';

const dashboardFile = 'examples/prometheus/pay-invoice.dashboard.json';
const { panels } = z
  .object({
    panels: z.array(
      z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string().min(1) })).default([]) }),
    ),
  })
  .parse(JSON.parse(readFileSync(dashboardFile, 'utf8')));
const expressions = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));

/** The log of a purchase has no warning. */
const warning = 'pay_invoice_log_events_total{level="warn",event="clock_jumped"}';

const skip = spawnSync('promtool', ['--version']).status === 0 ? false : 'not installed: apt-get install prometheus';
const folder = temporaryFolder();
let metricsText = '';
before(async () => {
  if (skip === false) metricsText = await readMetricsOfPurchase(folder);
});

/** Runs promtool with a text as its input. @returns its status and all that it prints */
function promtool(args: readonly string[], input = ''): readonly [number | null, string] {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return [status, stdout + stderr];
}

it(
  'in promtool, each expression of the dashboard answers, over the samples of a server that was paid',
  { skip },
  () => {
    // Each sample of the server becomes a series that grows.
    const samples = metricsText.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const names = [...samples.map((line) => line.slice(0, line.lastIndexOf(' '))), warning];
    const test = {
      interval: '15s',
      input_series: names.map((series) => ({ series, values: '0+1x240' })),
      promql_expr_test: expressions.map(({ expr }) => ({
        expr: `count(${expr}) > bool 0`,
        eval_time: '50m',
        exp_samples: [{ labels: '{}', value: 1 }],
      })),
    };
    const file = join(folder, 'dashboard.test.json');
    writeFileSync(file, JSON.stringify({ rule_files: [], evaluation_interval: '15s', tests: [test] }));
    const [status, output] = promtool(['test', 'rules', file]);
    assert.equal(status, 0, output);
  },
);

it('in promtool, the metrics of a standalone server that was paid have no fault', { skip }, () => {
  assert.match(metricsText, /^# TYPE process_cpu_seconds_total counter$/m);
  assert.deepEqual(promtool(['check', 'metrics'], metricsText), [0, '']);
});
