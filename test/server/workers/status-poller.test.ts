import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure } from '../../support/fake-service.ts';
import { World } from '../../support/checkout-world.ts';

/** Opens checkouts with an invoice each. */
async function openMany(world: World, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    world.id = await world.server.create({ ...(await world.record()).params, order_id: `order-${n}` });
    await world.ask();
    ids.push(world.id);
  }
  return ids;
}

async function watch(world: World, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    world.id = id;
    await world.get();
  }
}

const minute = 60_000;

test('asks for many invoices with one call a batch, and for each once a tick while payers look', async () => {
  const world = await World.open();
  const ids = await openMany(world, 250);
  await world.pass(4000);
  await watch(world, ids);
  await world.pass(4000);
  world.service.fetched.length = 0;
  await world.pass(10_000);
  assert.equal(world.service.fetched.length, 15, 'three calls a tick of two seconds');
  const asked = world.service.fetched.flat();
  assert.equal(asked.length, 250 * 5);
  assert.ok(world.service.fetched.every((batch) => batch.length <= 100));
});

test('goes on when nobody looks, ever more rarely, and says paid to the shop', async () => {
  const world = await World.open();
  await world.ask();
  await world.pass(5 * minute);
  const after5 = world.service.fetched.length;
  await world.pass(5 * minute);
  const later = world.service.fetched.length - after5;
  assert.ok(after5 >= 25 && after5 <= 32, `${after5} in the first five minutes`);
  assert.ok(later >= 10 && later <= 20, `${later} in the next five`);
  world.service.say('PAID');
  await world.pass(minute);
  assert.deepEqual(
    world.outcomes.map(({ kind, order_id }) => [kind, order_id]),
    [['paid', 'order-1']],
  );
  const paidAt = world.service.fetched.length;
  await world.pass(60 * minute);
  assert.equal(world.service.fetched.length, paidAt, 'a paid invoice is never asked for again');
});

test('saves only what changed: a status that stays leaves the version as it is', async () => {
  const world = await World.open();
  await world.ask();
  await world.pass(15_000); // the first look brings the word PENDING
  const { version } = await world.record();
  await world.pass(5 * minute);
  assert.equal((await world.record()).version, version);
});

for (const [word, expected] of [
  ['PAID', 'paid'],
  ['paid', 'paid'],
  ['FAILED', 'failed'],
  ['EXPIRED', 'expired'],
  ['PENDING', 'pending'],
  ['SUCCEEDED', 'pending'],
  ['7', 'pending'],
  ['', 'pending'],
  ['PAID_PARTLY', 'pending'],
  ['NOT_PAID', 'pending'],
] as const)
  test(`the status ${JSON.stringify(word)} makes the checkout ${expected}`, async () => {
    const world = await World.open();
    await world.ask();
    world.service.say(word);
    await world.pass(3000);
    assert.equal((await world.get()).checkout.status, expected);
    assert.deepEqual(
      world.outcomes.map(({ kind }) => kind),
      expected === 'pending' ? [] : [expected],
    );
  });

test('the words for the ends are the merchant’s to set', async () => {
  const statuses = { paid: ['Done', 'SETTLED'], failed: [], expired: [] };
  const world = await World.open({}, { statuses });
  await world.ask();
  world.service.say('PAID');
  await world.pass(3000);
  assert.equal((await world.get()).checkout.status, 'pending');
  world.service.say('settled');
  await world.pass(3000);
  assert.equal((await world.get()).checkout.status, 'paid');
});

test('calls an invoice expired only after deadline, grace and a look that came after both', async () => {
  const world = await World.open();
  await world.ask();
  await world.get();
  await world.pass(15 * minute + 4000);
  const { checkout } = await world.get();
  assert.equal(checkout.status, 'pending');
  assert.equal(checkout.invoice?.expires_in_ms, 0);
  await world.pass(4000);
  assert.equal((await world.get()).checkout.status, 'expired');
  assert.deepEqual(
    world.outcomes.map(({ kind }) => kind),
    ['expired'],
  );
});

test('never guesses: while the service is away nothing expires, however late it is', async () => {
  const world = await World.open();
  await world.ask();
  world.service.outage = { kind: 'fails', failure: 'unavailable' };
  await world.pass(120 * minute);
  const { checkout } = await world.get();
  assert.equal(checkout.status, 'pending');
  assert.equal(checkout.stale, true);
  world.service.say('PAID');
  world.service.outage = undefined;
  await world.pass(10_000);
  assert.equal((await world.get()).checkout.status, 'paid');
  assert.deepEqual(
    world.outcomes.map(({ kind }) => kind),
    ['paid'],
  );
});

for (const lateMs of [0, 1000, 2000, 60 * minute, 180 * minute])
  test(`a payment ${lateMs} ms after the deadline still wins`, async () => {
    const world = await World.open();
    await world.ask();
    await world.pass(15 * minute + lateMs);
    world.service.say('PAID');
    await world.pass(Math.max(10_000, 1.1 * lateMs));
    assert.equal((await world.get()).checkout.status, 'paid');
    assert.equal(world.outcomes.at(-1)?.kind, 'paid');
  });

