import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killPoints } from './kill-points.ts';
import { databaseKinds, planOf } from './plan.ts';
import { unspecifiedFaults, firstUnspecifiedSeed, serviceFaults } from './service-faults.ts';
import { proxyFaultKinds } from './tcp-fault-proxy.ts';

const plans = Array.from({ length: 48 }, (_, seed) => planOf(seed));

test('a seed gives the same plan each time, and different seeds give different plans', () => {
  assert.deepEqual(
    plans,
    plans.map(({ seed }) => planOf(seed)),
  );
  assert.equal(new Set(plans.map((plan) => JSON.stringify({ ...plan, seed: 0 }))).size, plans.length);
});

test('consecutive seeds combine every kill point with both databases, with one process and with two', () => {
  const combinations = new Set(
    plans.map(({ database, processes }) => `${database} ${processes.length} ${processes[0]?.[0]?.point ?? ''}`),
  );
  for (const point of killPoints)
    for (const database of databaseKinds)
      for (const count of [1, 2])
        assert.ok(combinations.has(`${database} ${count} ${point}`), `${database} ${count} ${point}`);
});

test('consecutive seeds contain every fault of the service and of the proxy', () => {
  const names = new Set(plans.flatMap(({ faults }) => faults.map(({ name }) => name)));
  for (const name of serviceFaults) assert.ok(names.has(name), name);
  const proxyFaults = new Set(plans.map(({ serviceProxyFault }) => serviceProxyFault));
  for (const kind of proxyFaultKinds) assert.ok(proxyFaults.has(kind), kind);
});

test('consecutive seeds from 100 on contain every response that the specification leaves open', () => {
  const names = new Set(
    unspecifiedFaults.flatMap((_, index) => planOf(firstUnspecifiedSeed + index).faults.map(({ name }) => name)),
  );
  for (const name of unspecifiedFaults) assert.ok(names.has(name), name);
});
