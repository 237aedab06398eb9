import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CleanMachine } from './clean-machine.ts';

/** A test file that uses `pay-invoice/testing` for the store of the expression `create`. */
const testOf = (create: string): string => `
import { createMemoryStore } from 'pay-invoice/server';
import { storeContract } from 'pay-invoice/testing';

storeContract('my store', async () => ({ store: ${create}, close: async () => {} }));
`;

/** A store that claims no due attempts. */
const broken = `{
  ...createMemoryStore(),
  async claimDueAttempts() { return []; },
}`;

let machine: CleanMachine;
before(async () => {
  machine = await CleanMachine.make();
  await machine.write({ 'memory.test.mjs': testOf('createMemoryStore()'), 'broken.test.mjs': testOf(broken) });
});
after(() => machine.remove());

describe('an author of a store', { timeout: 300_000 }, () => {
  it('runs the contract of the installed package with node:test, and the memory store passes it', async () => {
    const report = await machine.run('node', '--test', 'memory.test.mjs');
    assert.match(report, /claims the attempts that are due, earliest first/);
    assert.match(report, /moves its schedule when the clock has stepped/);
  });

  it('gets the name of the rule that a store breaks when it claims no due attempts', async () => {
    await assert.rejects(
      machine.run('node', '--test', 'broken.test.mjs'),
      /✖ claims the attempts that are due, earliest first|not ok \d+ - claims the attempts that are due, earliest first/,
    );
  });
});
