import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const file = (name: string): string => fileURLToPath(new URL(`../../demo/play/${name}`, import.meta.url));

/** The file that replaces each Node module that the backend uses, in a browser. */
const shims: Readonly<Record<string, string>> = {
  'node:crypto': file('node-crypto.ts'),
  'node:stream': file('node-sockets.ts'),
  'node:timers/promises': file('node-timers.ts'),
  'node:tls': file('node-sockets.ts'),
};

/** Replaces the Node modules that the backend imports, so that the demo pages can run it in the browser. */
export function nodeShims(): Plugin {
  return { name: 'node-shims', enforce: 'pre', resolveId: (source) => shims[source] };
}
