import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

// The exports of the backend's entries mention only types that a merchant can import by name.

const entries = ['src/server.ts', 'src/sqlite.ts', 'src/postgres.ts'];
/** Entries whose types the backend's entries also use. */
const supportingEntries = ['src/service-api.ts', 'src/checkout-api.ts'];
/** Types that a merchant passes on and never looks into: our stores, the rows of our tables, and a pool of pg. */
const passedOn = ['CheckoutStore', 'CheckoutTables', 'PostgresSource'];

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)).config,
  ts.sys,
  process.cwd(),
);
const program = ts.createProgram([...entries, ...supportingEntries], { ...options, noEmit: true });
const checker = program.getTypeChecker();

const resolveAlias = (symbol: ts.Symbol): ts.Symbol =>
  (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

function exportsOf(path: string): readonly ts.Symbol[] {
  const file = program.getSourceFile(path);
  const symbol = file && checker.getSymbolAtLocation(file);
  assert.ok(symbol, path);
  return checker.getExportsOfModule(symbol).map(resolveAlias);
}

/** Visits the parts of a declaration that its users see: no bodies of functions, and no private members. */
function visitSignature(node: ts.Node, onType: (symbol: ts.Symbol) => void): void {
  if (ts.isBlock(node) || ts.isPrivateIdentifier(node)) return;
  if (ts.isVariableDeclaration(node) && node.type === undefined) return; // its type is inferred from other exports
  const name = ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isExpressionWithTypeArguments(node)
      ? node.expression
      : undefined;
  const symbol = name && checker.getSymbolAtLocation(name);
  if (symbol !== undefined) onType(resolveAlias(symbol));
  ts.forEachChild(node, (child) => visitSignature(child, onType));
}

/** The types of this project that the exports of an entry mention, with the export that mentions each. */
function mentionedBy(path: string): ReadonlyMap<ts.Symbol, string> {
  const mentioned = new Map<ts.Symbol, string>();
  for (const symbol of exportsOf(path))
    for (const declaration of symbol.declarations ?? [])
      visitSignature(declaration, (used) => {
        const isFromSrc = used.declarations?.some(
          (one) => one.getSourceFile().fileName.startsWith(resolve('src')) && !ts.isTypeParameterDeclaration(one),
        );
        if (isFromSrc === true) mentioned.set(used, symbol.name);
      });
  return mentioned;
}

const exportedSymbols = new Set([...entries, ...supportingEntries].flatMap(exportsOf));

for (const path of entries)
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
