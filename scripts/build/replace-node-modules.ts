// A Vite plugin for the demo that runs in the page: replaces the Node modules that the backend imports.
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** The file that replaces them in a browser. */
const replacement = fileURLToPath(new URL('../../demo/in-page/node-module-replacements.ts', import.meta.url));

/** The Node modules that the backend uses. */
const replacedModules = ['node:crypto', 'node:diagnostics_channel', 'node:stream', 'node:tls', 'node:util'];

/** Replaces the Node modules that the backend imports, so that the demo pages can run it in the browser. */
export function replaceNodeModules(): Plugin {
  return {
    name: 'replace-node-modules',
    enforce: 'pre',
    resolveId: (source) => (replacedModules.includes(source) ? replacement : undefined),
  };
}
