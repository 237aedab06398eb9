import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { updateTable } from '../../scripts/generate/conformance-table.ts';
import { listChecks, runCommandLine } from '../../src/conformance.ts';

const page = await readFile(new URL('../../docs/conformance.md', import.meta.url), 'utf8');

test('the list of checks in docs/conformance.md is up to date (`npm run generate` writes it)', () => {
  assert.equal(updateTable(page), page);
});

test('docs/conformance.md mentions only existing options, and its example shows an existing check with its rule and clause', async () => {
  let help = '';
  await runCommandLine(['--help'], {
    write: (text) => (help += text),
    writeError: () => undefined,
    isTerminal: false,
    environment: {},
  });
  const optionsIn = (text: string): ReadonlySet<string> =>
    new Set([...text.matchAll(/(?<=[\s`(])--(?!amount|typed(?!-))[a-z][a-z-]+/g)].map(([option]) => option));
  const knownOptions = optionsIn(help);
  for (const option of optionsIn(page)) assert.ok(knownOptions.has(option), option);
  const example = /✗ (\S+) {2}(.*)\n {6}clause {4}(.*)/.exec(page);
  const check = listChecks().find(({ id }) => id === example?.[1]);
  assert.deepEqual([check?.rule, check?.clause], [example?.[2], example?.[3]]);
});

test('every conformance check has a unique id, a clause and a rule', () => {
  const checks = listChecks();
  assert.equal(new Set(checks.map(({ id }) => id)).size, checks.length);
  for (const { id, clause, rule } of checks) {
    assert.match(id, /^[a-z_]+\.[a-z_]+$/);
    assert.ok(clause && rule, id);
  }
});
