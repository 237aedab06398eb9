import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { documentOf } from './documents.ts';

// The architecture page has the tests of each reliability rule: a link's text is a part of a title in the file.

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

/** The titles of the tests in a file, and of their groups, as they stand in the source. */
function titlesIn(file: string): readonly string[] {
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return [...source.matchAll(titlePattern)].map(([, single, double, template]) => single ?? double ?? template ?? '');
}

test('rows 38 to 58 have rules', () => {
  const rows = Array.from({ length: 21 }, (_, index) => 38 + index);
  assert.deepEqual([...new Set(rules.map(({ row }) => row))], rows);
});

for (const { row, rule, tests } of rules)
  test(`the tests of row ${row} exist: ${rule}`, () => {
    assert.notEqual(tests.length, 0);
    for (const { title, file } of tests)
      assert.ok(
        titlesIn(file).some((one) => one.includes(title)),
        `${file} has no title with: ${title}`,
      );
  });
