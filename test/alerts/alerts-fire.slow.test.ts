import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { it } from 'node:test';
import { createMetrics } from '../../src/server.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import { healthySeries, rulesFile, troubles } from './troubles.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// promtool evaluates the rules over series of 50 minutes.
const skip = spawnSync('promtool', ['--version']).status === 0 ? false : 'not installed: apt-get install prometheus';
const folder = temporaryFolder();

/** Creates a test of promtool that expects the alerts to fire at a time. */
function createPromtoolTest(
  name: string,
  series: Readonly<Record<string, string>>,
  alerts: readonly string[],
  at = '40m',
) {
  return {
    name,
    interval: '15s',
    input_series: Object.entries({ ...healthySeries, ...series })
      .filter(([, values]) => values !== '')
      .map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: at,
        exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

it('in promtool, exactly one alert fires for each trouble, and none for a healthy shop', { skip }, () => {
  const tests = [
    createPromtoolTest('a healthy shop', {}, []),
    ...Object.entries(troubles).map(([alert, { series, at }]) => createPromtoolTest(alert, series, [alert], at)),
  ];
  const file = join(folder, 'rules.test.json');
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify({ rule_files: [resolve(rulesFile)], evaluation_interval: '15s', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});

it('in promtool, the metrics of a server that was paid have no fault', { skip }, async () => {
  const metrics = createMetrics();
  const harness = await TestCheckoutServer.open({}, { metrics });
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await metrics.expose(),
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout, stderr], [0, '', '']);
});
