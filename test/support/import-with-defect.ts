import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestContext } from 'node:test';
import { build } from 'esbuild';

/** A text of a source file that is replaced, so that a rule no longer holds. The path starts at the project's root. */
export interface SourceDefect {
  readonly file: string;
  /** The text to replace, which occurs once in the file. */
  readonly find: string;
  readonly replace: string;
}

let importCount = 0;

/** Bundles a module with its imports from this repository, puts the defect into one of the files, and imports the bundle. */
export async function importWithDefect<Module>(
  t: TestContext,
  entry: string,
  { file, find, replace }: SourceDefect,
): Promise<Module> {
  const source = await readFile(file, 'utf8');
  assert.equal(source.split(find).length, 2, `${file} contains exactly once: ${find}`);
  const defectivePath = resolve(file);
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
            path === defectivePath ? { contents: source.replace(find, () => replace), loader: 'ts' } : undefined,
          );
        },
      },
    ],
  });
  // The bundle is written inside the project, so that Node finds the packages that the bundle imports.
  const folder = resolve(`.tmp/defect-${process.pid}-${(importCount += 1)}`);
  await mkdir(folder, { recursive: true });
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = `${folder}/module.mjs`;
  await writeFile(path, outputFiles[0]?.contents ?? '');
  return (await import(pathToFileURL(path).href)) as Module;
}
