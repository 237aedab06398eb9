// Measures the widget and what a merchant would use instead:
// `npm run bench [-- --runs N --profile M --rows id,id --only subject --quick]`.
// Prints its tables; a complete run also writes test/bench/results/browser.json and docs/development/benchmarks.md. When a target is missed,
// exits with 1 and prints the names of those rows.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hardware, loadAverages } from '../../scripts/describe-hardware.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { startBenchServer } from './subject-server.ts';
import type { BrowserResult, ProfileResult, SubjectResult } from './browser-result.ts';
import { formatBrowserTables } from './browser-tables.ts';
import { buildAssets, type Assets } from './build-subjects.ts';
import { parseCommandLine } from './command-line.ts';
import { measureScenes, traceVisit, type Bench } from './measure-subject.ts';
import { profiles, type ProfileId } from './profiles.ts';
import { subjects } from './subjects.ts';
import { findMissedTargets } from './targets.ts';
import { writeBenchmarksPage } from './write-benchmarks-page.ts';

const plan = parseCommandLine(process.argv.slice(2));
const loadAverage = loadAverages();
const benchFolder = fileURLToPath(new URL('.', import.meta.url));
const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;

const selectedSubjects = subjects.filter((subject) => plan.scenesOf(subject).length > 0);

/** Installs the peers when the run needs them and they are missing. Returns their versions. */
function installPeers(): Readonly<Record<string, string>> {
  const versions = readManifest(benchFolder).dependencies;
  if (!selectedSubjects.some(({ isPeer }) => isPeer)) return versions;
  const locatePeer = (name: string): string => `${benchFolder}node_modules/${name}`;
  const isInstallNeeded = Object.entries(versions).some(
    ([name, version]) => !existsSync(locatePeer(name)) || readManifest(locatePeer(name)).version !== version,
  );
  if (isInstallNeeded) {
    const npmArguments = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', npmArguments, { cwd: benchFolder, stdio: 'inherit', shell: process.platform === 'win32' });
  }
  return versions;
}

/** Builds the package as it is published: the files for a CDN, and the library with its server rendering. */
function buildWidget(): void {
  rmSync(`${projectFolder}dist/cdn`, { recursive: true, force: true });
  const options = { cwd: projectFolder, stdio: 'inherit' } as const;
  for (const mode of ['cdn', 'library'])
    execFileSync(
      process.execPath,
      ['node_modules/vite/bin/vite.js', 'build', '--mode', mode, '--logLevel', 'warn'],
      options,
    );
  execFileSync('npm', ['run', '--silent', 'build:cdn'], { ...options, shell: process.platform === 'win32' });
}

const peerVersions = installPeers();
buildWidget();
const assets = new Map<string, Assets>();
for (const subject of selectedSubjects) {
  const subjectAssets = await buildAssets(subject);
  if (subjectAssets) assets.set(subject.id, subjectAssets);
}

const startedAt = Date.now();
const log = (text: string): void =>
  console.log(`${String(Math.round((Date.now() - startedAt) / 1000)).padStart(5)} s  ${text}`);
const createEmptyResult = (): SubjectResult => ({
  options: [],
  click: [],
  resume: [],
  requisites: [],
  live: [],
  traces: {},
});

/** Measures every scene. The subjects alternate. The first round is slower and is not recorded. */
async function measureTimes(bench: Bench, results: Readonly<Record<string, SubjectResult>>): Promise<void> {
  for (let run = 0; run <= plan.runs; run += 1)
    for (const subject of selectedSubjects) {
      log(`${bench.profile.id}, ${run === 0 ? 'warm-up' : `run ${run}`}: ${subject.id}`);
      const result = run === 0 ? undefined : results[subject.id];
      await measureScenes(bench, subject, plan.scenesOf(subject), result ?? createEmptyResult());
    }
}

async function measureProfile(id: ProfileId, bench: Bench): Promise<ProfileResult> {
  const results = Object.fromEntries(selectedSubjects.map((subject) => [subject.id, createEmptyResult()]));
  await measureTimes(bench, results);
  for (const subject of selectedSubjects) {
    const result = results[subject.id] ?? createEmptyResult();
    const scenes = plan.scenesOf(subject);
    for (const scene of ['choose', 'resume'] as const) {
      if (!scenes.includes(scene)) continue;
      log(`${id}, trace: ${subject.id}`);
      await traceVisit(bench, subject, scene, result);
    }
  }
  return { subjects: results };
}

const server = await startBenchServer(assets);
const browser = await launchChromium();
const resultByProfile: Partial<Record<ProfileId, ProfileResult>> = {};
try {
  for (const id of plan.profiles)
    resultByProfile[id] = await measureProfile(id, { browser, url: server.url, profile: profiles[id] });
} finally {
  await browser.close();
  server.close();
}

const listSizes = ({ files }: Assets): Record<string, number> =>
  Object.fromEntries([...files].map(([name, { compressed }]) => [name, compressed.length]));
const result: BrowserResult = {
  command: ['npm run bench', ...(process.argv.length > 2 ? ['--'] : []), ...process.argv.slice(2)].join(' '),
  date: new Date().toISOString().slice(0, 10),
  machine: hardware(),
  loadAverage,
  node: process.version,
  browser: `Chromium ${browser.version()}`,
  versions: {
    'pay-invoice': readManifest(projectFolder).version,
    lit: readManifest(`${projectFolder}node_modules/lit`).version,
    ...peerVersions,
  },
  files: Object.fromEntries([...assets].map(([id, subjectAssets]) => [id, listSizes(subjectAssets)])),
  profiles: resultByProfile,
};
console.log(`\n${formatBrowserTables(result)}`);
if (plan.isComplete) {
  writeFileSync(`${benchFolder}results/browser.json`, `${JSON.stringify(result, null, 1)}\n`);
  writeBenchmarksPage();
}
for (const { id, profile, measured, limit } of findMissedTargets(result)) {
  console.error(`MISSED ${id} on ${profile}: ${measured.toFixed(2)}, at most ${limit.toFixed(2)}`);
  process.exitCode = 1;
}
