import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { packageEntries } from '../../scripts/build/package-entries.ts';
import { documentOf, findMatches } from './documents.ts';
import { createProjectProgram, exportsOf, withoutAlias } from './typescript-project.ts';

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

const program = createProjectProgram(packageEntries.map((name) => `src/${name}.ts`));

/** The names that a file exports, as values or as types. */
function namesOf(file: string): { readonly values: readonly string[]; readonly types: readonly string[] } {
  const symbols = exportsOf(program, file);
  const isValue = (symbol: ts.Symbol): boolean => (withoutAlias(program, symbol).flags & ts.SymbolFlags.Value) !== 0;
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
    const exported = namesOf(`src/${name}.ts`);
    if (!name.startsWith('locales/')) assert.deepEqual(values, exported.values);
    assert.deepEqual(exportedTypes[entry], exported.types);
    assert.deepEqual(
      types?.filter((type) => !exported.types.includes(type)),
      [],
    );
  });
}

// The exports of the backend's entries mention only types that a merchant can import by name.

const backendEntries = ['src/server.ts', 'src/sqlite.ts', 'src/postgres.ts'];
/** Entries whose types the backend's entries also use. */
const supportingEntries = ['src/service-api.ts', 'src/checkout-api.ts'];
/** Types that a merchant passes on and never looks into: our stores, the rows of our tables, and a pool of pg. */
const passedOn = ['CheckoutStore', 'CheckoutTables', 'PostgresSource'];

const targetsOf = (path: string): readonly ts.Symbol[] =>
  exportsOf(program, path).map((symbol) => withoutAlias(program, symbol));

/** Visits the parts of a declaration that its users see: no bodies of functions, and no private members. */
function visitSignature(node: ts.Node, onType: (symbol: ts.Symbol) => void): void {
  if (ts.isBlock(node) || ts.isPrivateIdentifier(node)) return;
  if (ts.isVariableDeclaration(node) && node.type === undefined) return; // its type is inferred from other exports
  const name = ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isExpressionWithTypeArguments(node)
      ? node.expression
      : undefined;
  const symbol = name && program.getTypeChecker().getSymbolAtLocation(name);
  if (symbol !== undefined) onType(withoutAlias(program, symbol));
  ts.forEachChild(node, (child) => visitSignature(child, onType));
}

/** The types of this project that the exports of an entry mention, with the export that mentions each. */
function mentionedBy(path: string): ReadonlyMap<ts.Symbol, string> {
  const mentioned = new Map<ts.Symbol, string>();
  for (const symbol of targetsOf(path))
    for (const declaration of symbol.declarations ?? [])
      visitSignature(declaration, (used) => {
        const isFromSrc = used.declarations?.some(
          (one) => one.getSourceFile().fileName.startsWith(resolve('src')) && !ts.isTypeParameterDeclaration(one),
        );
        if (isFromSrc === true) mentioned.set(used, symbol.name);
      });
  return mentioned;
}

const exportedSymbols = new Set([...backendEntries, ...supportingEntries].flatMap(targetsOf));

for (const path of backendEntries)
  test(`${path} exports every type that its exports mention`, () => {
    const mentioned = mentionedBy(path);
    assert.ok(mentioned.size > 2, 'types are found');
    const missing = [...mentioned].filter(
      ([symbol, mentioning]) => !exportedSymbols.has(symbol) && !passedOn.includes(mentioning),
    );
    assert.deepEqual(
      missing.map(([symbol, mentioningExport]) => `${symbol.name}, mentioned by ${mentioningExport}`),
      [],
    );
  });
