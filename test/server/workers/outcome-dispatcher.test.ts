import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../../src/server.ts';
import { World } from '../../support/checkout-world.ts';

test('tells the shop of a payment once, with what it needs', async () => {
  const world = await World.open();
  await world.ask();
  world.service.say('PAID');
  await world.pass(60_000);
  const [attempt] = await world.attempts();
  assert.ok(attempt);
  const { occurred_at, ...outcome } = world.outcomes[0] ?? {};
  assert.ok(occurred_at);
  assert.deepEqual(outcome, {
    id: `${attempt.external_id}.paid`,
    kind: 'paid',
    order_id: 'order-1',
    checkout_id: world.id,
    external_id: attempt.external_id,
    invoice_id: 'inv_1',
    amount: '1500.00',
  });
  assert.equal(world.outcomes.length, 1);
});

test('tells again, ever more rarely and under the same id, until the shop has taken it', async () => {
  const world = await World.open();
  const told: string[] = [];
  let sound = false;
  world.shop = ({ id }) => {
    told.push(id);
    return sound ? Promise.resolve() : Promise.reject(new Error('the shop is closed'));
  };
  await world.ask();
  world.service.say('PAID');
  await world.pass(60_000);
  const early = told.length;
  assert.ok(early >= 5 && early <= 9, `${early} times in a minute`);
  await world.pass(240_000);
  assert.ok(told.length - early <= 9, `${told.length - early} times in the next four`);
  sound = true;
  await world.pass(61_000);
  const { length } = told;
  await world.pass(600_000);
  assert.equal(told.length, length);
  assert.equal(new Set(told).size, 1);
  assert.equal(world.outcomes.length, 1);
});

test('a shop that throws at once, or never answers, is told again', async () => {
  const world = await World.open();
  let times = 0;
  world.shop = () => {
    times += 1;
    if (times === 1) throw new Error('at once');
    return times === 2 ? new Promise(() => undefined) : Promise.resolve();
  };
  await world.ask();
  world.service.say('PAID');
  await world.pass(60_000);
  assert.equal(times, 3);
  assert.equal(world.outcomes.length, 1);
});

test('one outcome that the shop cannot take does not hold up the others', async () => {
  const world = await World.open();
  world.shop = ({ order_id }) => (order_id === 'order-1' ? Promise.reject(new Error('no')) : Promise.resolve());
  await world.ask();
  const { params: terms } = await world.record();
  for (let n = 2; n < 40; n += 1) {
    world.id = await world.server.create({ ...terms, order_id: `order-${n}` });
    await world.ask();
  }
  for (const id of world.service.invoices.keys()) world.service.say('PAID', id);
  await world.pass(60_000);
  assert.equal(world.outcomes.length, 38);
});

test('a process that dies between the commit and the telling leaves it to the next', async () => {
  const world = await World.open();
  let isFirst = true;
  world.shop = () => {
    const answer = isFirst ? new Promise<void>(() => undefined) : Promise.resolve();
    isFirst = false;
    return answer;
  };
  await world.ask();
  world.service.say('PAID');
  await world.pass(3000);
  assert.equal(world.outcomes.length, 0);
  world.crash();
  await world.pass(5000);
  assert.deepEqual(new Set(world.outcomes.map(({ kind }) => kind)), new Set(['paid']));
});

test('a shop that takes its time is not told by two processes at once', async () => {
  const world = await World.open();
  const told: string[] = [];
  const slowly = async ({ kind }: Outcome): Promise<void> => {
    told.push(kind);
    await new Promise<void>((resolve) => world.clock.schedule(7000, resolve));
  };
  world.shop = slowly;
  const other = new World({ store: world.store, service: world.service, clock: world.clock });
  other.shop = slowly;
  other.server.start();
  await world.ask();
  await world.ask({ key: 'key-2', method: 'pm_sbp', replace: true });
  for (const id of world.service.invoices.keys()) world.service.say('PAID', id);
  await world.pass(60_000);
  assert.deepEqual(told, ['paid', 'paid_again']);
});

test('says failed and expired of the invoice that the payer has, not of one that was left', async () => {
  const world = await World.open();
  await world.ask();
  await world.ask({ key: 'key-2', method: 'pm_sbp', replace: true });
  world.service.say('FAILED', 'inv_1');
  await world.pass(20_000);
  assert.deepEqual(world.outcomes, []);
  assert.equal((await world.get()).checkout.status, 'pending');
  world.service.say('FAILED', 'inv_2');
  await world.pass(20_000);
  assert.equal((await world.get()).checkout.status, 'failed');
  assert.deepEqual(
    world.outcomes.map(({ kind, invoice_id }) => [kind, invoice_id]),
    [['failed', 'inv_2']],
  );
});

test('after a failure the payer may try again, and the shop hears of both', async () => {
  const world = await World.open();
  await world.ask();
  world.service.say('FAILED');
  await world.pass(3000);
  const failed = await world.get();
  assert.equal(failed.checkout.status, 'failed');
  assert.equal(failed.checkout.options.length, 2);
  assert.equal((await world.ask()).checkout.status, 'failed', 'the same key stays the same request');
  const again = await world.ask({ key: 'key-2' });
  assert.equal(again.status, 201);
  assert.equal(again.checkout.status, 'pending');
  world.service.say('PAID');
  await world.pass(3000);
  assert.deepEqual(
    world.outcomes.map(({ kind }) => kind),
    ['failed', 'paid'],
  );
});
