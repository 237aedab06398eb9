import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { packageEntries } from '../../scripts/build/package-entries.ts';
import { createModule } from './example-module.ts';

// Each public function, and the element, has an `@example`, which an editor shows. Each compiles under the project's own options,
// and runs in Node with the names that `example-names.ts` declares.

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

const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: unknown };
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
const entries = packageEntries.map((name) => `src/${name}.ts`);
const checker = ts.createProgram(entries, options);

interface Example {
  readonly name: string;
  readonly text: string;
}

/** The public functions and the element, each with the text of its `@example`. */
function findExamples(): readonly Example[] {
  const types = checker.getTypeChecker();
  const found = new Map<string, string>();
  for (const entry of entries) {
    const source = checker.getSourceFile(entry) ?? assert.fail(entry);
    for (const one of types.getExportsOfModule(types.getSymbolAtLocation(source) ?? assert.fail(entry))) {
      const symbol = one.flags & ts.SymbolFlags.Alias ? types.getAliasedSymbol(one) : one;
      const isElement = symbol.name === 'PayInvoiceElement';
      if (!isElement && (symbol.flags & ts.SymbolFlags.Function) === 0) continue;
      const tag = symbol.getJsDocTags(types).find(({ name }) => name === 'example');
      found.set(symbol.name, ts.displayPartsToString(tag?.text));
    }
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
for (const { file, code } of codes) writeFileSync(file, createModule(code));

test('the examples compile', () => {
  const program = ts.createProgram(
    codes.map(({ file }) => file),
    { ...options, noUnusedLocals: false, noEmit: true },
  );
  const diagnostics = codes.flatMap(({ file }) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  const texts = diagnostics.map(
    ({ file, messageText }) => `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
  assert.deepEqual(texts, []);
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
