import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CleanMachine } from './clean-machine.ts';

/** A test file that runs the contract of `pay-invoice/testing` for the store that the expression creates. */
const testFileFor = (createExpression: string): string => `
import { createMemoryStore } from 'pay-invoice/server';
import { storeContract } from 'pay-invoice/testing';

storeContract('my store', async () => ({ store: ${createExpression}, close: async () => {} }));
`;

/** A store that claims no due attempts. */
const brokenStore = `{
  ...createMemoryStore(),
  async claimDueAttempts() { return []; },
}`;

let machine: CleanMachine;
before(async () => {
  machine = await CleanMachine.withPackage();
  await machine.write({
    'memory.test.mjs': testFileFor('createMemoryStore()'),
    'broken.test.mjs': testFileFor(brokenStore),
  });
});
after(() => machine.remove());

describe('an author of a store', { timeout: 300_000 }, () => {
  it('runs the contract of the installed package with node:test, and the memory store passes it', async () => {
    const report = await machine.run('node', '--test', 'memory.test.mjs');
    assert.match(report, /claims due attempts, earliest first/);
    assert.match(report, /when its schedule is shifted after a step of the clock/);
  });

  it('gets the name of the rule that a store breaks when it claims no due attempts', async () => {
    await assert.rejects(
      machine.run('node', '--test', 'broken.test.mjs'),
      /✖ claims due attempts, earliest first|not ok \d+ - claims due attempts, earliest first/,
    );
  });
});
