// Measures one shop with many payers who wait: `npm run load [-- --payers N --seconds N --outage N …]`. Prints the
// figures; `--write` also writes docs/development/load.md. `--quick` is a small run of some seconds. With `--waiting N --processes P` it is
// another run: P servers on one PostgreSQL hold long polls of N payers (docs/development/waiting-payers.md).
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadAverages } from './describe-hardware.ts';
import { formatPage, formatText } from './load/report.ts';
import { runLoad } from './load/run-phases.ts';
import { recordWaiting, formatWaitingPage, writeWaiting } from './load/waiting/report.ts';
import { runWaiting } from './load/waiting/run-waiting-payers.ts';

const { values } = parseArgs({
  options: {
    payers: { type: 'string' },
    seconds: { type: 'string' },
    outage: { type: 'string' },
    poll: { type: 'string' },
    wait: { type: 'string' },
    sample: { type: 'string' },
    hooks: { type: 'boolean', default: false },
    database: { type: 'string' },
    heap: { type: 'string' },
    profile: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    waiting: { type: 'string' },
    processes: { type: 'string', default: '1' },
    opens: { type: 'string', default: '1500' },
    fetches: { type: 'string' },
  },
});

function readNumber(
  name: 'payers' | 'seconds' | 'outage' | 'poll' | 'wait' | 'sample',
  fullDefault: number,
  quickDefault: number,
) {
  const value = Number(values[name] ?? (values.quick ? quickDefault : fullDefault));
  if (!(value >= 0)) throw new TypeError(`--${name} must be a number`);
  return value;
}

if (values.waiting === undefined) await measureLoad();
else await measureWaiting(Number(values.waiting));

async function measureLoad(): Promise<void> {
  const loadAverage = loadAverages();
  const result = await runLoad({
    payers: readNumber('payers', 10_000, 200),
    seconds: readNumber('seconds', 60, 6),
    outageSeconds: readNumber('outage', 60, 8),
    pollMs: readNumber('poll', 2, 2) * 1000,
    waitSeconds: readNumber('wait', 25, 3),
    sample: readNumber('sample', 200, 20),
    hooks: values.hooks,
    database: values.database,
    profile: values.profile,
    heapMegabytes: values.heap === undefined ? undefined : Number(values.heap),
    log: (line) => console.log(line),
  });
  console.log(`\n${formatText(result)}`);
  const maskedArgs = process.argv.slice(2).map((word) => (word.includes('://') ? 'postgres://…' : word));
  const command = ['npm run load', ...(maskedArgs.length > 0 ? ['--', ...maskedArgs] : [])].join(' ');
  if (values.write) writeFileSync('docs/development/load.md', formatPage(result, command, loadAverage));
}

async function measureWaiting(waiting: number): Promise<void> {
  const loadAverage = loadAverages();
  const result = await runWaiting({
    waiting,
    processes: Number(values.processes),
    opensPerSecond: Number(values.opens),
    seconds: readNumber('seconds', 20, 4),
    sample: readNumber('sample', 200, 20),
    waitSeconds: readNumber('wait', 25, 3),
    fetchesPerSecond: values.fetches === undefined ? undefined : Number(values.fetches),
    hooks: values.hooks,
    log: (line) => console.log(line),
  });
  const command = `npm run load -- ${process.argv.slice(2).join(' ')}`;
  const recordedWaiting = recordWaiting(result, command, loadAverage);
  console.log(formatWaitingPage(recordedWaiting));
  if (values.write) writeWaiting(recordedWaiting);
}
