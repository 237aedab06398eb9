// Builds each subject alone, for production, all in the same way: Vite, tree-shaken, minified twice as our own file is.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { minifyChunks } from '../../scripts/build/minify-chunks.ts';
import type { Subject } from './subjects.ts';

export interface Asset {
  readonly type: string;
  /** In gzip. */
  readonly zipped: Buffer;
}

/** The files of a page: the addresses of its scripts and style sheets, and all files by name. */
export interface Assets {
  /** The links of the documented snippet, in its order; CHECKOUT stands for the checkout. */
  readonly links: readonly string[];
  readonly scripts: readonly string[];
  /** The static imports of the scripts. */
  readonly preloads: readonly string[];
  readonly styles: readonly string[];
  readonly files: ReadonlyMap<string, Asset>;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

function assetOf(name: string, body: string | Uint8Array): [string, Asset] {
  const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
  return [name, { type, zipped: gzipSync(body, { level: 9 }) }];
}

/** Our standalone file and its chunks, as `npm run build:app` builds them. */
function ownFiles(): Assets['files'] {
  const folder = here('../../dist/cdn/');
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return new Map(names.map((name) => assetOf(name, readFileSync(folder + name))));
}

/** The links of the snippet for merchants: without hashes, which an import map of the page would have to repeat. */
function snippetLinks(base: string): readonly string[] {
  const text = readFileSync(here('../../dist/cdn/snippet.html'), 'utf8');
  const links = text.match(/<link\b[^>]*>/g) ?? [];
  return links.map((link) =>
    link.replace(/ integrity="[^"]*"/, '').replace('href="/pay-invoice', `href="${base}pay-invoice`),
  );
}

async function built(entry: string, base: string): Promise<Rolldown.RolldownOutput['output']> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    root: here('.'),
    base,
    publicDir: false,
    plugins: [minifyChunks()],
    build: {
      write: false,
      target: 'es2022',
      sourcemap: true,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: here(`subjects/${entry}`), checks: { bundlerTimings: false } },
    },
  });
  if (Array.isArray(result) || !('output' in result)) throw new Error(`${entry}: not one bundle`);
  return result.output;
}

/** A subject's files, built in memory. */
export async function assetsOf({ id, entry }: Subject): Promise<Assets | undefined> {
  if (entry === undefined) return undefined;
  const base = `/assets/${id}/`;
  if (entry === 'cdn') {
    const files = ownFiles();
    const scripts = [`${base}pay-invoice.js`];
    return { links: snippetLinks(base), scripts, preloads: [], styles: [], files };
  }
  const output = (await built(entry, base)).filter(({ fileName }) => !fileName.endsWith('.map'));
  const first = output.filter((file) => file.type === 'chunk').filter(({ isEntry }) => isEntry);
  const addresses = (names: readonly string[]): string[] => names.map((name) => base + name);
  return {
    links: [],
    scripts: addresses(first.map(({ fileName }) => fileName)),
    preloads: addresses(first.flatMap(({ imports }) => imports)),
    styles: addresses(output.map(({ fileName }) => fileName).filter((name) => name.endsWith('.css'))),
    files: new Map(output.map((file) => assetOf(file.fileName, file.type === 'chunk' ? file.code : file.source))),
  };
}
