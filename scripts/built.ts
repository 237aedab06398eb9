import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

/** Programs as a merchant runs them: JavaScript, without a compiler at run time, which would cost memory and time. */
export interface Built {
  /** The file of an entry by its name. */
  file(name: string): string;
  remove(): void;
}

/** Builds TypeScript programs into a folder of their own; dependencies stay where they are. */
export async function buildPrograms(entries: Readonly<Record<string, string>>): Promise<Built> {
  mkdirSync('.tmp', { recursive: true });
  const folder = mkdtempSync('.tmp/built-'); // inside the project, where the dependencies are found
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: { ssr: true, target: 'node20', minify: false, outDir: folder, rolldownOptions: { input: { ...entries } } },
  });
  return {
    file: (name) => path.join(folder, `${name}.js`),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
