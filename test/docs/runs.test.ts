import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { documents, type Block } from './documents.ts';

// Who runs what the documents show. A piece of code, or a command, that nobody runs fails here; whoever adds one makes a
// test run it and says so below.

/** A file that runs something, and what in it does so. */
interface Runner {
  readonly file: string;
  readonly by: string;
}

/** Some pieces of code that are no commands, and who runs them all. */
interface Rule extends Runner {
  readonly runs: (block: Block) => boolean;
}

const has =
  (language: string, part = '') =>
  (block: Block) =>
    block.language === language && block.code.includes(part);
const named = (file: string, ...names: readonly string[]): readonly Rule[] =>
  names.map((name) => ({ file, by: `'${name}'`, runs: (block) => block.file === name }));

const rules: readonly Rule[] = [
  { file: 'test/docs/code.test.ts', by: "language === 'ts'", runs: has('ts') },
  { file: 'test/e2e/documents.test.ts', by: "blocksOf('html')", runs: has('html', '<pay-invoice') },
  { file: 'test/e2e/documents.test.ts', by: "blocksOf('css')", runs: has('css') },
  { file: 'test/e2e/documents.test.ts', by: "blocksOf('js')", runs: has('js', '.messages =') },
  { file: 'test/e2e/own-page.test.ts', by: "language === 'csp'", runs: has('csp', 'require-trusted-types-for') },
  { file: 'test/docs/checkout-api.test.ts', by: "language === 'jsonc'", runs: has('jsonc') },
  { file: 'test/docs/architecture.test.ts', by: "documentOf('docs/architecture.md')", runs: has('', 'src/\n') },
  { file: 'test/conformance/page.test.ts', by: '✗', runs: has('', '✗ etag.clock') },
  { file: 'test/examples/lit/src/page.ts', by: 'lit-element-hydrate-support.js', runs: has('js', 'hydrate-support') },
  ...named('test/package/walk.test.ts', 'shop.ts', 'public/index.html', 'public/order.js'),
  ...named('test/package/examples.test.ts', 'Checkout.tsx', 'Checkout.vue', 'vite.config.js', 'Checkout.svelte'),
];

const ci = (command: string): Runner => ({ file: '.ci/run', by: `\n${command}\n` });
const start: Runner = { file: 'scripts/promises.ts', by: "'npm', 'start'" };
const walk = (by: string): Runner => ({ file: 'test/package/walk.test.ts', by });
const release = (by: string): Runner => ({ file: 'test/docs/release.test.ts', by });
const bins: Runner = {
  file: 'test/package/bins.test.ts',
  by: "'npx pay-invoice-conformance http://localhost:8000/checkout",
};
const campaign: Runner = { file: 'test/faults/command.test.ts', by: "shellIn(documentOf('docs/faults.md')" };

/** Each command by its words, or by those that it begins with: it runs with all that it has, in place of them others. */
const commands: Readonly<Record<string, Runner>> = {
  'npm ci && npm start': start,
  'npm ci && npm test': ci('npm ci\nnpm test'),
  'npm ci': ci('npm ci'),
  'npm start': start,
  'npm test': ci('npm test'),
  'npm install pay-invoice express tsx': walk("shellIn(guide, 'npm install')"),
  'npm pkg set type=module': walk("shellIn(guide, 'npm install')"),
  'npx tsx shop.ts': walk("shellIn(guide, 'npx tsx')"),
  'cp -r ../pay-invoice/server-example/store store': walk("shellIn(guide, 'cp -r')"),
  "sed -i.bak \"s#'../../src/\\(.*\\)\\.ts'#'pay-invoice/\\1'#\" store/*.ts && rm store/*.bak":
    walk("shellIn(guide, 'cp -r')"),
  'npm install kysely libsql pg zod': walk("shellIn(guide, 'cp -r')"),
  'npx pay-invoice-sandbox': walk("shellIn(document, 'npx pay-invoice-sandbox')"),
  'npx pay-invoice-sandbox --host 0.0.0.0 --public-url http://192.168.0.7:8081': walk(
    "'npx pay-invoice-sandbox --host'",
  ),
  'curl -X PUT http://127.0.0.1:8081/sandbox/faults …': walk("shellIn(sandboxGuide, 'curl')"),
  'curl -X DELETE http://127.0.0.1:8081/sandbox/faults': walk("shellIn(sandboxGuide, 'curl')"),
  'npx pay-invoice-conformance http://localhost:8000/checkout --checkout chk_…': bins,
  'npx pay-invoice-conformance http://localhost:8000/checkout --open-command "php artisan …': bins,
  'npx tsx src/bin/conformance.ts http://127.0.0.1:8080/checkout …': {
    file: 'test/conformance/command-line.test.ts',
    by: "'npx tsx src/bin/conformance.ts'",
  },
  'npm run changeset': release("shellIn(guide, 'npm run changeset')"),
  'npx changeset version': release('shell(versionCommand)'),
  'npx changeset publish': release('shell(publishCommand)'),
  'npm run test:faults': { file: 'scripts/verify/steps.ts', by: "'npm run test:faults'" },
  'npx tsx scripts/faults.ts --seed 5000 --runs 300': campaign,
  'npx tsx scripts/faults.ts --seed 2027': campaign,
};

const isOf = (command: string) => (row: string) =>
  row === command || (row.endsWith(' …') && command.startsWith(row.slice(0, -1)));

const shown = documents.flatMap(({ blocks }) => blocks);
const pieces = shown.filter(({ language }) => language !== 'sh');
const lines = shown
  .filter(({ language }) => language === 'sh')
  .flatMap(({ place, code }) =>
    code
      .replaceAll(/\\\n\s*/g, '')
      .trim()
      .split('\n')
      .map((line) => ({ place, command: line.replace(/ +# .*/, '') })),
  );

test('every fence of a document is one that is seen here', () => {
  for (const { path, text, blocks } of documents)
    assert.equal([...text.matchAll(/^\s*(?:```|~~~)/gm)].length, 2 * blocks.length, path);
});

for (const { place, language, code, ...block } of pieces)
  test(`somebody runs the ${language} at ${place}`, () => {
    const runners = rules.filter(({ runs }) => runs({ place, language, code, ...block }));
    assert.notEqual(runners.length, 0, code);
  });

for (const { place, command } of lines)
  test(`somebody runs \`${command}\` at ${place}`, () => {
    assert.equal(Object.keys(commands).filter(isOf(command)).length, 1);
  });

test('whoever is said to run something does', () => {
  for (const { file, by } of [...rules, ...Object.values(commands)])
    assert.ok(readFileSync(file, 'utf8').includes(by), `${file}: ${by}`);
});

test('nothing is said to be run that no document shows', () => {
  for (const { file, by, runs } of rules) assert.ok(pieces.some(runs), `${file} ${by}`);
  for (const row of Object.keys(commands))
    assert.ok(
      lines.some(({ command }) => isOf(command)(row)),
      row,
    );
});

test('the server-rendered page of the examples begins with the lines of the guide', () => {
  const [block] = shown.filter(has('js', 'hydrate-support'));
  assert.ok(readFileSync('test/examples/lit/src/page.ts', 'utf8').includes(block?.code ?? 'no such lines'));
});
