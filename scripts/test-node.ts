// Runs tests with Node's own runner: `npm run test:node [-- folder or file …]`. With nothing named it runs every test that
// needs no browser, no built files and no command of its own, less the slow ones (*.slow.test.ts). `--slow` runs only the slow
// ones, `--quick` leaves them out of the named folders, `--except FILE` leaves out one file.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compileTests, writeProgram } from './test-node/compile-tests.ts';
import { testedPrograms } from './test-node/tested-programs.ts';

/** Test folders that another command runs. */
const foldersWithOwnCommand =
  /^test\/(proxies|openapi-lint|tracing|view|visual|reading-order|e2e|host-pages|bundlers|served-pages|bench|budgets|package|server-example)\//;
/** Code of test files that have a process of their own, because they change what all files of a process have, or fill the processor. */
const needsOwnProcess =
  /\bprocess\.(env|on|chdir|exitCode)\b|\bglobalThis\b|\bmock\.timers\b|node:child_process|\bserver-example\b/;

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
  .filter((name) => name.endsWith('.test.ts') && !name.includes('/node_modules/') && isSelected(name))
  .sort();
if (files.length === 0) throw new RangeError(`no test file matches ${process.argv.slice(2).join(' ')}`);

// Each run has its own folder, so that several runs can be active at the same time.
const folder = `.tmp/tests-${process.pid}`;
try {
  const compiledFiles = (await compileTests([...files, ...testedPrograms], folder)).slice(0, files.length);
  const alone = compiledFiles.filter((_, index) => needsOwnProcess.test(readFileSync(files[index] ?? '', 'utf8')));
  const sharing = compiledFiles.filter((file) => !alone.includes(file));
  // Starting Node and loading the packages costs more than most files do, so the others share as many processes as run at once.
  const processCount = availableParallelism();
  const sharedProcesses = Array.from({ length: Math.min(processCount, sharing.length) }, (_, number) => {
    const names = sharing.filter((__, index) => index % processCount === number);
    const program = resolve(folder, `shared-${number + 1}.mjs`);
    writeProgram(program, names);
    return program;
  });
  // A process that hangs fails after this time.
  const timeout = `--test-timeout=${90 * 60_000}`;
  // The spec reporter lists failures at the end of the output, with or without a terminal.
  const reporters = ['spec', './scripts/test-node/report-skipped-tests.js'].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
  ]);
  // Files with a process of their own mostly wait, so one of them runs beside those that share one.
  const concurrency = `--test-concurrency=${processCount + 1}`;
  const args = ['--enable-source-maps', '--test', concurrency, timeout, ...reporters, ...sharedProcesses, ...alone];
  const { status } = spawnSync(process.execPath, args, {
    env: { ...process.env, TEST_PROGRAMS: resolve(folder) },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
