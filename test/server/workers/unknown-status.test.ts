import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from '../../support/checkout-world.ts';

for (const [status, isTold] of [
  ['SUCCEEDED', true],
  ['7', true],
  ['PAID_OUT', true],
  ['PENDING', false],
  [' pending ', false],
  ['', false],
  ['PAID', false],
  ['failed', false],
  ['EXPIRED', false],
] as const)
  test(`the status ${JSON.stringify(status)} is ${isTold ? 'told once as one that nobody knows' : 'known'}`, async () => {
    const world = await World.open();
    await world.ask();
    world.service.say(status);
    await world.pass(30_000);
    const told = world.lines.filter(({ event }) => event === 'status_unknown');
    assert.equal(told.length, isTold ? 1 : 0);
    if (isTold) assert.deepEqual([told[0]?.level, { status: '', ...told[0]?.facts }.status], ['warn', status]);
    if (isTold) assert.equal((await world.get()).checkout.status, 'pending');
  });

test('a word that the merchant has listed is known', async () => {
  const world = await World.open({}, { statuses: { paid: ['SUCCEEDED'], failed: [], expired: [] } });
  await world.ask();
  world.service.say('Succeeded');
  await world.pass(10_000);
  assert.equal((await world.get()).checkout.status, 'paid');
  assert.ok(!world.events().includes('status_unknown'));
});
