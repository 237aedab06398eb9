// The long run of every property: `npm run test:fuzz [-- --seconds N --seed N file …]`, N seconds for each property. A
// failure prints the seed and path that reproduce it.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '15' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const seed = values.seed ?? String(Math.trunc(Math.random() * 2 ** 31));

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts') && readFileSync(name, 'utf8').includes('support/properties.ts'))
  .filter((name) => positionals.length === 0 || positionals.some((start) => name.startsWith(start)))
  .sort();

console.log(`seed ${seed}, ${values.seconds} s for each property`);
// A test file that hangs fails after this time.
const timeout = `--test-timeout=${10 * 60_000}`;
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', '--test', '--test-concurrency=1', timeout, ...files],
  {
    stdio: 'inherit',
    env: { ...process.env, FC_SEED: seed, FC_SECONDS: values.seconds },
  },
);
process.exitCode = status ?? 1;
