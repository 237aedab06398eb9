import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { LoadCode } from './load-code.ts';
import type { ServerCode } from './shop.ts';

/** The modules whose decisions a defect of the checkout model replaces. */
const decisionsByModule: Readonly<Record<string, readonly string[]>> = {
  'create-decisions.ts': ['decideCreateRequest', 'claimCreate'],
  'create-results.ts': ['applyCreatedInvoice', 'applyCreateFailure'],
  'fetch-decisions.ts': ['applyFetchedStatus'],
  'checkout-status.ts': ['deriveStatus', 'outcomesBetween'],
  'merchant-changes.ts': ['closeCheckout'],
};

/** Imports of the decisions get those of the defect, except imports by the decisions themselves. */
function replaceDecisions(defectIndex: number): Plugin {
  return {
    name: 'defect',
    setup(compiler) {
      compiler.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, importer }) => {
        const target = resolve(resolveDir, path);
        const isDecision = target.includes('/server/domain/') && basename(path) in decisionsByModule;
        const isPresenter = importer.endsWith('/present-to-merchant.ts');
        const isReplaced = importer.includes('/src/server/') && (isPresenter || !importer.includes('/domain/'));
        return isDecision && isReplaced ? { path: target, namespace: 'defect' } : undefined;
      });
      compiler.onLoad({ filter: /.*/, namespace: 'defect' }, ({ path }) => ({
        resolveDir: resolve('.'),
        contents: [
          `export * from ${JSON.stringify(path)};`,
          `import { defects } from ${JSON.stringify(resolve('test/model/checkout-defects.ts'))};`,
          // The model's modules import some of these modules too, so a decision is looked up when it is called.
          ...(decisionsByModule[basename(path)] ?? []).map(
            (name) => `export const ${name} = (...args) => defects[${defectIndex}].decisions.${name}(...args);`,
          ),
        ].join('\n'),
      }));
    },
  };
}

/** Bundles a module, and imports it. */
async function importBundled<T>(contents: string, plugin: Plugin): Promise<T> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: resolve('.') },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    plugins: [plugin],
  });
  const folder = resolve(`.tmp/simulated-defect-${process.pid}-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  try {
    const path = `${folder}/bundle.mjs`;
    await writeFile(path, outputFiles[0]?.contents ?? '');
    return (await import(pathToFileURL(path).href)) as T;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Bundles the server with one of the checkout model's defects (test/model/checkout-defects.ts), and imports it. */
export function importCodeWithDefect(defectIndex: number): Promise<ServerCode> {
  return importBundled("export * from './src/server.ts';", replaceDecisions(defectIndex));
}

/** A text in a module of `src`, and what a defect has in its place. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Changes modules of `src` where they are loaded. A text that is not there (any more) is an error. */
function changeTexts(changes: readonly Change[]): Plugin {
  return {
    name: 'changes',
    setup(compiler) {
      compiler.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        const own = changes.filter(({ file }) => path === resolve('src', file));
        if (own.length === 0) return undefined;
        let contents = await readFile(path, 'utf8');
        for (const { from, to } of own) {
          if (contents.split(from).length !== 2) throw new Error(`not once in ${path}: ${from}`);
          contents = contents.replace(from, () => to);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** The code of a run of the load (load-code.ts) with changes. */
export async function importChangedLoadCode(changes: readonly Change[]): Promise<LoadCode> {
  const { presentCode } = await importBundled<{ readonly presentCode: LoadCode }>(
    "export * from './test/simulator/load-code.ts';",
    changeTexts(changes),
  );
  return presentCode;
}
