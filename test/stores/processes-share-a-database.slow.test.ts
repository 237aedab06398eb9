import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { openStore, type DatabaseLocation } from '../support/open-database.ts';
import type { SqlStore } from '../../src/stores/sql-store.ts';
import { until } from '../support/wait-until.ts';
import { databasesOfFile } from './databases.ts';
import { makeCheckoutRecord, makeAttempt } from '../support/make-checkout-records.ts';

const systems = await databasesOfFile();

/** Opens stores on one database at the same time. */
async function openStores(t: TestContext, place: DatabaseLocation, count: number): Promise<readonly SqlStore[]> {
  const stores = await Promise.all(Array.from({ length: count }, () => openStore(place)));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  return stores;
}

/** Starts a process that saves checkouts in the same database. */
function startWriter(place: DatabaseLocation, name: string, count: number): ChildProcess {
  const script = new URL('./process-that-saves-checkouts.ts', import.meta.url).pathname;
  const args = ['--import', 'tsx', script, JSON.stringify(place), name, String(count)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

for (const system of systems) {
  const { name } = system;

  test(`${name} notifies a store of the saves of other processes, and stores the checkouts of all processes`, async (t) => {
    const place = await system.fresh();
    const writers = ['a', 'b'].map((writer) => startWriter(place, writer, 100));
    const exits = Promise.all(writers.map((child) => once(child, 'exit')));
    const [store = assert.fail()] = await openStores(t, place, 1);
    const notifiedIds = new Set<string>();
    const unsubscribe = store.subscribe((id) => notifiedIds.add(id));
    for (let number = 0; number < 100; number += 1) await store.insert(makeCheckoutRecord(`c-${number}`));
    assert.deepEqual(await exits, [
      [0, null],
      [0, null],
    ]);
    for (const writer of ['a', 'b', 'c'])
      for (let number = 0; number < 100; number += 1) assert.ok(await store.load(`${writer}-${number}`));
    await until('notifications of the last checkouts arrive', () => notifiedIds.has('a-99') && notifiedIds.has('b-99'));
    unsubscribe();
  });

  test(`${name} lets only one of two stores claim an attempt`, async (t) => {
    const stores = await openStores(t, await system.fresh(), 2);
    const attempts = Array.from({ length: 300 }, (_, number) => makeAttempt(`e-${number}`, { runAt: number }));
    await stores[0]?.insert(makeCheckoutRecord('many', { attempts }));
    const claimers = Array.from({ length: 8 }, () => stores).flat();
    const claims = await Promise.all(claimers.map((store) => store.claimDueAttempts(1000, 9000, 25)));
    for (const claim of claims) assert.ok(claim.length <= 25);
    const ids = claims.flat().map(({ externalId }) => externalId);
    assert.equal(new Set(ids).size, ids.length, 'no attempt is claimed twice');
    for (let unclaimed = 300 - ids.length; unclaimed > 0; unclaimed -= 25)
      await stores[0]?.claimDueAttempts(1000, 9000, 25);
    assert.deepEqual(await stores[1]?.claimDueAttempts(1000, 9000, 25), [], 'all attempts are claimed');
    assert.equal((await stores[1]?.claimDueAttempts(9000, 9999, 1000))?.length, 300, 'the leases have ended');
  });

  test(`${name} runs its migrations once when several stores are opened at the same time`, async (t) => {
    const stores = await openStores(t, await system.fresh(), 5);
    await stores[0]?.insert(makeCheckoutRecord('seen'));
    for (const store of stores) assert.deepEqual(await store.load('seen'), makeCheckoutRecord('seen'));
  });
}
