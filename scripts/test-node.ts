// Runs tests with Node's own runner: `npm run test:node [-- folder or file …]`. With nothing named it runs every test that
// needs no browser and no command of its own, less the slow ones (*.slow.test.ts). `--slow` runs only the slow ones,
// `--quick` leaves them out of the named folders, `--except FILE` leaves out one file.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileTests } from './test-node/compile-tests.ts';

/** Folders that have a command of their own. */
const separate = /^test\/(view|visual|reading-order|e2e|bench|budgets|fault-campaign|package)\//;

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
  return folders.length === 0 ? !separate.test(file) : folders.some((folder) => file.startsWith(folder));
}

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts') && isSelected(name))
  .sort();
if (files.length === 0) throw new RangeError(`no test file matches ${process.argv.slice(2).join(' ')}`);

// Each run has a folder of its own: several may run at once.
const folder = `.tmp/tests-${process.pid}`;
try {
  const compiled = await compileTests(files, folder);
  // A file that does not end is a failure, not a wait without end.
  const timeout = `--test-timeout=${10 * 60_000}`;
  // Failures stand at the end of the output, also without a terminal.
  const args = ['--enable-source-maps', '--test', '--test-reporter=spec', timeout, ...compiled];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
