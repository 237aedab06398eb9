import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const property = `
  import fc from 'fast-check';
  import { holds } from './test/support/properties.ts';
  const seen = [];
  try {
    holds(fc.property(fc.string(), fc.nat(), (text, number) => void seen.push([text, number]) ?? number < 5000));
  } catch (error) {
    process.stdout.write(JSON.stringify({ told: error.message, seen }));
  }
`;

/** What a property that does not hold says, and the values that it was tried with. */
function fail(env: Record<string, string>): { readonly told: string; readonly seen: readonly unknown[] } {
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', property], {
    encoding: 'utf8',
    env: { ...process.env, FC_SEED: undefined, FC_PATH: undefined, FC_SECONDS: undefined, FC_RUNS: undefined, ...env },
  });
  return JSON.parse(stdout) as ReturnType<typeof fail>;
}

test('the seed and path that a failed property prints reproduce the value at once', () => {
  const first = fail({});
  const [, seed = '', path = ''] = /^FC_SEED=(\S+) FC_PATH=(\S+) gives this again/.exec(first.told) ?? [];
  const again = fail({ FC_SEED: seed, FC_PATH: path });
  const counterexample = (told: string): string | undefined => /Counterexample: (.*)/.exec(told)?.[1];
  assert.ok(counterexample(first.told)?.includes('5000'), first.told);
  assert.equal(counterexample(again.told), counterexample(first.told));
  assert.ok(first.seen.length > 1);
  assert.equal(JSON.stringify(again.seen[0]), counterexample(first.told));
});
