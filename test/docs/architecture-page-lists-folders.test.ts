import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { documentOf } from './documents.ts';

const trees = documentOf('docs/architecture.md').blocks;

/** The paths of a tree that is drawn by indentation, with one name at the start of each line. */
function pathsOf(code: string): readonly string[] {
  const paths: string[] = [];
  let folder = '';
  for (const [, indent = '', name = ''] of code.matchAll(/^((?: {2})?)([\w./-]+)(?=\s)/gm)) {
    paths.push(indent === '' ? name : `${folder}${name}`);
    if (indent === '' && name.endsWith('/')) folder = name;
  }
  return paths;
}

const paths = trees.flatMap(({ code }) => pathsOf(code));

test('every path in the trees of the architecture page exists', () => {
  assert.ok(paths.length > 20, paths.join());
  for (const path of paths) assert.ok(existsSync(path), path);
});

for (const parent of ['src', 'src/server'])
  test(`the architecture page lists every folder of ${parent}`, () => {
    const folders = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of folders) assert.ok(paths.includes(`${parent}/${name}/`), `${parent}/${name}`);
  });