test('looks a few more times after an end, and then never', async () => {
  const world = await World.open({}, { timing: { lateMs: 60 * minute } });
  await world.ask();
  world.service.say('EXPIRED');
  await world.pass(3000);
  const { length } = world.service.fetched;
  await world.pass(80 * minute);
  const late = world.service.fetched.length - length;
  assert.ok(late >= 8 && late <= 20, `${late} late looks`);
  assert.equal((await world.attempts())[0]?.run_at, null);
});

test('an invoice that the service leaves out is not failed, and expires long after its deadline', async () => {
  const world = await World.open();
  await world.ask();
  world.service.invoices.clear();
  await world.pass(20 * minute);
  assert.equal((await world.get()).checkout.status, 'pending');
  await world.pass(10 * minute);
  assert.equal((await world.get()).checkout.status, 'expired');
});

test('matches answers by identifier, in whatever order they come', async () => {
  const world = await World.open();
  const ids = await openMany(world, 3);
  const fetch = world.service.fetchInvoices.bind(world.service);
  world.service.fetchInvoices = async (asked) => [...(await fetch(asked))].reverse();
  world.service.say('PAID', 'inv_2');
  await world.pass(3000);
  const statuses = [];
  for (const id of ids) statuses.push((await world.store.load(id))?.attempts[0]?.outcome);
  assert.deepEqual(statuses, ['pending', 'paid', 'pending']);
});

test('one identifier that the service refuses does not hide the others', async () => {
  const world = await World.open();
  const ids = await openMany(world, 5);
  const fetch = world.service.fetchInvoices.bind(world.service);
  world.service.fetchInvoices = (asked) =>
    asked.includes('inv_3') ? Promise.reject(failure('refused', 'not_found', 404)) : fetch(asked);
  for (const id of ['inv_1', 'inv_5']) world.service.say('PAID', id);
  await world.pass(10_000);
  const statuses = [];
  for (const id of ids) statuses.push((await world.store.load(id))?.attempts[0]?.outcome);
  assert.deepEqual(statuses, ['paid', 'pending', 'pending', 'pending', 'paid']);
});

test('in an outage the service is called ever less, and afterwards without a herd', async () => {
  const world = await World.open();
  const ids = await openMany(world, 1000);
  await watch(world, ids);
  await world.pass(10_000);
  world.service.outage = { kind: 'fails', failure: 'unavailable' };
  world.service.fetched.length = 0;
  await world.pass(minute);
  const during = world.service.fetched.length;
  assert.ok(during <= 80, `${during} calls in a minute, against 300 in fair weather`);
  world.service.outage = undefined;
  await watch(world, ids);
  world.service.fetched.length = 0;
  let most = 0;
  for (let second = 0; second < 10; second += 1) {
    const before = world.service.fetched.length;
    await world.pass(1000);
    most = Math.max(most, world.service.fetched.length - before);
  }
  assert.ok(most <= 60, `${most} calls in the worst second`);
  assert.equal(new Set(world.service.fetched.flat()).size, 1000, 'all are known again within ten seconds');
});

test('calls that hang are given up, and the watcher goes on', async () => {
  const world = await World.open();
  await world.ask();
  world.service.fetchFaults.push({ kind: 'hangs', until: new Promise(() => undefined) });
  world.service.say('PAID');
  await world.pass(15_000);
  assert.equal((await world.get()).checkout.status, 'paid');
});

test('a store that fails for a while does not end the watcher', async () => {
  const world = await World.open();
  await world.ask();
  const sound = { ...world.store };
  world.store.claimDueAttempts = () => Promise.reject(new Error('disk'));
  await world.pass(10_000);
  Object.assign(world.store, sound);
  world.store.save = () => Promise.reject(new Error('disk'));
  world.service.say('PAID');
  await world.pass(10_000);
  assert.equal((await world.get()).checkout.status, 'pending');
  Object.assign(world.store, sound);
  await world.pass(10_000);
  assert.equal((await world.get()).checkout.status, 'paid');
  assert.deepEqual(
    world.outcomes.map(({ kind }) => kind),
    ['paid'],
  );
});

test('two processes on one store ask for each invoice once, and one goes on for both', async () => {
  const world = await World.open();
  const ids = await openMany(world, 150);
  const other = new World({ store: world.store, clock: world.clock, service: world.service });
  other.server.start();
  await watch(world, ids);
  await world.pass(6000);
  await watch(world, ids);
  world.service.fetched.length = 0;
  await world.pass(20_000);
  const asked = world.service.fetched.flat().length;
  assert.ok(asked >= 150 * 7 && asked <= 150 * 11, `${asked} looks at 150 invoices in ten ticks`);
  await world.server.stop();
  world.service.fetched.length = 0;
  world.service.say('PAID', 'inv_7');
  await world.pass(30_000);
  assert.ok(new Set(world.service.fetched.flat()).size === 150);
  assert.deepEqual(
    other.outcomes.map(({ invoice_id }) => invoice_id),
    ['inv_7'],
  );
  await other.server.stop();
});

test('stop leaves no timer behind', async () => {
  const world = await World.open();
  await world.ask();
  await world.pass(5000);
  await world.server.stop();
  assert.equal(world.fake.pending, 0);
});
