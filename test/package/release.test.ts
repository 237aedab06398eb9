// The steps of .github/workflows/release.yml, in a copy of what they read, as far as they go without a registry.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';

const workflow = z
  .object({
    permissions: z.record(z.string(), z.string()),
    jobs: z.object({
      publish: z.object({
        permissions: z.record(z.string(), z.string()),
        steps: z.array(z.object({ name: z.string().optional(), run: z.string().optional() })),
      }),
    }),
  })
  .parse(parse(readFileSync('.github/workflows/release.yml', 'utf8')));
const job = workflow.jobs.publish;

/** The command of a step. */
function commandOf(name: string): string {
  return job.steps.find((step) => step.name === name)?.run ?? assert.fail(`there is no step ${name}`);
}

const folder = temporaryFolder();
const read = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'README.md', 'LICENSE', 'SECURITY.md', 'llms.txt'];
for (const path of [...read, 'scripts', 'src', 'dist', 'docs', 'examples', 'server-example'])
  cpSync(path, join(folder, path), { recursive: true });
cpSync('.changeset/config.json', join(folder, '.changeset/config.json'));
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
git('init', '--quiet');
git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--allow-empty', '--message', 'release');

function run(command: string, env: Readonly<Record<string, string>> = {}): readonly [number | null, string] {
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, GITHUB_REPOSITORY: '', ...env } } as const;
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', command], options);
  return [status, stdout + stderr];
}

/** Runs with another text in a file of the copy. */
function withText(file: string, text: string, act: () => void): void {
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, text);
  act();
  writeFileSync(path, before);
}

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));
const check = commandOf('Check that the version is the same everywhere, and is in the changelog');

test('the workflow may write the tag and its identity, and nothing else', () => {
  assert.deepEqual(workflow.permissions, { contents: 'read' });
  assert.deepEqual(job.permissions, { contents: 'write', 'id-token': 'write' });
});

test('a release is checked: the version in each file, and the changelog', () => {
  assert.deepEqual(run(check), [0, '']);
  for (const [file, pattern, replacement, fault] of [
    ['CHANGELOG.md', `## ${version}`, '## 9.9.9', `CHANGELOG.md says nothing of ${version}`],
    ['package-lock.json', `"version": "${version}"`, '"version": "9.9.9"', 'package-lock.json has the version 9.9.9'],
    [
      'docs/openapi/checkout.json',
      `"version": "${version}"`,
      '"version": "9.9.9"',
      'checkout.json has the version 9.9.9',
    ],
  ] as const)
    withText(file, readFileSync(file, 'utf8').replace(pattern, replacement), () => {
      const [status, output] = run(check);
      assert.deepEqual([status, output.includes(fault)], [1, true], output);
    });
});

test('a version is published once, and not while a change waits for a version', () => {
  const output = join(folder, 'outputs');
  const waiting = join(folder, '.changeset/waits.md');
  const isNew = (): boolean => {
    writeFileSync(output, '');
    const [status, text] = run(commandOf('See whether this is a release'), { GITHUB_OUTPUT: output });
    assert.equal(status, 0, text);
    assert.ok(readFileSync(output, 'utf8').startsWith(`version=${version}\n`));
    return readFileSync(output, 'utf8').endsWith('is-new=true\n');
  };
  assert.equal(isNew(), true);
  writeFileSync(waiting, '');
  assert.equal(isNew(), false);
  rmSync(waiting);
  git('tag', `v${version}`);
  assert.equal(isNew(), false);
});

test('what is published names the repository of the workflow, and is otherwise what was tested', () => {
  const before = readFileSync(join(folder, 'package.json'), 'utf8');
  const address = 'https://github.example/someone/shop';
  const names = { GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'someone/shop' };
  assert.equal(run(commandOf('Name the repository'), names)[0], 0);
  const { repository, homepage, bugs, ...others } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  assert.deepEqual(repository, { type: 'git', url: `git+${address}.git` });
  assert.deepEqual([homepage, bugs], [`${address}#readme`, { url: `${address}/issues` }]);
  assert.deepEqual(others, JSON.parse(before));
});

test('what is published is packed without a fault, and is sent only by the real run', () => {
  const command = commandOf('Publish');
  assert.match(command, /^npm publish --provenance --access public$/);
  // Without the identity of a workflow there is no provenance. `dist` is built.
  const [status, output] = run(`${command.replace(' --provenance', '')} --dry-run --ignore-scripts`);
  assert.equal(status, 0, output);
  assert.match(output, new RegExp(`\\+ pay-invoice@${version.replaceAll('.', '\\.')}`));
  const warnings = output.split('\n').filter((line) => /^npm warn/i.test(line) && !line.includes('logged in'));
  assert.deepEqual(warnings, []);
});
