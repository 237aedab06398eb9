// Measures servers with many payers who wait: `npm run load [-- --payers N --processes P --seconds N --outage N …]`. Prints the
// figures; `--write PAGE` also writes them as a page. `--quick` is a small run of some seconds, `--poll 0` leaves out all but the long polls.
// `--overload CLIENTS` measures instead how many orders and invoices succeed when so many buyers order without a pause.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadAverages } from './describe-hardware.ts';
import { measureOverload } from './load/overload.ts';
import { formatPage, formatText } from './load/report.ts';
import { runLoad } from './load/run-phases.ts';

const { values } = parseArgs({
  options: {
    payers: { type: 'string' },
    seconds: { type: 'string' },
    outage: { type: 'string' },
    poll: { type: 'string' },
    wait: { type: 'string' },
    sample: { type: 'string' },
    hooks: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    processes: { type: 'string', default: '1' },
    fetches: { type: 'string' },
    heap: { type: 'string' },
    profile: { type: 'string' },
    overload: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'string' },
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

const optionalNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);
const processes = Number(values.processes);
const loadAverage = loadAverages();
const serverOptions = {
  processes,
  usesPostgres: values.postgres || processes > 1,
  hooks: values.hooks,
  fetchesPerSecond: optionalNumber(values.fetches),
  profile: values.profile,
  heapMegabytes: optionalNumber(values.heap),
};
const seconds = readNumber('seconds', 60, 6);

async function measureWaitingPayers(): Promise<void> {
  const result = await runLoad({
    ...serverOptions,
    seconds,
    payers: readNumber('payers', 10_000, 200),
    outageSeconds: readNumber('outage', 60, 8),
    pollMs: readNumber('poll', 2, 2) * 1000,
    waitSeconds: readNumber('wait', 25, 3),
    sample: readNumber('sample', 200, 20),
    log: (line) => console.log(line),
  });
  console.log(`\n${formatText(result)}`);
  const command = ['npm run load', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
  if (values.write !== undefined) writeFileSync(values.write, formatPage(result, command, loadAverage));
}

if (values.overload === undefined) await measureWaitingPayers();
else console.log(await measureOverload(serverOptions, { clients: Number(values.overload), seconds }));
