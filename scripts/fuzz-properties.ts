// The long run of every property: `npm run test:fuzz [-- --seconds N --seed N file …]`, N seconds for each property. A
// failure prints the seed and path that reproduce it; at the end it prints how many values each file's properties were tried on.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '15' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const seed = values.seed ?? String(Math.trunc(Math.random() * 2 ** 31));
const reportFile = '.tmp/fuzz.jsonl';
/** What test/support/properties.ts writes for each property. */
const reportLineSchema = z.object({ file: z.string(), runs: z.number() });

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts') && readFileSync(name, 'utf8').includes('support/properties.ts'))
  .filter((name) => positionals.length === 0 || positionals.some((start) => name.startsWith(start)))
  .sort();

mkdirSync('.tmp', { recursive: true });
rmSync(reportFile, { force: true });
console.log(`seed ${seed}, ${values.seconds} s for each property`);
// A test file that hangs fails after this time.
const timeout = `--test-timeout=${10 * 60_000}`;
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', '--test', '--test-concurrency=1', timeout, ...files],
  {
    stdio: 'inherit',
    env: { ...process.env, FC_SEED: seed, FC_SECONDS: values.seconds, FC_REPORT: reportFile },
  },
);
process.exitCode = status ?? 1;
if (status === 0) {
  const runsByFile = new Map<string, number>();
  for (const text of readFileSync(reportFile, 'utf8').trim().split('\n')) {
    const { file, runs } = reportLineSchema.parse(JSON.parse(text));
    runsByFile.set(file, (runsByFile.get(file) ?? 0) + runs);
  }
  for (const [file, runs] of runsByFile) console.log(`${String(runs).padStart(9)} ${file}`);
}
