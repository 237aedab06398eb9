import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { documents } from './documents.ts';

// Every `npm run …` of the documents is part of `npm test`, or something in `npm test` runs it or what it is made of.
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

/** What a script runs, and what those run. */
function partsOf(name: string): readonly string[] {
  const parts = [...(scripts[name] ?? '').matchAll(/npm run ([\w:-]+)/g)].map(([, part = '']) => part);
  return [...parts, ...parts.flatMap(partsOf)];
}

const commands = 'test/e2e/commands.test.ts';
/** Who runs a script that is no part of `npm test`, and the words by which it does. */
const elsewhere: Readonly<Record<string, readonly [file: string, by: string]>> = {
  start: ['scripts/promises.ts', "'npm', 'start'"],
  test: ['.ci/run', '\nnpm test\n'],
  verify: ['package.json', '"test": "npm run verify"'],
  dev: [commands, '${project} dev'],
  sandbox: [commands, '${project} sandbox'],
  screens: [commands, '${project} screens'],
  pictures: [commands, '${project} pictures'],
  'bench:server': [commands, '${project} bench:server'],
  'test:fuzz': [commands, '${project} test:fuzz'],
  changeset: ['test/docs/release.test.ts', "shellIn(guide, 'npm run changeset')"],
  'demo:build': ['test/e2e/site.test.ts', "'--mode', 'site'"],
  'test:components': ['package.json', '"test:browsers": "WTR_BROWSERS=${WTR_BROWSERS:-chromium,firefox,webkit} wtr"'],
  'test:life': ['package.json', 'tsx --test test/e2e/long-life.test.ts'],
  format: ['package.json', '"format:check": "prettier --check .'],
  generate: ['test/conformance/page.test.ts', 'withTable(page)'],
  'generate:readme': ['test/package/manifest.test.ts', 'withTables(readme, contract)'],
  'docs:testing': ['test/docs/testing.test.ts', 'pageOf()'],
  load: ['test/load/load.test.ts', 'runLoad('],
};
/** Runs that take from twenty minutes to hours, and whose result is committed. */
const byHand = ['bench', 'test:count'];

const ofTest = new Set(partsOf('verify'));
const named = new Set(
  documents.flatMap(({ text }) =>
    [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, script, short]) => script ?? short ?? ''),
  ),
);

for (const name of named)
  test(`somebody runs \`npm run ${name}\``, () => {
    assert.ok(ofTest.has(name) || byHand.includes(name) || name in elsewhere);
  });

test('nothing is said to be run elsewhere that is part of `npm test`, or no script', () => {
  for (const name of [...Object.keys(elsewhere), ...byHand]) assert.ok(name in scripts && !ofTest.has(name), name);
});

test('whoever is said to run a script does', () => {
  for (const [file, by] of Object.values(elsewhere))
    assert.ok(readFileSync(file, 'utf8').includes(by), `${file}: ${by}`);
});
