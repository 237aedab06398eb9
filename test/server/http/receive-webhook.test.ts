import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../support/fake-clock.ts';
import { gate, World } from '../../support/checkout-world.ts';

test('makes the server fetch the invoice now, and answers 204 whatever the call says', async () => {
  const world = await World.open();
  await world.ask();
  await world.pass(61_000);
  world.service.say('PAID');
  assert.equal(await world.hook(), 204);
  await world.pass(200);
  assert.equal((await world.get()).checkout.status, 'paid');
});

for (const body of [
  '{"status":"PAID","id":"inv_1"}',
  '{"event":"invoice.failed"}',
  '',
  'not JSON',
  'x'.repeat(100_000),
])
  test(`believes nothing of ${body.slice(0, 30) || 'an empty body'}`, async () => {
    const world = await World.open();
    await world.ask();
    await world.pass(5000);
    const before = await world.record();
    assert.equal(await world.hook(undefined, body), 204);
    await world.pass(200);
    const { version, attempts, paid_external_id } = await world.record();
    assert.deepEqual([version, attempts[0]?.outcome, paid_external_id], [before.version, 'pending', null]);
  });

test('a wrong secret gets the 404 of a checkout that is not there, and nothing is fetched', async () => {
  const world = await World.open();
  await world.ask();
  await world.pass(61_000);
  const { hook_secret } = await world.record();
  const fetched = world.service.fetched.length;
  const texts = new Set<string>();
  for (const path of [
    `/${world.id}/hook/${hook_secret.slice(0, -1)}${hook_secret.endsWith('x') ? 'y' : 'x'}`,
    `/${world.id}/hook/${hook_secret.slice(0, -1)}`,
    `/${world.id}/hook/${hook_secret}x`,
    `/${world.id}/hook/short`,
    `/${world.id}/hook/`,
    `/chk_AAAAAAAAAAAAAAAAAAAAAAAA/hook/${hook_secret}`,
    '/chk_AAAAAAAAAAAAAAAAAAAAAAAA',
  ]) {
    const response = await world.request(path, path.includes('hook') ? { method: 'POST', body: '{}' } : {});
    assert.equal(response.status, 404, path);
    texts.add(await response.text());
  }
  assert.equal(texts.size, 1);
  await world.pass(200);
  assert.equal(world.service.fetched.length, fetched);
});

test('a thousand calls are at most one fetch a second for that invoice', async () => {
  const world = await World.open();
  await world.ask();
  await world.pass(61_000);
  world.service.fetched.length = 0;
  const sound = { ...world.store };
  let hastened = 0;
  world.store.expedite = async (...args) => {
    hastened += 1;
    return sound.expedite(...args);
  };
  for (let second = 0; second < 5; second += 1) {
    for (let n = 0; n < 100; n += 1) {
      assert.equal(await world.hook(), 204);
      await world.pass(2);
    }
    await world.pass(800);
  }
  await world.pass(1500);
  const { length } = world.service.fetched;
  assert.ok(length >= 4 && length <= 7, `${length} fetches in six and a half seconds`);
  assert.ok(hastened <= 20, `${hastened} writes for five hundred calls`);
});

test('a call that comes while the invoice is being fetched is not lost', async () => {
  const world = await World.open();
  await world.ask();
  await world.pass(61_000);
  const held = gate();
  const fetch = world.service.fetchInvoices.bind(world.service);
  world.service.fetchInvoices = async (ids) => {
    world.service.fetchInvoices = fetch;
    const old = await fetch(ids);
    await held.promise;
    return old;
  };
  await world.hook();
  await world.pass(300);
  world.service.say('PAID');
  await world.hook();
  held.open();
  await settle();
  await world.pass(1500);
  assert.equal((await world.get()).checkout.status, 'paid');
});

test('wakes up an invoice that is no longer looked at by itself', async () => {
  const world = await World.open({}, { timing: { lateMs: 60_000 } });
  await world.ask();
  world.service.say('EXPIRED');
  await world.pass(300_000);
  assert.equal((await world.attempts())[0]?.run_at, null);
  world.service.say('PAID');
  assert.equal(await world.hook(), 204);
  await world.pass(1000);
  assert.equal((await world.get()).checkout.status, 'paid');
});

test('does not make anybody repeat a create that is under way', async () => {
  const world = await World.open();
  const held = gate();
  await world.ask();
  world.service.createFaults.push({ kind: 'hangs', until: held.promise });
  const asked = world.ask({ key: 'key-2', method: 'pm_sbp', replace: true });
  await world.pass(1000);
  assert.equal(await world.hook(), 204);
  await world.pass(5000);
  assert.equal(world.service.created.length, 2);
  held.open();
  assert.equal((await asked).checkout.invoice?.id, 'inv_2');
});

test('reads away what it is sent before it answers, so that the connection serves on', async () => {
  const world = await World.open();
  const { hook_secret } = await world.record();
  for (const [secret, status] of [
    [hook_secret, 204],
    ['A'.repeat(24), 404],
  ] as const) {
    const left = ['a', 'b', 'c', 'd'];
    const body = new ReadableStream<Uint8Array>({
      pull(stream) {
        const next = left.shift();
        if (next === undefined) stream.close();
        else stream.enqueue(new TextEncoder().encode(next));
      },
    });
    const init = { method: 'POST', body, duplex: 'half' };
    assert.equal((await world.request(`/${world.id}/hook/${secret}`, init)).status, status);
    assert.deepEqual(left, []);
  }
});
