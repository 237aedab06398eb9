// Runs the tests that need no browser with Node's own runner: `npm run test:node [folder …]`, all folders when none is named
// but those that have a command of their own.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const apart = /^test\/(view|e2e|bench|faults|package)\//;
const wanted = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ''));

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => (wanted.length === 0 ? !apart.test(name) : wanted.some((folder) => name.startsWith(folder))))
  .sort();

// A file that does not end is a failure, not a wait without end.
const timeout = `--test-timeout=${5 * 60_000}`;
const { status } = spawnSync(process.execPath, ['--import', 'tsx', '--test', timeout, ...files], { stdio: 'inherit' });
process.exitCode = status ?? 1;
