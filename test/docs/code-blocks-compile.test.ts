import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { documents } from './documents.ts';

// Every TypeScript block of the documents is compiled under the project's own options. Names that a
// block uses without declaring them are declared here.
const ambientTypes: Readonly<Record<string, string>> = {
  app: "import('hono').Hono",
  baseUrl: 'string',
  checkouts: "import('../../src/server.ts').CheckoutServer",
  endpoint: 'string',
  onOutcome: "(outcome: import('../../src/server.ts').Outcome) => Promise<void>",
  openOrder: "(kind: 'priced' | 'typed') => Promise<string | undefined>",
  migrations: "readonly import('../../src/sqlite.ts').Migration[]",
  orderId: 'string',
  orders: "{ apply(outcome: import('../../src/server.ts').Outcome): Promise<void> }",
  service: "import('../../src/server.ts').InvoiceService",
  store: "import('../../src/server.ts').CheckoutStore",
  token: 'string',
};

function createModule(code: string): string {
  const neededTypes = Object.entries(ambientTypes).filter(
    ([name]) =>
      new RegExp(`(?<![.\\w'"/-])${name}\\b(?!\\s*:|['"/-])`).test(code) && !new RegExp(`const ${name}\\b`).test(code),
  );
  const declarations = neededTypes.map(([name, type]) => `declare const ${name}: ${type};`).join('\n');
  const codeWithSources = code.replaceAll(
    /'pay-invoice(?:\/([\w-]+))?'/g,
    (_, entry = 'pay-invoice') => `'../../src/${String(entry)}.ts'`,
  );
  return `${codeWithSources}\n${declarations}\nexport {};\n`;
}

const blocks = documents
  .filter(({ path }) => !path.startsWith('docs/ru/')) // They have the same blocks: test/docs/links-and-paths.test.ts
  .flatMap(({ path, blocks }) =>
    // The files of frameworks are compiled with the frameworks: test/package/example-workspace.ts
    path === 'docs/frameworks.md' ? blocks.filter(({ file }) => file === undefined) : blocks,
  )
  .filter(({ language }) => language === 'ts');
const virtualFiles = new Map(
  blocks.map(({ code }, index) => [resolve(`test/docs/block-${index}.ts`), createModule(code)]),
);

const { config, error } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as {
  config: unknown;
  error?: ts.Diagnostic;
};
assert.equal(error, undefined);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
const host = ts.createCompilerHost(options);
host.readFile = (path) => virtualFiles.get(resolve(path)) ?? ts.sys.readFile(path);
host.fileExists = (path) => virtualFiles.has(resolve(path)) || ts.sys.fileExists(path);
const program = ts.createProgram([...virtualFiles.keys()], { ...options, noUnusedLocals: false }, host);

test('the documents have at least eight blocks of TypeScript', () => {
  assert.ok(blocks.length >= 8, `${blocks.length} were found`);
});

for (const [index, { place }] of blocks.entries())
  test(`the TypeScript at ${place} compiles`, () => {
    const file = program.getSourceFile(resolve(`test/docs/block-${index}.ts`));
    const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    assert.equal(
      diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'),
      '',
    );
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
