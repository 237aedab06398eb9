import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/** The modules of a folder, each with the modules of the folder that it imports, types included. */
function importsOf(folder: string): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/')));
  const imported = (file: string): string[] =>
    [...readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)]
      .map(([, specifier = '']) => path.posix.join(path.posix.dirname(file), specifier))
      .filter((target) => files.includes(target));
  return new Map(files.map((file) => [file, imported(file)]));
}

/** The first circle that is found, as the list of its modules; undefined where there is none. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const finished = new Set<string>();
  const visit = (file: string, above: readonly string[]): readonly string[] | undefined => {
    const start = above.indexOf(file);
    if (start !== -1) return [...above.slice(start), file];
    if (finished.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const circle = visit(next, [...above, file]);
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

test('a circle of imports is found with all of its modules', () => {
  const graph = new Map([
    ['entry.ts', ['a.ts']],
    ['a.ts', ['b.ts', 'c.ts']],
    ['b.ts', []],
    ['c.ts', ['d.ts']],
    ['d.ts', ['a.ts']],
  ]);
  assert.deepEqual(circleIn(graph), ['a.ts', 'c.ts', 'd.ts', 'a.ts']);
  graph.set('d.ts', ['b.ts']);
  assert.equal(circleIn(graph), undefined);
});

test('no module of src imports itself through others', () => {
  const graph = importsOf('src');
  assert.ok(graph.size > 100);
  assert.equal(circleIn(graph)?.join(' -> '), undefined);
});
