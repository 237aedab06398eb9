import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { documentOf } from './documents.ts';

const [tree] = documentOf('docs/architecture.md').blocks;

/** The paths of a tree that is drawn by indentation, each name at the beginning of its line. */
function pathsOf(code: string): readonly string[] {
  const paths: string[] = [];
  let folder = '';
  for (const [, indent = '', name = ''] of code.matchAll(/^((?: {2})?)([\w.-]+\/?)(?=\s)/gm)) {
    paths.push(indent === '' ? name : `${folder}${name}`);
    if (indent === '' && name.endsWith('/')) folder = name;
  }
  return paths;
}

test('the tree of docs/architecture.md has the folders that there are, and no other', () => {
  const paths = pathsOf(tree?.code ?? '');
  for (const path of paths) assert.ok(existsSync(path), path);
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) assert.ok(paths.includes(`src/${name}/`), `src/${name}`);
});
