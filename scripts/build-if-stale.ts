// Runs a build unless its results are newer than its sources. `tsx scripts/build-if-stale.ts pages`, which runs before `npm start`,
// builds the widget and the demo's pages. Without an argument, as in `npm run test:all`, it builds everything.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = ['src', 'demo', 'server-example', 'index.html', 'vite.config.ts', 'package-lock.json', 'package.json'];
const builds = {
  pages: { command: 'npm run build:app', results: ['dist/cdn/pay-invoice.js', 'dist/demo/index.html'] },
  everything: {
    command: 'npm run build',
    results: ['dist/cdn/pay-invoice.js', 'dist/cdn/snippet.html', 'dist/custom-elements.json', 'dist/lib/server.d.ts'],
  },
};

/** Whether a result is missing, or older than the newest source. */
export function isStale(results: readonly string[], sources: readonly string[]): boolean {
  return Math.min(...results.map(lastChangedAt)) < Math.max(...sources.map(lastChangedAt));
}

/** When a file, or anything in a folder, was last changed, in milliseconds since 1970; 0 when it does not exist. */
function lastChangedAt(path: string): number {
  const fileStats = statSync(path, { throwIfNoEntry: false });
  if (fileStats === undefined) return 0;
  if (!fileStats.isDirectory()) return fileStats.mtimeMs;
  return Math.max(fileStats.mtimeMs, ...readdirSync(path).map((entry) => lastChangedAt(join(path, entry))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const name = process.argv[2] === 'pages' ? 'pages' : 'everything';
  const { command, results } = builds[name];
  if (isStale(results, sources)) {
    console.log(`Building ${name} …`);
    const { status, stdout, stderr } = spawnSync(command, { shell: true, encoding: 'utf8' });
    if (status !== 0) console.error(`${stdout}${stderr}\nThe build failed: see above.`);
    process.exitCode = status ?? 1;
  }
}
