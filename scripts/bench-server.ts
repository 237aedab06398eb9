// Compares the checkout server with the bare framework: `npm run bench:server [-- --rounds N --seconds N]`. Prints the
// figures; `--write` also writes test/bench/results/server.json and docs/development/benchmarks.md.
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { writeBenchmarksPage } from '../test/bench/write-benchmarks-page.ts';
import { buildResult, formatText } from './bench-server/report.ts';
import { runBench } from './bench-server/measure.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '32' },
    checkouts: { type: 'string', default: '100' },
    write: { type: 'boolean', default: false },
  },
});

const loadAverage = os.loadavg()[0] ?? NaN;
const options = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  checkouts: Number(values.checkouts),
};
const windows = await runBench(options);
const result = buildResult(windows, { ...options, loadAverage });
console.log(formatText(result));
if (values.write) {
  mkdirSync('test/bench/results', { recursive: true });
  writeFileSync('test/bench/results/server.json', `${JSON.stringify(result, null, 2)}\n`);
  writeBenchmarksPage();
}
