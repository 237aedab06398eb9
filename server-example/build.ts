import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = ['src', 'demo', 'server-example', 'index.html', 'vite.config.ts', 'package-lock.json'].map((name) =>
  join(root, name),
);
const results = ['dist/cdn/pay-invoice.js', 'dist/demo/index.html'].map((name) => join(root, name));

/** The build failed. The message is the build's output. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}

/** Builds the widget and the demo's pages when they are missing or older than their sources. */
export function buildWhenStale(): void {
  if (!isStale(results, sources)) return;
  console.log('Building the widget and the demo shop …');
  const { status, stdout, stderr } = spawnSync('npm run build:app', { cwd: root, shell: true, encoding: 'utf8' });
  if (status !== 0) throw new BuildError(`${stdout}${stderr}\nThe build failed: see above.`);
}

/** Whether a result is missing, or older than a source or anything in it. */
export function isStale(results: readonly string[], sources: readonly string[]): boolean {
  return Math.min(...results.map(changedAt)) < Math.max(...sources.map(changedAt));
}

/** When a file, or anything in a folder, was last changed, in milliseconds since 1970; 0 when it does not exist. */
function changedAt(path: string): number {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return 0;
  if (!facts.isDirectory()) return facts.mtimeMs;
  return Math.max(facts.mtimeMs, ...readdirSync(path).map((entry) => changedAt(join(path, entry))));
}
