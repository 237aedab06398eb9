// Our widget beside what a merchant would use instead: `npm run bench [-- --runs N --only part,part --quick]`. Writes
// test/bench/results/browser.json and docs/benchmarks.md; `--quick` and `--only` only print.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hardware, loadAverages } from '../../scripts/describe-hardware.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { assetsOf, type Assets } from './build-subjects.ts';
import { takeTurn, wait } from './measure-subject.ts';
import { browserTables, writePage } from './write-benchmarks-page.ts';
import type { BrowserResult, SubjectResult } from './browser-result.ts';
import { startBenchServer } from './bench-server.ts';
import { subjects } from './subjects.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs ?? (values.quick ? 1 : 7));
if (!(runs >= 1)) throw new TypeError('--runs must be a number');
const waitSeconds = values.quick ? 5 : 60;
const loadAverage = loadAverages();

const here = fileURLToPath(new URL('.', import.meta.url));
interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;

/** The peers by their versions, installed when they are not. */
function installPeers(): Readonly<Record<string, string>> {
  const wanted = manifestOf(here).dependencies;
  const placeOf = (name: string): string => `${here}node_modules/${name}`;
  const missing = Object.entries(wanted).some(
    ([name, version]) => !existsSync(placeOf(name)) || manifestOf(placeOf(name)).version !== version,
  );
  if (missing) {
    const npm = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', npm, { cwd: here, stdio: 'inherit', shell: process.platform === 'win32' });
  }
  return wanted;
}

const peers = installPeers();
execFileSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--mode', 'cdn', '--logLevel', 'warn'], {
  stdio: 'inherit',
});

const chosen = subjects.filter(({ id }) => values.only === undefined || values.only.split(',').includes(id));
if (chosen.length === 0) throw new TypeError(`--only takes ${subjects.map(({ id }) => id).join(', ')}`);
const assets = new Map<string, Assets>();
const results: Record<string, SubjectResult> = {};
for (const subject of chosen) {
  const built = await assetsOf(subject);
  if (built) assets.set(subject.id, built);
  const files = [...(built?.files ?? [])].map(([name, { zipped }]) => [name, zipped.length]);
  results[subject.id] = {
    files: Object.fromEntries(files) as Record<string, number>,
    options: [],
    click: [],
    resume: [],
    waiting: [],
  };
}

const server = await startBenchServer(assets);
const browser = await launchChromium();
const none: SubjectResult = { files: {}, options: [], click: [], resume: [], waiting: [] };
const started = Date.now();
const say = (what: string): void =>
  console.log(`${String(Math.round((Date.now() - started) / 1000)).padStart(5)} s  ${what}`);
try {
  // The browser's own first pages are slower than the others: that turn does not count.
  for (let run = values.quick ? 1 : 0; run <= runs; run += 1)
    for (const subject of chosen) {
      say(run === 0 ? `warms up: ${subject.id}` : `run ${run}: ${subject.id}`);
      await takeTurn(browser, server.url, subject, run === 0 ? structuredClone(none) : (results[subject.id] ?? none));
    }
  for (const subject of chosen.filter(({ waits }) => waits)) {
    say(`waits: ${subject.id}`);
    await wait(browser, server.url, subject, results[subject.id] ?? none, waitSeconds);
  }
} finally {
  await browser.close();
  server.close();
}

const ownLit = manifestOf(`${here}../../node_modules/lit`).version;
const result: BrowserResult = {
  command: ['npm run bench', ...(process.argv.length > 2 ? ['--'] : []), ...process.argv.slice(2)].join(' '),
  date: new Date().toISOString().slice(0, 10),
  machine: hardware(),
  loadAverage,
  node: process.version,
  browser: `Chromium ${browser.version()}`,
  versions: { 'pay-invoice': manifestOf(`${here}../..`).version, lit: ownLit, ...peers },
  waitSeconds,
  subjects: results,
};
console.log(`\n${browserTables(result)}`);
if (!values.quick && values.only === undefined) {
  writeFileSync(`${here}results/browser.json`, `${JSON.stringify(result, null, 1)}\n`);
  writePage();
}
