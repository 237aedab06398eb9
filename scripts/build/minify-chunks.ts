// A Vite plugin of the build for browsers: a second minifier.
import { minify } from 'terser';
import type { Plugin } from 'vite';

/**
 * Properties that only the modules of one file use; the build shortens their names. None is part of the element, its state,
 * events, texts, transport or the checkout API, none is in a string, and none is in a chunk that is loaded later: a test and
 * the build check this. terser itself leaves the names of the DOM as they are.
 */
export const privateNames: readonly string[] = [
  // The model of a session.
  'applied',
  'dismissedInvoiceId',
  'emitted',
  'health',
  'invoiceId',
  'invoiceIds',
  'issues',
  'lifecycle',
  'mismatch',
  'pendingCreate',
  'previousInvoiceId',
  'requestedAmount',
  // Ports, actions and plans of a poll.
  'duringLoad',
  'elapsed',
  'isVisible',
  'longPoll',
  'newKey',
  'onResume',
  'schedule',
  'onVisibility',
  'openChannel',
  // Methods and fields of the controllers.
  'announceTime',
  'expectChange',
  'focusFirst',
  'remainingMs',
  'totalMs',
  'onTick',
  // What the screen of a waiting invoice shows.
  'checkResult',
  'copyResult',
  'isChecking',
  'otherDeviceUrl',
  'qrImage',
  'qrLink',
  'returnCountdown',
  // What a translator has besides the texts.
  'plainAmount',
  'spokenTime',
];

const privateNamePattern = new RegExp(`^(?:${privateNames.join('|')})$`);

/**
 * Asks Chromium (136 or later) to compile all functions of a file beside the main thread while it is read, because most of
 * them run before the first paint. Compiled when they are first called, they cost the main thread more.
 */
export const compileHint = '//# allFunctionsCalledOnLoad';

/** Minifies again, with terser, what the bundler has minified: the budgets of `npm run size` are for such files. */
export function minifyChunks({ preamble }: { readonly preamble?: string } = {}): Plugin {
  return {
    name: 'minify-chunks',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_, bundle) {
      // The files pass objects to each other, so a property has the same short name in all of them.
      const propertyNames = {};
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        const url = `${file.fileName}.map`;
        const minified = await minify(file.code, {
          module: true,
          ecma: 2020,
          compress: { passes: 2, lhs_constants: false },
          mangle: { properties: { regex: privateNamePattern } },
          ...(preamble !== undefined && { format: { preamble } }),
          nameCache: { props: propertyNames, vars: {} },
          sourceMap: file.map !== null && { content: file.map.toString(), url },
        });
        if (minified.code === undefined || (file.map !== null && typeof minified.map !== 'string'))
          throw new Error(`${file.fileName}: not minified`);
        file.code = minified.code;
        const map = bundle[url];
        if (map?.type === 'asset' && typeof minified.map === 'string') map.source = minified.map;
      }
    },
  };
}
