import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const property = `
  import fc from 'fast-check';
  import { holds } from './test/support/properties.ts';
  const testedValues = [];
  try {
    holds(fc.property(fc.string(), fc.nat(), (text, number) => void testedValues.push([text, number]) ?? number < 5000));
  } catch (error) {
    process.stdout.write(JSON.stringify({ message: error.message, testedValues }));
  }
`;

/** Runs a property that does not hold. Returns its message, and the values with which it was tested. */
function runFailingProperty(env: Record<string, string>): {
  readonly message: string;
  readonly testedValues: readonly unknown[];
} {
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', property], {
    encoding: 'utf8',
    env: { ...process.env, FC_SEED: undefined, FC_PATH: undefined, FC_SECONDS: undefined, FC_RUNS: undefined, ...env },
  });
  return JSON.parse(stdout) as ReturnType<typeof runFailingProperty>;
}

test('the seed and path that a failed property prints make its counterexample the first tested value', () => {
  const firstRun = runFailingProperty({});
  const [, seed = '', path = ''] = /^FC_SEED=(\S+) FC_PATH=(\S+) reproduces this/.exec(firstRun.message) ?? [];
  const repeatedRun = runFailingProperty({ FC_SEED: seed, FC_PATH: path });
  const counterexample = (message: string): string | undefined => /Counterexample: (.*)/.exec(message)?.[1];
  assert.ok(counterexample(firstRun.message)?.includes('5000'), firstRun.message);
  assert.equal(counterexample(repeatedRun.message), counterexample(firstRun.message));
  assert.ok(firstRun.testedValues.length > 1);
  assert.equal(JSON.stringify(repeatedRun.testedValues[0]), counterexample(firstRun.message));
});
