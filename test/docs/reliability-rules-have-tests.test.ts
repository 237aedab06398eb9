import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { documentOf } from './documents.ts';

// The architecture page links each reliability rule to its tests. The text of a link is a part of a test's title in that file.

const { path, prose } = documentOf('docs/architecture.md');
const [, section = ''] = /^## Reliability rules and their tests\n([^]*?)^## /m.exec(prose) ?? [];
const rules = [...section.matchAll(/^\| (\d+) \| (.+?) \| (.+) \|$/gm)].map(([, row, rule = '', tests = '']) => ({
  row: Number(row),
  rule,
  tests: [...tests.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = '', link = '']) => ({
    title,
    file: posix.join(posix.dirname(path), link),
  })),
}));

const titlePattern = /\b(?:test|it|rule|suite|describe)\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/g;

/** Returns the titles of the tests and groups in a file as they stand in its source. */
function readTitles(file: string): readonly string[] {
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return [...source.matchAll(titlePattern)].map(([, single, double, template]) => single ?? double ?? template ?? '');
}

test('each row from 38 to 58 has a rule', () => {
  const rows = Array.from({ length: 21 }, (_, index) => 38 + index);
  assert.deepEqual([...new Set(rules.map(({ row }) => row))], rows);
});

for (const { row, rule, tests } of rules)
  test(`the tests of row ${row} exist: ${rule}`, () => {
    assert.notEqual(tests.length, 0);
    for (const { title, file } of tests)
      assert.ok(
        readTitles(file).some((one) => one.includes(title)),
        `${file} has no title with: ${title}`,
      );
  });
