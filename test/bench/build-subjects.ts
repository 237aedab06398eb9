// Builds each subject separately for production. All are built by Vite, tree-shaken and minified, as the widget is.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import type { Subject } from './subjects.ts';

export interface Asset {
  readonly type: string;
  /** The content, compressed with brotli, as our server and the CDNs send it. */
  readonly compressed: Buffer;
}

/** The files of a subject's page. */
export interface Assets {
  /** The addresses of the scripts. */
  readonly scripts: readonly string[];
  /** The addresses of the files that the scripts import statically. */
  readonly preloads: readonly string[];
  /** The addresses of the style sheets. */
  readonly styles: readonly string[];
  /** All files by name. */
  readonly files: ReadonlyMap<string, Asset>;
}

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

function makeAssetEntry(name: string, body: string | Uint8Array): [string, Asset] {
  const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
  return [name, { type, compressed: brotliCompressSync(body) }];
}

/** Reads the widget's file for a CDN and its chunks, as `npm run build:cdn` builds them. */
function readWidgetFiles(): Assets['files'] {
  const folder = resolvePath('../../dist/cdn/');
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return new Map(names.map((name) => makeAssetEntry(name, readFileSync(folder + name))));
}

async function buildEntry(entry: string, base: string): Promise<Rolldown.RolldownOutput['output']> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    root: resolvePath('.'),
    base,
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      sourcemap: true,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: resolvePath(`subjects/${entry}`), checks: { bundlerTimings: false } },
    },
  });
  if (Array.isArray(result) || !('output' in result)) throw new Error(`${entry}: the build has not made one bundle`);
  return result.output;
}

/** Builds a subject's files in memory; undefined for a page without a script. */
export async function buildAssets({ id, entry }: Subject): Promise<Assets | undefined> {
  if (entry === undefined) return undefined;
  const base = `/assets/${id}/`;
  if (entry === 'cdn') {
    const files = readWidgetFiles();
    const scripts = [`${base}pay-invoice.js`];
    return { scripts, preloads: [], styles: [], files };
  }
  const output = (await buildEntry(entry, base)).filter(({ fileName }) => !fileName.endsWith('.map'));
  const entryChunks = output.filter((file) => file.type === 'chunk').filter(({ isEntry }) => isEntry);
  const toAddresses = (names: readonly string[]): string[] => names.map((name) => base + name);
  const scripts = toAddresses(entryChunks.map(({ fileName }) => fileName));
  return {
    scripts,
    preloads: toAddresses(entryChunks.flatMap(({ imports }) => imports)),
    styles: toAddresses(output.map(({ fileName }) => fileName).filter((name) => name.endsWith('.css'))),
    files: new Map(
      output.map((file) => makeAssetEntry(file.fileName, file.type === 'chunk' ? file.code : file.source)),
    ),
  };
}
