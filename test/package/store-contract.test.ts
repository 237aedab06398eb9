import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CleanMachine } from './clean-machine.ts';

/** A test file as `pay-invoice/testing` is used, for a store that `create` makes. */
const testOf = (create: string): string => `
import { createMemoryStore } from 'pay-invoice/server';
import { storeContract } from 'pay-invoice/testing';

storeContract('my store', async () => ({ store: ${create}, close: async () => {} }));
`;

/** A store that hands out no work. */
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

describe('who has written a store', { timeout: 120_000 }, () => {
  it('runs the contract of the installed package with node:test, and the memory store passes it', async () => {
    const report = await machine.run('node', '--test', 'memory.test.mjs');
    assert.match(report, /claims the attempts that are due, earliest first/);
    assert.match(report, /moves its schedule when the clock has stepped/);
  });

  it('sees which rule a store breaks that hands out no work', async () => {
    await assert.rejects(
      machine.run('node', '--test', 'broken.test.mjs'),
      /✖ claims the attempts that are due, earliest first|not ok \d+ - claims the attempts that are due, earliest first/,
    );
  });
});
