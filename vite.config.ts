import { minifyHTMLLiterals } from 'minify-literals';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { shareEntryWithChunks } from './scripts/build/share-entry-with-chunks.ts';
import { packageEntries, packageLibraries } from './scripts/build/package-entries.ts';
import { textsInPages } from './scripts/build/texts-in-pages.ts';
import { withoutStyleFallback } from './scripts/build/without-style-fallback.ts';

// vite                       the demo shop with live reload, in front of a running `npm start`
// vite build --mode library  dist/lib, bin    the package's entries (dependencies external) and its commands
// vite build --mode cdn      dist/cdn/        the standalone file and its lazy chunks
// vite build --mode operator dist/operator/   the operator's page of the standalone server
// vite build --mode demo     dist/demo/       the demo's pages; any web server can serve the playground and the gallery

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

/** Removes white space, comments, quotes and zeros that a browser needs not: the rules stay those of the source. */
const minifyCss = (css: string): string =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};]) ?/g, '$1')
    .replace(/([{;][\w-]+:) /g, '$1')
    .replace(/([,>]=?) /g, '$1')
    .replace(/^ | (?=[!>])|;(?=})|(?<=[ ,:(-])0(?=\.)/g, '')
    .replace(/='([a-z][\w-]*)'\]/g, '=$1]');

/** Removes what a browser ignores from the templates and style sheets. */
const minifiedLiterals: Plugin = {
  name: 'minified-literals',
  apply: 'build',
  transform: {
    // The tag of the style sheets has no text, and is warned of.
    filter: { id: { include: /\/src\/view\/.*\.ts$/, exclude: /styles\/css\.ts$/ } },
    handler: (code, fileName) =>
      minifyHTMLLiterals(code, {
        fileName,
        css: minifyCss,
        html: { conservativeCollapse: true, removeAttributeQuotes: true },
      }),
  },
};

/** Removes chunks of modules that only export again what other modules have. */
const withoutEmptyChunks: Plugin = {
  name: 'without-empty-chunks',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    for (const { fileName } of chunks.filter(({ code }) => code.trim() === '')) {
      Reflect.deleteProperty(bundle, fileName);
      const name = fileName.replace('lib/', './');
      for (const chunk of chunks) chunk.code = chunk.code.replace(`import "${name}";\n`, '');
    }
  },
};

const library: UserConfig['build'] = {
  target: 'es2022',
  emptyOutDir: false,
  outDir: 'dist',
  license: { fileName: 'licenses.md' },
  lib: {
    formats: ['es'],
    entry: {
      ...Object.fromEntries(packageEntries.map((name) => [`lib/${name}`, `src/${name}.ts`])),
      'bin/conformance': 'src/bin/conformance.ts',
      // Bundled with its libraries: the package does not depend on them.
      'bin/sandbox': 'src/bin/sandbox.ts',
      'bin/server': 'src/bin/server.ts',
    },
  },
  rolldownOptions: {
    // The QR encoder is bundled: its package brings the 27 libraries of its command, and is CommonJS, of which bundlers warn.
    external: [...packageLibraries],
    // The documentation is in the types.
    output: { chunkFileNames: 'lib/chunks/[name]-[hash].js', comments: { jsdoc: false } },
  },
};

const minified = {
  minify: true,
  comments: false, // those of the bundler too
  /**
   * Chromium (136 or later) then compiles all functions of a file beside the main thread while it is read, because most of them
   * run before the first paint. Compiled when they are first called, they cost the main thread more.
   */
  postBanner: '//# allFunctionsCalledOnLoad',
};

const cdn: UserConfig['build'] = {
  target: 'es2022',
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

const operator: UserConfig['build'] = {
  target: 'es2022',
  emptyOutDir: true,
  outDir: 'dist/operator',
  license: { fileName: 'licenses.md' },
  lib: { formats: ['es'], entry: { 'operator-page': 'src/operator-page/operator-page.ts' } },
  rolldownOptions: { output: { minify: true } },
};

const pages = ['index.html', 'demo/playground.html', 'demo/gallery.html'];

const demo: UserConfig['build'] = {
  target: 'es2022',
  outDir: 'dist/demo',
  emptyOutDir: true,
  modulePreload: { polyfill: false },
  rolldownOptions: {
    input: pages,
    checks: { bundlerTimings: false },
  },
};

export default defineConfig(({ mode, command }) => {
  if (command === 'serve') {
    const proxy = Object.fromEntries(['/shop', '/checkout', '/config.json'].map((path) => [path, backend]));
    return {
      plugins: [standaloneFromSource],
      server: { proxy },
      publicDir: false,
      optimizeDeps: { entries: pages },
    };
  }
  switch (mode) {
    case 'cdn':
      return {
        build: cdn,
        plugins: [minifiedLiterals, withoutStyleFallback(), shareEntryWithChunks()],
        publicDir: false,
      };
    case 'operator':
      return { build: operator, publicDir: false };
    case 'demo': // works under any path; the widget's files are copied beside the pages
      return { build: demo, base: './', plugins: [textsInPages()], publicDir: 'dist/cdn' };
    default:
      return { build: library, plugins: [withoutEmptyChunks], publicDir: false };
  }
});
