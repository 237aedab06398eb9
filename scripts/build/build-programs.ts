// Builds programs for the load run, the server bench and the simulator.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

/** Built programs, as a merchant runs them: a compiler at run time would cost memory and time. */
export interface BuiltPrograms {
  /** The path of an entry's file. */
  file(name: string): string;
  remove(): void;
}

/** Builds TypeScript programs into a temporary folder; dependencies are not bundled. */
export async function buildPrograms(entries: Readonly<Record<string, string>>): Promise<BuiltPrograms> {
  mkdirSync('.tmp', { recursive: true });
  const folder = mkdtempSync('.tmp/built-'); // inside the project, so that Node finds the dependencies
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: { ssr: true, target: 'node22', minify: false, outDir: folder, rolldownOptions: { input: { ...entries } } },
  });
  return {
    file: (name) => path.join(folder, `${name}.js`),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
