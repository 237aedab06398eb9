import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { packageEntries } from '../../scripts/build/package-entries.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { documents } from './documents.ts';
import { createModule } from './example-module.ts';
import { createProjectProgram, errorsIn, exportsOf, withoutAlias } from './typescript-project.ts';

// Each public function, and the element, has an `@example`, which an editor shows. Each compiles under the project's own options,
// and runs in Node with the names that `example-names.ts` declares. Every TypeScript block of the documents compiles, too.

/** Functions whose example is not run, and why. */
const onlyCompiled: Readonly<Record<string, string>> = {
  openCheckout: 'it needs a page',
  browserPorts: 'it needs a page',
  createSession: 'it needs a page',
  httpTransport: 'it needs a page',
  createPostgresStore: 'it needs PostgreSQL',
  createWidgetHandler: 'it needs the built files, which this test does not wait for',
  runProgram: 'it runs until it is stopped',
};
/** Functions without an example: what they are given comes from elsewhere, and their type says the rest. */
const withoutExample = ['decodeCheckout', 'decodeProblem'];

interface Example {
  readonly name: string;
  readonly text: string;
}

/** The public functions and the element, each with the text of its `@example`. */
function findExamples(): readonly Example[] {
  const entries = packageEntries.map((name) => `src/${name}.ts`);
  const program = createProjectProgram(entries);
  const found = new Map<string, string>();
  for (const symbol of entries.flatMap((entry) => exportsOf(program, entry)).map((one) => withoutAlias(program, one))) {
    const isElement = symbol.name === 'PayInvoiceElement';
    if (!isElement && (symbol.flags & ts.SymbolFlags.Function) === 0) continue;
    const tag = symbol.getJsDocTags(program.getTypeChecker()).find(({ name }) => name === 'example');
    found.set(symbol.name, ts.displayPartsToString(tag?.text));
  }
  return [...found].map(([name, text]) => ({ name, text }));
}

const examples = findExamples().filter(({ name }) => !withoutExample.includes(name));
const folder = resolve('.tmp', `examples-${process.pid}`);
mkdirSync(folder, { recursive: true });
after(() => rmSync(folder, { recursive: true, force: true }));

test('each public function and the element have an example', () => {
  assert.ok(examples.length > 25, `${examples.length} were found`);
  assert.deepEqual(
    examples.filter(({ text }) => !/^```(?:ts|html)\n[^]+\n```$/.test(text)).map(({ name }) => name),
    [],
  );
});

const codes = examples.flatMap(({ name, text }) => {
  const [, code] = /^```ts\n([^]+)\n```$/.exec(text) ?? [];
  return code === undefined ? [] : [{ name, code, file: join(folder, `${name}.ts`) }];
});
const blocks = documents
  .filter(({ path }) => !path.startsWith('docs/ru/')) // They have the same blocks: test/docs/links-and-paths.test.ts
  .flatMap(({ path, blocks }) =>
    // The files of frameworks are compiled with the frameworks: test/package/example-workspace.ts
    path === 'docs/frameworks.md' ? blocks.filter(({ file }) => file === undefined) : blocks,
  )
  .filter(({ language }) => language === 'ts')
  .map(({ place, code }, index) => ({ name: place, code, file: join(folder, `block-${index}.ts`) }));
assert.ok(blocks.length >= 8, `${blocks.length} blocks of TypeScript were found`);

for (const { file, code } of [...codes, ...blocks]) writeFileSync(file, createModule(code));
const program = createProjectProgram([...codes, ...blocks].map(({ file }) => file));
for (const { name, file } of [...codes, ...blocks])
  test(`the TypeScript of ${name} compiles`, () => {
    assert.deepEqual(errorsIn(program, file), []);
  });

const scripts = documents.flatMap(({ blocks }) => blocks).filter(({ language }) => /^(?:js|tsx)$/.test(language));
for (const { place, code, language } of scripts)
  test(`the script at ${place} has no syntax error`, () => {
    const compilerOptions = { jsx: ts.JsxEmit.ReactJSX };
    const { diagnostics } = ts.transpileModule(code, {
      reportDiagnostics: true,
      fileName: `block.${language}`,
      compilerOptions,
    });
    assert.deepEqual(diagnostics, []);
  });

test('the examples run', () => {
  const run = codes.filter(({ name }) => !(name in onlyCompiled));
  const program = run.map(
    ({ name, file }) =>
      `await import(${JSON.stringify(pathToFileURL(file).href)}).catch((error) => { console.error(${JSON.stringify(name)}, error); process.exitCode = 1; });`,
  );
  const main = join(folder, 'main.ts');
  writeFileSync(main, [...program, 'process.exit();', 'export {};'].join('\n'));
  const loader = pathToFileURL(resolve('node_modules/tsx/dist/loader.mjs')).href;
  const { status, stderr } = spawnSync(process.execPath, ['--import', loader, main], {
    cwd: temporaryFolder(),
    encoding: 'utf8',
    timeout: 120_000,
  });
  assert.equal(status, 0, stderr);
});
