import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '../../../src/server.ts';
import { settle } from '../../support/fake-clock.ts';
import type { Repeated } from '../../support/fake-service.ts';
import { gate, World } from '../../support/checkout-world.ts';

for (const repeated of ['same', 'conflict', 'new'] satisfies Repeated[])
  for (const fault of ['before', 'after'] as const)
    test(`an answer lost ${fault} the work, with a service whose repeats are "${repeated}": 202, then an invoice`, async () => {
      const world = await World.open();
      world.service.repeated = repeated;
      world.service.createFaults.push(fault === 'after' ? { kind: 'lost' } : { kind: 'fails', failure: 'ambiguous' });
      const first = await world.ask();
      assert.equal(first.status, 202);
      assert.equal(first.checkout.status, 'pending');
      assert.equal(first.checkout.invoice, null);
      assert.match(first.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal((await world.get()).checkout.status, 'pending');
      const second = await world.ask();
      assert.equal(second.status, 201);
      assert.ok(second.checkout.invoice !== null);
      const names = world.service.created.map(({ external_id }) => external_id);
      assert.equal(names[0], names[1], 'the repeat has the same external_id');
      assert.equal(new Set(names).size, repeated === 'conflict' && fault === 'after' ? 2 : 1);
      assert.equal((await world.ask()).checkout.invoice?.id, second.checkout.invoice.id);
      world.service.say('PAID', second.checkout.invoice.id);
      await world.pass(5000);
      assert.deepEqual(
        world.outcomes.map(({ kind }) => kind),
        ['paid'],
      );
    });

test('the completer drives on what nobody asks about again', async () => {
  const world = await World.open();
  world.service.createFaults.push({ kind: 'lost' }, { kind: 'fails', failure: 'unavailable' });
  assert.equal((await world.ask()).status, 202);
  await world.pass(60_000);
  const { checkout } = await world.get();
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.equal(world.service.created.length, 3);
});

test('a create in doubt stays in doubt while the service is away, whatever it says meanwhile', async () => {
  const world = await World.open();
  world.service.createFaults.push({ kind: 'lost' });
  await world.ask();
  for (const fault of [
    { kind: 'fails', failure: 'unavailable' },
    { kind: 'fails', failure: 'ambiguous' },
    { kind: 'fails', failure: 'refused', code: 'unauthenticated', httpStatus: 401 },
  ] as const) {
    world.service.createFaults.push(fault);
    assert.equal((await world.ask()).status, 202);
  }
  assert.equal((await world.ask({ key: 'key-2', method: 'pm_sbp' })).problem.code, 'invoice_pending');
  assert.equal((await world.ask()).status, 201);
});

test('a process that dies while it asks leaves an attempt that another one drives on with the same external_id', async () => {
  const world = await World.open();
  world.service.createFaults.push({ kind: 'hangs', until: new Promise(() => undefined) });
  void world.ask().catch(() => undefined);
  await world.pass(10_000);
  world.crash();
  const again = world.ask();
  await world.pass(2500);
  assert.equal(world.service.created.length, 1, 'the lease of the dead process is respected');
  await world.pass(2500);
  assert.equal((await again).checkout.invoice?.id, 'inv_1');
  const { checkout } = await world.get();
  assert.equal(checkout.invoice?.id, 'inv_1');
  assert.equal(new Set(world.service.created.map(({ external_id }) => external_id)).size, 1);
});

test('a slow call of a process that lives is not made by another one too', async () => {
  const world = await World.open();
  const other = new World({ store: world.store, service: world.service, clock: world.clock });
  other.id = world.id;
  other.server.start();
  const held = gate();
  world.service.createFaults.push({ kind: 'hangs', until: held.promise });
  const asked = world.ask();
  await world.pass(10_000);
  const joined = other.ask({ key: 'key-2' });
  await world.pass(15_000);
  assert.deepEqual([(await asked).status, (await joined).status], [202, 202]);
  assert.equal(world.service.created.length, 1);
  held.open();
  await settle();
  assert.equal((await other.get()).checkout.invoice?.id, 'inv_1');
});

test('a process that cannot hold on goes on with its call, and whoever takes it over asks for the same', async () => {
  const store = createMemoryStore();
  const cut = { ...store, holdAttempt: () => Promise.reject(new Error('the database is away')) };
  const world = await World.open({}, { store: cut });
  const held = gate();
  world.service.createFaults.push({ kind: 'hangs', until: held.promise });
  void world.ask();
  await world.pass(6000);
  held.open();
  await world.pass(1000);
  assert.ok(world.events().includes('hold_failed'));
  assert.equal(new Set(world.service.created.map(({ external_id }) => external_id)).size, 1);
  assert.equal((await world.attempts()).length, 1);
  assert.equal((await world.get()).checkout.invoice?.amount, '1500.00');
});

test('a payer who waits for a slow service hears 202 in time, and finds the invoice later', async () => {
  const world = await World.open();
  const held = gate();
  world.service.createFaults.push({ kind: 'hangs', until: held.promise });
  const asked = world.ask();
  await world.pass(12_000);
  assert.equal((await asked).status, 202);
  held.open();
  await settle();
  assert.equal((await world.get()).checkout.invoice?.id, 'inv_1');
  assert.equal((await world.ask()).status, 200);
});
