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
    process.stdout.write(JSON.stringify({ message: error.message, seen }));
  }
`;

/** Runs a property that does not hold. Returns its message, and the values with which it was tried. */
function fail(env: Record<string, string>): { readonly message: string; readonly seen: readonly unknown[] } {
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', property], {
    encoding: 'utf8',
    env: { ...process.env, FC_SEED: undefined, FC_PATH: undefined, FC_SECONDS: undefined, FC_RUNS: undefined, ...env },
  });
  return JSON.parse(stdout) as ReturnType<typeof fail>;
}

test('the seed and path that a failed property prints reproduce the value at once', () => {
  const first = fail({});
  const [, seed = '', path = ''] = /^FC_SEED=(\S+) FC_PATH=(\S+) reproduces this/.exec(first.message) ?? [];
  const again = fail({ FC_SEED: seed, FC_PATH: path });
  const counterexample = (message: string): string | undefined => /Counterexample: (.*)/.exec(message)?.[1];
  assert.ok(counterexample(first.message)?.includes('5000'), first.message);
  assert.equal(counterexample(again.message), counterexample(first.message));
  assert.ok(first.seen.length > 1);
  assert.equal(JSON.stringify(again.seen[0]), counterexample(first.message));
});
