// Runs tests with Node's own runner: `npm run test:node [-- folder or file …]`. With nothing named it runs every test that
// needs no browser and no command of its own, less the slow ones (*.slow.test.ts). `--slow` runs only the slow ones,
// `--quick` leaves them out of the named folders, `--except FILE` leaves out one file.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileTests } from './test-node/compile-tests.ts';

/** Test folders that another command runs. */
const foldersWithOwnCommand = /^test\/(view|visual|reading-order|e2e|bench|budgets|package)\//;

const { values, positionals } = parseArgs({
  options: {
    slow: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    except: { type: 'string' },
  },
  allowPositionals: true,
});
const folders = positionals.map((folder) => folder.replace(/\/$/, ''));

function isSelected(file: string): boolean {
  const isSlow = file.endsWith('.slow.test.ts');
  if (values.slow ? !isSlow : isSlow && (values.quick || folders.length === 0)) return false;
  if (file === values.except) return false;
  return folders.length === 0 ? !foldersWithOwnCommand.test(file) : folders.some((folder) => file.startsWith(folder));
}

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts') && isSelected(name))
  .sort();
if (files.length === 0) throw new RangeError(`no test file matches ${process.argv.slice(2).join(' ')}`);

// Each run has its own folder, so that several runs can be active at the same time.
const folder = `.tmp/tests-${process.pid}`;
try {
  const compiledFiles = await compileTests(files, folder);
  // A test file that hangs fails after this time.
  const timeout = `--test-timeout=${10 * 60_000}`;
  // The spec reporter lists failures at the end of the output, with or without a terminal.
  const reporters = ['spec', './scripts/test-node/report-skipped-tests.js'].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
  ]);
  const args = ['--enable-source-maps', '--test', ...reporters, timeout, ...compiledFiles];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
