import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { documentOf, fileIn, filesOfSection } from './documents.ts';

// The table of docs/frameworks.md has the numbers of lines that a merchant writes. They are counted in the files of each section.
const guide = documentOf('docs/frameworks.md');

/** Matches the files of a server and its configuration. All other files belong to the page. */
const backendPattern = /^(?:lib|server|instrumentation|app\/(?:checkout|orders)|shop\.ts|examples)\b/;

type Files = Readonly<Record<string, string>>;

const filesOfExample = (...paths: readonly string[]): Files =>
  Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));

/** The files that a merchant writes, by the framework's name in the table. */
const files: Readonly<Record<string, () => Files>> = {
  'React 19': () => filesOfSection(guide, 'React 19'),
  'Vue 3': () => filesOfSection(guide, 'Vue 3'),
  'Svelte 5': () => filesOfSection(guide, 'Svelte 5'),
  'Angular 20': () => filesOfSection(guide, 'Angular 20'),
  'Next 16': () => ({ ...filesOfSection(guide, 'Next 16'), 'lib/orders.ts': fileIn(guide, 'orders.ts') }),
  'Nuxt 4': () => ({ ...filesOfSection(guide, 'Nuxt 4'), 'server/utils/orders.ts': fileIn(guide, 'orders.ts') }),
  Express: () => {
    const express = documentOf('docs/integrating.md');
    const names = ['shop.ts', 'public/index.html', 'public/order.js'];
    return Object.fromEntries(names.map((name) => [name, fileIn(express, name)]));
  },
  PHP: () => filesOfExample('examples/php/shop.php', 'examples/php/outcomes.php'),
  Python: () => filesOfExample('examples/python/shop.py', 'examples/python/outcomes.py'),
  Go: () => filesOfExample('examples/go/shop.go', 'examples/go/go.mod'),
};

const rowsOf = (path: string): readonly (readonly string[])[] => [
  ...documentOf(path).text.matchAll(/^\| \[(.+?)\]\(.*?\) \| (\d+) \| (\d+) \|$/gm),
];
const rows = rowsOf('docs/frameworks.md');

test('the table of frameworks has a row for each framework, in both languages', () => {
  assert.deepEqual(
    rows.map(([, name]) => name),
    Object.keys(files),
  );
  assert.deepEqual(
    rowsOf('docs/ru/frameworks.md').map(([, ...cells]) => cells),
    rows.map(([, ...cells]) => cells),
  );
});

for (const [, name = '', backend, page] of rows)
  test(`the table of frameworks has the numbers of lines of ${name}`, () => {
    const filesOfFramework = Object.entries(files[name]?.() ?? {});
    const linesOf = (isBackend: boolean): number =>
      filesOfFramework
        .filter(([path]) => backendPattern.test(path) === isBackend)
        .flatMap(([, text]) => text.split('\n'))
        .filter((line) => line.trim() !== '').length;
    assert.deepEqual([Number(backend), Number(page)], [linesOf(true), linesOf(false)]);
  });
