import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { documentOf } from './documents.ts';

const page = documentOf('docs/development/architecture.md');
const trees = page.blocks;

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

const files = ['src', 'server-example', 'demo', 'scripts', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
);

/** The files that a part of the page names, by whole paths or by their ends such as `domain/status-words.ts`. */
const filesNamedIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name);

test('every file that the architecture page names exists', () => {
  const names = filesNamedIn(page.prose);
  assert.ok(names.length > 80, names.join());
  for (const name of names)
    assert.ok(
      files.some((file) => `/${file}`.endsWith(`/${name}`)),
      name,
    );
});
