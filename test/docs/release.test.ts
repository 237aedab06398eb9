import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { documentOf } from './documents.ts';

// docs/contributing.md says how a release comes about: its first step, in a copy of what it changes.
test('a changeset becomes the next version and a line of the changes', () => {
  const { blocks } = documentOf('docs/contributing.md');
  assert.ok(blocks.some(({ code }) => code.startsWith('npx changeset version\n')));
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    for (const name of ['package.json', 'CHANGELOG.md', '.changeset'])
      cpSync(name, join(folder, name), { recursive: true });
    writeFileSync(join(folder, '.changeset', 'kind-cups-pour.md'), '---\n"pay-invoice": minor\n---\n\nPours tea.\n');
    const run = (command: string, ...args: readonly string[]): void =>
      void execFileSync(command, args, { cwd: folder, stdio: 'pipe' });
    run('git', 'init', '--quiet', '--initial-branch', 'main');
    run('git', 'add', '.');
    run('git', '-c', 'user.name=One', '-c', 'user.email=one@example.test', 'commit', '--quiet', '--message', 'All');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    run(process.execPath, resolve('node_modules/@changesets/cli/bin.js'), 'version');
    const next = version.replace(/(\d+)\.\d+$/, (_, minor: string) => `${Number(minor) + 1}.0`);
    assert.match(readFileSync(join(folder, 'package.json'), 'utf8'), new RegExp(`"version": "${next}"`));
    const changes = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
    assert.ok(changes.indexOf(`## ${next}`) < changes.indexOf('Pours tea.'), changes.slice(0, 500));
    assert.ok(changes.indexOf('Pours tea.') < changes.indexOf(`## ${version}`), changes.slice(0, 500));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
