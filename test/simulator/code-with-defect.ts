import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { ServerCode } from './shop.ts';

/** The modules whose decisions a defect of the checkout model replaces. */
const decisionsByModule: Readonly<Record<string, readonly string[]>> = {
  'create-decisions.ts': ['decideCreateRequest', 'claimCreate', 'applyCreatedInvoice', 'applyCreateFailure'],
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

/** Bundles the server with one of the checkout model's defects (test/model/checkout-defects.ts), and imports it. */
export async function importCodeWithDefect(defectIndex: number): Promise<ServerCode> {
  const { outputFiles } = await build({
    entryPoints: ['src/server.ts'],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    plugins: [replaceDecisions(defectIndex)],
  });
  const folder = resolve(`.tmp/simulated-defect-${process.pid}-${defectIndex}`);
  await mkdir(folder, { recursive: true });
  try {
    const path = `${folder}/server.mjs`;
    await writeFile(path, outputFiles[0]?.contents ?? '');
    return (await import(pathToFileURL(path).href)) as ServerCode;
  } finally {
    await rm(folder, { recursive: true });
  }
}
