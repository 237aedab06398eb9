import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
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

const sources = files
  .filter((file) => file.startsWith('src/'))
  .map((file) => {
    const text = readFileSync(file, 'utf8');
    const specifiers = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, one = '']) => one);
    const importedFiles = specifiers.map((one) => posix.join(posix.dirname(file), one));
    return { file, lines: text.split('\n').length - 1, importedFiles };
  });

/** Counts the files of src that import a file. */
function countImporters(file: string): number {
  return sources.filter(({ importedFiles }) => importedFiles.includes(file)).length;
}

test('a file of src under 30 lines is an entry, is imported by several files, or stands in the table of small files', () => {
  const [, section = ''] = page.text.split('## Small files');
  const smallFiles = filesNamedIn(section.split('\n## ')[0] ?? '').map((name) => `src/${name}`);
  for (const { file, lines } of sources)
    if (lines < 30 && !/^src\/(?:bin\/)?[\w-]+\.ts$/.test(file) && countImporters(file) < 2)
      assert.ok(smallFiles.includes(file), file);
  for (const file of smallFiles.filter((one) => one.split('/').length > 2))
    assert.ok(
      sources.some((one) => one.file === file && one.lines < 30),
      `${file} has 30 lines or more`,
    );
});
