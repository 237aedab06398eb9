import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/** Reads the modules of a folder. Returns for each the modules of the folder that it imports, including imports of types. */
function readImports(folder: string): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/')));
  const importsOfFile = (file: string): string[] =>
    [...readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*(?:\(\s*)?'(\.{1,2}\/[^']+)'/g)]
      .map(([, specifier = '']) => path.posix.join(path.posix.dirname(file), specifier))
      .filter((target) => files.includes(target));
  return new Map(files.map((file) => [file, importsOfFile(file)]));
}

/** Returns the modules of the first circle that is found, or undefined where there is none. */
function findCircle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const finished = new Set<string>();
  const visit = (file: string, importers: readonly string[]): readonly string[] | undefined => {
    const firstIndex = importers.indexOf(file);
    if (firstIndex !== -1) return [...importers.slice(firstIndex), file];
    if (finished.has(file)) return undefined;
    for (const importedFile of graph.get(file) ?? []) {
      const circle = visit(importedFile, [...importers, file]);
      if (circle !== undefined) return circle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

test('no module of src imports itself through other modules', () => {
  const graph = readImports('src');
  assert.ok(graph.size > 100);
  assert.equal(findCircle(graph)?.join(' -> '), undefined);
});
