import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentOf, fileIn, filesOfSection } from './documents.ts';

// The table of docs/frameworks.md: how many lines a merchant writes, counted in the files of each section.
const guide = documentOf('docs/frameworks.md');

/** Files of a server and its configuration; all others belong to the page. */
const ofBackend = /^(?:lib|server|instrumentation|app\/(?:checkout|orders))\b/;

/** The files that a section has from another one. */
const shared: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Next 16': { 'lib/orders.ts': fileIn(guide, 'orders.ts') },
  'Nuxt 4': {
    'server/utils/orders.ts': fileIn(guide, 'orders.ts'),
    'app/components/Checkout.vue': fileIn(guide, 'src/Checkout.vue'),
  },
};

const rowsOf = (path: string): readonly (readonly string[])[] => [
  ...documentOf(path).text.matchAll(/^\| \[(.+?)\]\(#.*?\) \| (\d+) \| (\d+) \|$/gm),
];
const rows = rowsOf('docs/frameworks.md');

test('the table of frameworks has a row for each of them', () => {
  assert.deepEqual(
    rows.map(([, name]) => name),
    ['React 19', 'Vue 3', 'Svelte 5', 'Angular 20', 'Next 16', 'Nuxt 4'],
  );
  assert.deepEqual(rowsOf('docs/ru/frameworks.md').map(String), rows.map(String));
});

for (const [, name = '', backend, page] of rows)
  test(`the table of frameworks has the numbers of lines of ${name}`, () => {
    const files = Object.entries({ ...filesOfSection(guide, name), ...shared[name] });
    const linesOf = (isBackend: boolean): number =>
      files
        .filter(([path]) => ofBackend.test(path) === isBackend)
        .flatMap(([, text]) => text.split('\n'))
        .filter((line) => line.trim() !== '').length;
    assert.deepEqual([Number(backend), Number(page)], [linesOf(true), linesOf(false)]);
  });
