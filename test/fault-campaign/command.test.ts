import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { documentOf, shellIn } from '../docs/documents.ts';

const runFile = promisify(execFile);

// The commands of CONTRIBUTING.md for long campaigns, shortened to one run each.
const commands = shellIn(documentOf('CONTRIBUTING.md'), 'npx tsx scripts/run-fault-campaign.ts')
  .split('\n')
  .filter((line) => line.startsWith('npx '))
  .map((line) => line.replace(/ *#.*/, ''));

for (const command of commands)
  test(`\`${command}\` runs its plans and prints their results`, async () => {
    const shortCommand = `${command.replace(/--runs \d+/, '--runs 1')} --database embedded`;
    const { stdout } = await runFile('sh', ['-c', shortCommand]);
    const seed = /--seed (\d+)/.exec(command)?.[1];
    assert.match(stdout, new RegExp(`^seed ${seed ?? 'none'} holds in .*; embedded, .*\\n1 runs, 0 failed\\n$`));
  });

test('CONTRIBUTING.md has two commands that run the fault campaign', () => assert.equal(commands.length, 2));
