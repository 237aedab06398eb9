import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { documentOf, fileIn } from '../docs/documents.ts';

const guide = documentOf('docs/page.md');
const [policy = '', trustedTypes = ''] = guide.blocks
  .filter(({ language }) => language === 'csp')
  .map(({ code }) => code.replace(/\s+/g, ' ').trim());
/** The policy with which the guide's configuration of webpack and Rspack works. */
const policyWithLoader = policy.replace(/trusted-types .*/, trustedTypes);

/** The policy for a page with an inline import map. */
function policyWithImportMap(html: string): string {
  const [, importMap = ''] = /<script type=importmap>(.*?)<\/script>/.exec(html) ?? [];
  const hash = createHash('sha256').update(importMap).digest('base64');
  return policy.replace("script-src 'self'", `script-src 'self' 'sha256-${hash}'`);
}

export interface Bundler {
  readonly name: string;
  /** The entry of the package that the shop imports. */
  readonly entry: 'pay-invoice' | 'pay-invoice/dialog';
  /** Files that the guide asks for. */
  readonly files: Readonly<Record<string, string>>;
  /** Builds `src/index.js`, or the page with it, into the folder `out`. */
  readonly command: readonly [program: string, ...args: readonly string[]];
  /** The page's script, where the bundler does not write the page. */
  readonly script?: string;
  /** The policy for the built page. */
  readonly policyOf: (html: string) => string;
}

/** A program of this folder's packages, which `npm ci` in it installs. */
const own = (path: string): string => resolve('test/bundlers/node_modules', path);
const shared = (name: string): string => resolve('node_modules/.bin', name);

const common = { entry: 'pay-invoice', files: {}, policyOf: () => policy } as const;
const config = fileIn(guide, 'webpack.config.js');
const packArgs = ['build', '--mode', 'production', '--output-path', 'out'];
const parcelArgs = ['build', 'index.html', '--dist-dir', 'out', '--public-url', './', '--no-cache', '--no-source-maps'];

export const bundlers: readonly Bundler[] = [
  {
    ...common,
    name: 'webpack 5',
    files: { 'webpack.config.js': config },
    command: [own('.bin/webpack'), ...packArgs],
    script: 'main.js',
    policyOf: () => policyWithLoader,
  },
  {
    ...common,
    name: 'Rspack 2',
    files: { 'rspack.config.js': config },
    command: [own('.bin/rspack'), ...packArgs],
    script: 'main.js',
    policyOf: () => policyWithLoader,
  },
  {
    ...common,
    name: 'Rollup 4',
    command: [shared('rollup'), 'src/index.js', '--dir', 'out', '--plugin', own('@rollup/plugin-node-resolve')],
    script: 'index.js',
  },
  {
    ...common,
    name: 'esbuild',
    command: [shared('esbuild'), 'src/index.js', '--bundle', '--splitting', '--format=esm', '--outdir=out'],
    script: 'index.js',
  },
  { ...common, name: 'Vite 8', command: [shared('vite'), 'build', '--outDir', 'out'] },
  { ...common, name: 'Parcel 2', command: [own('.bin/parcel'), ...parcelArgs], policyOf: policyWithImportMap },
  {
    ...common,
    name: 'Parcel 2 that reads the exports of packages',
    entry: 'pay-invoice/dialog',
    files: { 'package.json': fileIn(guide, 'package.json') },
    command: [own('.bin/parcel'), ...parcelArgs],
    policyOf: policyWithImportMap,
  },
];
