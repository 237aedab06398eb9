import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { operations } from '../../src/service-api.ts';
import { faultKinds } from '../../src/tools/sandbox/faults/fault-kinds.ts';

const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');

test('the sandbox’s page lists exactly the faults that the sandbox accepts', () => {
  const cells = page.split('\n').flatMap((line) => {
    const [, kind, ...otherCells] = /^\| `(\w+)` +\| (.+?) +\| ([\w, ]+?) +\| (.*?) *\|$/.exec(line) ?? [];
    return kind === undefined ? [] : [[kind, ...otherCells]];
  });
  const expected = faultKinds.map(({ kind, description, operations: names, members }) => [
    kind,
    description,
    names.length === operations.length ? 'all' : names.join(', '),
    members.map((name) => `\`${name}\``).join(', '),
  ]);
  assert.deepEqual(cells, expected);
});
