// Measures our widget and what a merchant would use instead: `npm run bench [-- --runs N --profile M --rows id,id --only subject
// --quick]`. Prints its tables; a run of everything writes test/bench/results/browser.json and docs/benchmarks.md. Ends with
// 1 and the names of the rows where a target is missed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hardware, loadAverages } from '../../scripts/describe-hardware.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { startBenchServer } from './subject-server.ts';
import type { BrowserResult, ProfileResult, SubjectResult } from './browser-result.ts';
import { browserTables } from './browser-tables.ts';
import { assetsOf, type Assets } from './build-subjects.ts';
import { planOf } from './command-line.ts';
import { measureScenes, trace, wait, type Bench } from './measure-subject.ts';
import { profiles, type ProfileId } from './profiles.ts';
import { subjects } from './subjects.ts';
import { missed } from './targets.ts';
import { writePage } from './write-benchmarks-page.ts';

const plan = planOf(process.argv.slice(2));
const loadAverage = loadAverages();
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;

const chosen = subjects.filter((subject) => plan.scenesOf(subject).length > 0);

/** The versions of the peers. Installs the peers when the run needs them and they are missing. */
function installPeers(): Readonly<Record<string, string>> {
  const wanted = manifestOf(here).dependencies;
  if (!chosen.some(({ isPeer }) => isPeer)) return wanted;
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

/** The package as it is published: the files for a CDN, and the library's server rendering. */
function buildOurs(): void {
  rmSync(`${root}dist/cdn`, { recursive: true, force: true });
  const options = { cwd: root, stdio: 'inherit' } as const;
  for (const mode of ['cdn', 'library'])
    execFileSync(
      process.execPath,
      ['node_modules/vite/bin/vite.js', 'build', '--mode', mode, '--logLevel', 'warn'],
      options,
    );
  execFileSync('npm', ['run', '--silent', 'build:cdn'], { ...options, shell: process.platform === 'win32' });
}

const peers = installPeers();
buildOurs();
const assets = new Map<string, Assets>();
for (const subject of chosen) {
  const built = await assetsOf(subject);
  if (built) assets.set(subject.id, built);
}

const started = Date.now();
const log = (what: string): void =>
  console.log(`${String(Math.round((Date.now() - started) / 1000)).padStart(5)} s  ${what}`);
const empty = (): SubjectResult => ({ options: [], click: [], resume: [], waiting: [], traces: {} });

/** Measures every scene except waiting. The subjects alternate. The first round is slower and does not count. */
async function measureTimes(bench: Bench, results: Readonly<Record<string, SubjectResult>>): Promise<void> {
  for (let run = 0; run <= plan.runs; run += 1)
    for (const subject of chosen) {
      log(`${bench.profile.id}, ${run === 0 ? 'warms up' : `run ${run}`}: ${subject.id}`);
      const result = run === 0 ? undefined : results[subject.id];
      await measureScenes(bench, subject, plan.scenesOf(subject), result ?? empty());
    }
}

async function measureProfile(id: ProfileId, bench: Bench): Promise<ProfileResult> {
  const results = Object.fromEntries(chosen.map((subject) => [subject.id, empty()]));
  await measureTimes(bench, results);
  for (const subject of chosen) {
    const result = results[subject.id] ?? empty();
    const scenes = plan.scenesOf(subject);
    for (const scene of ['choose', 'resume'] as const) {
      if (!scenes.includes(scene)) continue;
      log(`${id}, trace: ${subject.id}`);
      await trace(bench, subject, scene, result);
    }
    // Waiting uses almost no network, so it is measured in one profile only.
    if (id !== 'M' || !scenes.includes('wait')) continue;
    log(`${id}, waits: ${subject.id}`);
    await wait(bench, subject, result, plan.waitSeconds);
  }
  return { subjects: results };
}

const server = await startBenchServer(assets);
const browser = await launchChromium();
const measured: Partial<Record<ProfileId, ProfileResult>> = {};
try {
  for (const id of plan.profiles)
    measured[id] = await measureProfile(id, { browser, url: server.url, profile: profiles[id] });
} finally {
  await browser.close();
  server.close();
}

const sizes = ({ files }: Assets): Record<string, number> =>
  Object.fromEntries([...files].map(([name, { zipped }]) => [name, zipped.length]));
const result: BrowserResult = {
  command: ['npm run bench', ...(process.argv.length > 2 ? ['--'] : []), ...process.argv.slice(2)].join(' '),
  date: new Date().toISOString().slice(0, 10),
  machine: hardware(),
  loadAverage,
  node: process.version,
  browser: `Chromium ${browser.version()}`,
  versions: { 'pay-invoice': manifestOf(root).version, lit: manifestOf(`${root}node_modules/lit`).version, ...peers },
  waitSeconds: plan.waitSeconds,
  files: Object.fromEntries([...assets].map(([id, own]) => [id, sizes(own)])),
  profiles: measured,
};
console.log(`\n${browserTables(result)}`);
if (plan.isComplete) {
  writeFileSync(`${here}results/browser.json`, `${JSON.stringify(result, null, 1)}\n`);
  writePage();
}
for (const { id, profile, reached, most } of missed(result)) {
  console.error(`MISSED ${id} on ${profile}: ${reached.toFixed(2)}, at most ${most.toFixed(2)}`);
  process.exitCode = 1;
}
