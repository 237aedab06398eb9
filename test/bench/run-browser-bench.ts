// Measures the widget and what a merchant would use instead:
// `npm run bench [-- --runs N --profile M,S --only subject,subject]`. Prints its tables; a run of all subjects in both profiles also
// writes them to docs/development/benchmarks.md. When a target is missed, exits with 1 and prints its name.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hardware, loadAverages } from '../../scripts/describe-hardware.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { buildAssets, type Assets } from './build-subjects.ts';
import { measureScenes } from './measure-subject.ts';
import { formatResults, profileIds, profiles, type ProfileId, type SubjectResult } from './results.ts';
import { startBenchServer } from './subject-server.ts';
import { subjects } from './subjects.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '9' },
    profile: { type: 'string', default: profileIds.join(',') },
    only: { type: 'string', default: subjects.map(({ id }) => id).join(',') },
  },
});
const runs = Number(values.runs);
const selectedProfiles = profileIds.filter((id) => values.profile.split(',').includes(id));
const selectedSubjects = subjects.filter(({ id }) => values.only.split(',').includes(id));
if (!(runs >= 1) || selectedProfiles.length === 0 || selectedSubjects.length === 0)
  throw new RangeError(`--runs takes a number, --profile M,S, --only ${subjects.map(({ id }) => id).join(',')}`);

const loadAverage = loadAverages();
const benchFolder = fileURLToPath(new URL('.', import.meta.url));
const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;

const npm = (cwd: string, ...args: readonly string[]): unknown =>
  execFileSync('npm', args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });

/** Installs the peers when the run needs them and they are missing. */
const { dependencies: peerVersions } = readManifest(benchFolder);
const isInstalled = Object.entries(peerVersions).every(([name, version]) => {
  const folder = `${benchFolder}node_modules/${name}`;
  return existsSync(folder) && readManifest(folder).version === version;
});
if (selectedSubjects.some(({ isPeer }) => isPeer) && !isInstalled)
  npm(benchFolder, 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
// The package as it is published: the files for a CDN, and the library with its markup for the tag.
npm(projectFolder, 'run', '--silent', 'build');

const assets = new Map<string, Assets>();
for (const subject of selectedSubjects) {
  const subjectAssets = await buildAssets(subject);
  if (subjectAssets) assets.set(subject.id, subjectAssets);
}

const createEmptyResult = (): SubjectResult => ({ options: [], click: [], resume: [], requisites: [], live: [] });

const server = await startBenchServer(assets);
const browser = await launchChromium();
const results: Partial<Record<ProfileId, Readonly<Record<string, SubjectResult>>>> = {};
try {
  for (const id of selectedProfiles) {
    const profile = profiles[id];
    const profileResults = Object.fromEntries(selectedSubjects.map((subject) => [subject.id, createEmptyResult()]));
    results[id] = profileResults;
    // The subjects alternate. The first round is slower and is not recorded.
    for (let run = 0; run <= runs; run += 1)
      for (const subject of selectedSubjects) {
        console.log(`${new Date().toTimeString().slice(0, 8)} ${id}, ${run === 0 ? 'warm-up' : run}: ${subject.id}`);
        const result = (run === 0 ? undefined : profileResults[subject.id]) ?? createEmptyResult();
        await measureScenes({ browser, url: server.url, profile }, subject, result);
      }
  }
} finally {
  await browser.close();
  await server.close();
}

const { text, missed } = formatResults(results);
console.log(`\n${text}`);
if (selectedProfiles.length === profileIds.length && selectedSubjects.length === subjects.length) {
  const versions = Object.entries({
    'pay-invoice': readManifest(projectFolder).version,
    lit: readManifest(`${projectFolder}node_modules/lit`).version,
    ...peerVersions,
  }).map(([name, version]) => `${name} ${version}`);
  const facts = `- ${runs} runs on ${new Date().toISOString().slice(0, 10)}; Node ${process.version}
- machine: ${hardware()}
- load average before the run: ${loadAverage}; above 0 means that others used the machine too
- browser: Chromium ${browser.version()}, headless; ${versions.join(', ')}`;
  const page = `${projectFolder}docs/development/benchmarks.md`;
  const [before = '', , after = ''] = readFileSync(page, 'utf8').split(
    /(?<=<!-- results -->\n)|(?=<!-- \/results -->)/,
  );
  writeFileSync(page, `${before}\n${facts}\n\n${text}\n\n${after}`);
}
for (const name of missed) {
  console.error(`MISSED ${name}`);
  process.exitCode = 1;
}
