// Measures servers with payers who wait, and a disturbance: `npm run load -- --disturbance NAME [--payers N --servers N …]`. Prints the
// figures; `--write FOLDER` also writes `run.json`, and `run.svg` with what happened each second.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { loadAverages } from './describe-hardware.ts';
import { drawRun } from './load/draw-run.ts';
import { disturbances, type Disturbance } from './load/disturbances.ts';
import { formatRun } from './load/report.ts';
import { runLoad } from './load/run-load.ts';

const { values } = parseArgs({
  options: {
    disturbance: { type: 'string', default: 'none' },
    payers: { type: 'string' },
    servers: { type: 'string' },
    arrivals: { type: 'string' },
    payments: { type: 'string', default: '2' },
    calm: { type: 'string', default: '45' },
    lasts: { type: 'string' },
    after: { type: 'string', default: '120' },
    hooks: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    fetches: { type: 'string' },
    heap: { type: 'string' },
    profile: { type: 'string' },
    write: { type: 'string' },
  },
});

function readNumber(
  name: 'payers' | 'servers' | 'arrivals' | 'payments' | 'calm' | 'lasts' | 'after' | 'fetches' | 'heap',
) {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!(Number(text) >= 0)) throw new TypeError(`--${name} must be a number`);
  return Number(text);
}

const disturbance = Object.entries<Disturbance>(disturbances).find(([name]) => name === values.disturbance)?.[1];
if (disturbance === undefined)
  throw new TypeError(`--disturbance must be one of ${Object.keys(disturbances).join(', ')}`);
const servers = readNumber('servers') ?? disturbance.servers;
const options = {
  disturbance,
  servers,
  payers: readNumber('payers') ?? disturbance.payers,
  usesPostgres: values.postgres || servers > 1 || disturbance.postgres === true,
  usesProxy: disturbance.proxy === true,
  hooks: values.hooks,
  arrivalsPerSecond: readNumber('arrivals') ?? 100 * servers,
  paymentsPerSecond: readNumber('payments') ?? 0,
  calmSeconds: readNumber('calm') ?? 0,
  disturbanceSeconds: readNumber('lasts') ?? disturbance.seconds ?? 0,
  afterSeconds: readNumber('after') ?? 0,
  fetchesPerSecond: readNumber('fetches'),
  heapMegabytes: readNumber('heap'),
  profile: values.profile,
};
const loadAverage = loadAverages();
const controller = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());

const run = await runLoad({ ...options, log: (line) => console.log(line), signal: controller.signal });
const facts = {
  command: ['npm run load', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' '),
  setup: `${options.payers} payers, ${servers === 1 ? 'one server' : `${servers} servers`} on ${options.usesPostgres ? 'PostgreSQL' : 'SQLite'}${options.usesProxy ? ', HAProxy in front' : ''}${options.hooks ? ', webhooks' : ''}`,
  loadAverage,
};
console.log(`\n${formatRun(run, disturbance, facts)}`);
if (values.write !== undefined) {
  mkdirSync(values.write, { recursive: true });
  writeFileSync(path.join(values.write, 'run.json'), JSON.stringify({ ...facts, ...run }));
  writeFileSync(path.join(values.write, 'run.svg'), drawRun(run, `${disturbance.title} — ${facts.setup}`));
}
process.exit(run.failure === undefined ? 0 : 1);
