import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { documentOf, shellIn } from './documents.ts';

// Runs the release commands of CONTRIBUTING.md in a copy of the files that they change, with a registry that accepts every
// package.
const guide = documentOf('CONTRIBUTING.md');
const [versionCommand = '', , publishCommand = ''] = shellIn(guide, 'npx changeset version').split('\n');

const runFile = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'release-'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);
const changesetFiles = (): readonly string[] =>
  readdirSync(join(folder, '.changeset')).filter((name) => name.endsWith('.md'));

const manifest = z.looseObject({ version: z.string(), scripts: z.record(z.string(), z.string()) });
const { version } = manifest.parse(JSON.parse(readFileSync('package.json', 'utf8')));
const nextVersion = version.replace(/(\d+)\.\d+$/, (_, minor: string) => `${Number(minor) + 1}.0`);

const publishedPackages: unknown[] = [];
const registry = createServer((request, response) => {
  void text(request).then((body) => {
    if (request.method === 'PUT') publishedPackages.push(JSON.parse(body));
    response.writeHead(request.method === 'PUT' ? 201 : 404, { 'content-type': 'application/json' }).end('{}');
  });
});

async function runShell(command: string): Promise<void> {
  const { port } = registry.address() as AddressInfo;
  write('.npmrc', `//127.0.0.1:${port}/:_authToken=any\n`);
  const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/`, CI: 'true' };
  await runFile('sh', ['-ec', command], { cwd: folder, env });
}

before(async () => {
  await once(registry.listen(0, '127.0.0.1'), 'listening');
  for (const name of ['package.json', 'CHANGELOG.md', '.changeset', '.gitignore'])
    cpSync(name, join(folder, name), { recursive: true });
  // The copy has no sources, so that the scripts that build are left out.
  const { scripts, ...otherFields } = manifest.parse(JSON.parse(read('package.json')));
  write('package.json', JSON.stringify({ ...otherFields, scripts: { changeset: scripts['changeset'] } }, null, 2));
  await runShell(`git init --quiet --initial-branch main; git config user.name One; git config user.email one@example.test
    git add .; git commit --quiet --message All`);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
});
after(() => {
  registry.close();
  registry.closeAllConnections();
  rmSync(folder, { recursive: true });
});

test('`npm run changeset` writes a changeset to the folder from which the next version is made', async () => {
  const earlierFiles = changesetFiles();
  await runShell(`${shellIn(guide, 'npm run changeset').trim()} -- add --empty`);
  const [name = '', ...otherFiles] = changesetFiles().filter((one) => !earlierFiles.includes(one));
  assert.deepEqual(otherFiles, []);
  write(`.changeset/${name}`, '---\n"pay-invoice": minor\n---\n\nPours tea.\n');
});

test('a changeset becomes the next version and a line of the changes', async () => {
  await runShell(versionCommand);
  assert.equal(manifest.parse(JSON.parse(read('package.json'))).version, nextVersion);
  const changes = read('CHANGELOG.md');
  assert.ok(changes.indexOf(`## ${nextVersion}`) < changes.indexOf('Pours tea.'), changes.slice(0, 500));
  assert.ok(changes.indexOf('Pours tea.') < changes.indexOf(`## ${version}`), changes.slice(0, 500));
  assert.deepEqual(changesetFiles(), []);
});

test('the version that the registry does not have is published', async () => {
  await runShell(publishCommand);
  const [release, ...otherReleases] = z
    .array(z.object({ versions: z.record(z.string(), z.unknown()) }))
    .parse(publishedPackages);
  assert.deepEqual([Object.keys(release?.versions ?? {}), otherReleases], [[nextVersion], []]);
});
