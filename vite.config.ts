import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { shareEntryWithChunks } from './scripts/build/share-entry-with-chunks.ts';
import { contentSecurityPolicy } from './scripts/build/content-security-policy.ts';
import { replaceNodeModules } from './scripts/build/replace-node-modules.ts';
import { omitMaps } from './scripts/build/omit-maps.ts';

// vite                       the demo shop with live reload, in front of a running `npm start`
// vite build --mode library  dist/lib, bin    the package's entries (dependencies external) and its commands
// vite build --mode cdn      dist/cdn/        the standalone file and its lazy chunks
// vite build --mode iife     dist/cdn/        the same in one file for a classic script
// vite build --mode demo     dist/demo/       the shop's pages
// vite build --mode site     dist/site/       the same for any web server: the backend runs in the page

const backend = 'http://127.0.0.1:8080';

/** In development, serves the widget's source where the shop serves the standalone file. */
const standaloneFromSource: Plugin = {
  name: 'standalone-from-source',
  configureServer(server) {
    server.middlewares.use((request, _response, next) => {
      if (request.url === '/pay-invoice.js') request.url = '/src/pay-invoice.ts';
      next();
    });
  },
};

/** The package's entries, each a file of src. */
const entries = [
  'pay-invoice',
  'element',
  'dialog',
  'ssr',
  'core',
  'checkout-api',
  'service-api',
  'server',
  'sqlite',
  'postgres',
  'testing',
  'sandbox',
  'standalone',
  'conformance',
  'locales',
  'locales/en',
  'locales/kk',
  'locales/ru',
];

const library: UserConfig['build'] = {
  target: 'es2022',
  sourcemap: true,
  emptyOutDir: false,
  outDir: 'dist',
  license: { fileName: 'licenses.md' },
  lib: {
    formats: ['es'],
    entry: {
      ...Object.fromEntries(entries.map((name) => [`lib/${name}`, `src/${name}.ts`])),
      'bin/conformance': 'src/bin/conformance.ts',
      // Bundled with its libraries: the package does not depend on them.
      'bin/sandbox': 'src/bin/sandbox.ts',
      'bin/server': 'src/bin/server.ts',
    },
  },
  rolldownOptions: {
    // The QR encoder is bundled: it is CommonJS, of which some bundlers warn, and its package brings its command's libraries.
    external: [/^(lit|zod|kysely|libsql|pg)(\/|$)/, 'qrcode', /^node:/],
    output: { chunkFileNames: 'lib/chunks/[name]-[hash].js' },
  },
};

const minified = {
  minify: true,
  /**
   * Chromium (136 or later) then compiles all functions of a file beside the main thread while it is read, because most of them
   * run before the first paint. Compiled when they are first called, they cost the main thread more.
   */
  postBanner: '//# allFunctionsCalledOnLoad',
};

const cdn: UserConfig['build'] = {
  target: 'es2022',
  sourcemap: true,
  emptyOutDir: true,
  outDir: 'dist/cdn',
  license: { fileName: 'licenses.md' },
  lib: { formats: ['es'], entry: { 'pay-invoice': 'src/pay-invoice.ts' } },
  rolldownOptions: {
    // What the entry and its chunks share is in the entry; `shareEntryWithChunks` passes it on.
    preserveEntrySignatures: 'allow-extension',
    output: { ...minified, topLevelVar: false, chunkFileNames: 'pay-invoice.[name]-[hash].js' },
  },
};

const iife: UserConfig['build'] = {
  ...cdn,
  sourcemap: false, // the module's source maps are enough for debugging
  emptyOutDir: false,
  lib: {
    formats: ['iife'],
    name: 'PayInvoice', // needed by Vite, and not used: the script exports nothing, so it creates no global
    entry: 'src/pay-invoice.ts',
    fileName: () => 'pay-invoice.iife.js',
  },
  rolldownOptions: { preserveEntrySignatures: false, output: minified },
};

const pages: readonly string[] = ['index.html', 'demo/playground.html', 'demo/gallery.html', 'demo/in-page-bank.html'];

const demo: UserConfig['build'] = {
  target: 'es2022',
  outDir: 'dist/demo',
  emptyOutDir: true,
  modulePreload: { polyfill: false },
  rolldownOptions: {
    input: [...pages],
    checks: { bundlerTimings: false },
  },
};

const site: UserConfig['build'] = { ...demo, outDir: 'dist/site' };

export default defineConfig(({ mode, command }) => {
  if (command === 'serve') {
    const proxy = Object.fromEntries(['/shop', '/checkout', '/config.json'].map((path) => [path, backend]));
    return {
      plugins: [standaloneFromSource, replaceNodeModules()],
      server: { proxy },
      publicDir: false,
      optimizeDeps: { entries: [...pages] },
    };
  }
  switch (mode) {
    case 'cdn':
      return { build: cdn, plugins: [shareEntryWithChunks()], publicDir: false };
    case 'iife':
      return { build: iife, publicDir: false };
    case 'demo':
      return { build: demo, plugins: [replaceNodeModules()], publicDir: false };
    case 'site': // works under any path; the standalone file is copied beside the pages
      return {
        build: site,
        base: './',
        plugins: [replaceNodeModules(), contentSecurityPolicy()],
        publicDir: 'dist/cdn',
      };
    default:
      return { build: library, plugins: [omitMaps()], publicDir: false };
  }
});
