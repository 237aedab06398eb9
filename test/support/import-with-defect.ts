import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestContext } from 'node:test';
import { build } from 'esbuild';

/** A text of a source file that is replaced, so that a rule no longer holds. Paths are from the project's root. */
export interface SourceDefect {
  readonly file: string;
  /** Occurs once. */
  readonly find: string;
  readonly replace: string;
}

let count = 0;

/** Imports a module with all that it imports from this repository, where one file has a defect. */
export async function importWithDefect<Module>(
  t: TestContext,
  entry: string,
  { file, find, replace }: SourceDefect,
): Promise<Module> {
  const source = await readFile(file, 'utf8');
  assert.equal(source.split(find).length, 2, `${file} has once: ${find}`);
  const changed = resolve(file);
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    write: false,
    plugins: [
      {
        name: 'defect',
        setup(compiler) {
          compiler.onLoad({ filter: /\.ts$/ }, ({ path }) =>
            path === changed ? { contents: source.replace(find, () => replace), loader: 'ts' } : undefined,
          );
        },
      },
    ],
  });
  // In the project, where the packages that it imports are found.
  const folder = resolve(`.tmp/defect-${process.pid}-${(count += 1)}`);
  await mkdir(folder, { recursive: true });
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = `${folder}/module.mjs`;
  await writeFile(path, outputFiles[0]?.contents ?? '');
  return (await import(pathToFileURL(path).href)) as Module;
}
