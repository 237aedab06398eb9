import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, nameOf, standardErrorLog } from '../../../src/server/ports/log.ts';
import { failure } from '../../support/fake-service.ts';
import { World } from '../../support/checkout-world.ts';

test('no requisites, names, phones, links, capabilities, secrets or messages of strangers are in the log', async () => {
  const world = await World.open({ description: 'CANARY DESCRIPTION' });
  world.service.extra = {
    nspk_url: 'https://qr.nspk.ru/CANARY?sum=1',
    payment_url: 'http://pay.example/CANARY',
    bank: { name: 'CANARY BANK' },
  };
  world.shop = () => Promise.reject(new Error('CANARY +79990000000'));
  await world.ask();
  await world.ask({ key: 'CANARY-KEY', method: 'pm_sbp', replace: true });
  world.service.createFaults.push({ kind: 'lost' }, { kind: 'fails', failure: 'refused', code: 'invalid_argument' });
  await world.ask({ key: 'key-3', replace: true });
  world.service.extra = { amount: '1.00' };
  await world.ask({ key: 'key-4', replace: true });
  await world.ask({ key: 'key-5', replace: true });
  world.service.say('PAID', 'inv_1');
  world.service.say('FAILED', 'inv_2');
  await world.hook();
  world.service.fetchFaults.push({ kind: 'fails', failure: 'unavailable' });
  await world.pass(120_000);
  world.store.load = () => Promise.reject(new Error('CANARY +79990000000 in a row'));
  await world.get();
  const secret = world.service.created[0]?.url_config?.hook_url?.split('/').at(-1) ?? assert.fail('no hook');
  const text = JSON.stringify(world.lines);
  assert.ok(world.lines.length > 20);
  for (const canary of ['CANARY', '79990000000', '2200000000000004', world.id, secret, 'pay.example'])
    assert.ok(!text.includes(canary), `${canary} is in the log`);
  for (const event of ['link_dropped', 'create_not_shown', 'outcome_paid', 'outcome_not_delivered', 'internal'])
    assert.ok(world.events().includes(event), event);
  assert.ok(text.includes(nameOf(world.id)), 'lines of one checkout can be brought together');
});

test('tells of an error where it was, and only of its own what it said', () => {
  const told = factsOf(new TypeError('CANARY'));
  assert.equal(told['error'], 'TypeError');
  assert.match(String(told['at']), /log\.test/);
  assert.ok(!JSON.stringify(told).includes('CANARY'));
  assert.deepEqual(factsOf('CANARY'), { error: 'string' });
  assert.deepEqual(factsOf(failure('refused', 'not_found', 404)), {
    error: 'the fake service: refused',
    failure: 'refused',
    code: 'not_found',
    http_status: 404,
  });
});

test('writes warnings and errors to standard error, as lines of JSON', (context) => {
  const written: string[] = [];
  context.mock.method(process.stderr, 'write', (line: string) => written.push(line) > 0);
  standardErrorLog('info', 'quiet', {});
  standardErrorLog('warn', 'told', { count: 1 });
  context.mock.restoreAll();
  assert.equal(written.length, 1);
  assert.match(written[0] ?? '', /^\{"time":"\d{4}-[^"]+Z","level":"warn","event":"told","count":1\}\n$/);
});
