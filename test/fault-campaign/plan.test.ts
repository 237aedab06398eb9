import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killPoints } from './kill-points.ts';
import { databaseKinds, planOf } from './plan.ts';
import { answerFaults, firstAnswerSeed, serviceFaults } from './service-faults.ts';
import { proxyFaultKinds } from './tcp-fault-proxy.ts';

const plans = Array.from({ length: 48 }, (_, seed) => planOf(seed));

test('a seed always gives the same plan, and another seed another one', () => {
  assert.deepEqual(
    plans,
    plans.map(({ seed }) => planOf(seed)),
  );
  assert.equal(new Set(plans.map((plan) => JSON.stringify({ ...plan, seed: 0 }))).size, plans.length);
});

test('consecutive seeds combine every kill point with both databases, and with one process and two', () => {
  const crossed = new Set(
    plans.map(({ database, processes }) => `${database} ${processes.length} ${processes[0]?.[0]?.point ?? ''}`),
  );
  for (const point of killPoints)
    for (const database of databaseKinds)
      for (const count of [1, 2])
        assert.ok(crossed.has(`${database} ${count} ${point}`), `${database} ${count} ${point}`);
});

test('consecutive seeds contain every fault of the service and of the proxy', () => {
  const names = new Set(plans.flatMap(({ faults }) => faults.map(({ name }) => name)));
  for (const name of serviceFaults) assert.ok(names.has(name), name);
  const proxies = new Set(plans.map(({ serviceProxyFault }) => serviceProxyFault));
  for (const kind of proxyFaultKinds) assert.ok(proxies.has(kind), kind);
});

test('consecutive seeds from a hundred on contain every answer that the specification leaves open', () => {
  const names = new Set(
    answerFaults.flatMap((_, index) => planOf(firstAnswerSeed + index).faults.map(({ name }) => name)),
  );
  for (const name of answerFaults) assert.ok(names.has(name), name);
});
