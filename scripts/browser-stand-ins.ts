import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const file = (name: string): string => fileURLToPath(new URL(`../demo/play/${name}`, import.meta.url));

/** What stands in a browser for modules of node that the backend's code uses. */
const standIns: Readonly<Record<string, string>> = {
  'node:crypto': file('node-crypto.ts'),
  'node:stream': file('node-sockets.ts'),
  'node:timers/promises': file('node-timers.ts'),
  'node:tls': file('node-sockets.ts'),
};

/** Lets the demo's pages play the backend: modules of node that it uses are replaced. */
export function browserStandIns(): Plugin {
  return { name: 'browser-stand-ins', enforce: 'pre', resolveId: (source) => standIns[source] };
}
