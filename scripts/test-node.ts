// Runs the tests that need no browser with Node's own runner: `npm run test:node [folder …]`, all folders when none is named
// but those that have a command of their own.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const apart = /^test\/(view|visual|e2e|bench|faults|package)\//;
const wanted = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ''));

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => (wanted.length === 0 ? !apart.test(name) : wanted.some((folder) => name.startsWith(folder))))
  .sort();

// A file that does not end is a failure, not a wait without end.
const timeout = `--test-timeout=${10 * 60_000}`;
const counted = process.env['TEST_COUNTS'];
const reporters =
  counted === undefined
    ? []
    : [
        ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
        ...['--test-reporter=./scripts/figures/count-reporter.js', `--test-reporter-destination=${counted}`],
      ];
const args = ['--import', 'tsx', '--test', timeout, ...reporters, ...files];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
process.exitCode = status ?? 1;
