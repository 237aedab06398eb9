// Measures servers with payers who wait: `npm run load [-- --payers N --processes P --seconds N --outage N --restart N …]`. Prints the
// figures; `--write FILE` also appends them to a file. `--quick` is a small run. `--overload CLIENTS` measures instead how many
// orders and invoices succeed when so many buyers order without a pause.
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadAverages } from './describe-hardware.ts';
import { measureOverload } from './load/overload.ts';
import { formatPart } from './load/report.ts';
import { runLoad } from './load/run-phases.ts';

const { values } = parseArgs({
  options: {
    payers: { type: 'string' },
    seconds: { type: 'string' },
    outage: { type: 'string' },
    restart: { type: 'string' },
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
  name: 'payers' | 'seconds' | 'outage' | 'restart' | 'sample',
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
    payers: readNumber('payers', 3000, 100),
    outageSeconds: readNumber('outage', 30, 6),
    restartSeconds: readNumber('restart', 90, 30),
    sample: readNumber('sample', 200, 20),
    log: (line) => console.log(line),
  });
  const command = ['npm run load', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
  const text = formatPart(result, command, loadAverage);
  console.log(`\n${text}`);
  if (values.write !== undefined) appendFileSync(values.write, `\n${text}`);
}

if (values.overload === undefined) await measureWaitingPayers();
else console.log(await measureOverload(serverOptions, { clients: Number(values.overload), seconds }));
