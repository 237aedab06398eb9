import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import ts from 'typescript';
import { packageEntries } from '../../scripts/build/package-entries.ts';
import { documentOf, findMatches } from './documents.ts';

// docs/entries.md lists all values that the package exports, and the first types. The list of all types is here: a type is public
// when somebody has added it, and not because a file was exported.

const exportedTypes = JSON.parse(readFileSync('test/docs/exported-types.json', 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;

/** The files of entries with other names. */
const entryOf: Readonly<Record<string, string>> = {
  'pay-invoice': 'pay-invoice',
  headless: 'pay-invoice/core',
  'checkout-schemas': 'pay-invoice/checkout-api',
};

const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: unknown };
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
const program = ts.createProgram(
  packageEntries.map((name) => `src/${name}.ts`),
  options,
);
const checker = program.getTypeChecker();

/** The names that a file exports, as values or as types. */
function exportsOf(file: string): { readonly values: readonly string[]; readonly types: readonly string[] } {
  const source = program.getSourceFile(file) ?? assert.fail(file);
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source) ?? assert.fail(file));
  const isValue = (symbol: ts.Symbol): boolean => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (target.flags & ts.SymbolFlags.Value) !== 0;
  };
  const names = (wanted: boolean) => symbols.filter((one) => isValue(one) === wanted).map(({ name }) => name).sort(); // prettier-ignore
  return { values: names(true), types: names(false) };
}

const rows = documentOf('docs/entries.md')
  .text.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | ').map((cell) => findMatches(cell, /`([\w/-]+)`/g).toSorted()));

for (const name of packageEntries) {
  const entry = entryOf[name] ?? `pay-invoice/${name}`;
  test(`docs/entries.md lists exactly the values that ${entry} exports, and its types are those of the list`, () => {
    const [, values, types] = rows.find(([entries]) => entries?.includes(entry)) ?? assert.fail(entry);
    const exported = exportsOf(`src/${name}.ts`);
    if (!name.startsWith('locales/')) assert.deepEqual(values, exported.values);
    assert.deepEqual(exportedTypes[entry], exported.types);
    assert.deepEqual(
      types?.filter((type) => !exported.types.includes(type)),
      [],
    );
  });
}
