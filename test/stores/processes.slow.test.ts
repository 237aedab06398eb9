import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import type { Database } from '../../src/stores/database-interface.ts';
import { openDatabase, type DatabaseLocation } from '../support/open-database.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { until } from '../support/wait-until.ts';
import { allDatabases } from './databases.ts';
import { makeCheckoutRecord, makeAttempt } from '../../src/tools/testing/checkout-records.ts';

const openDatabases: Database[] = [];
const systems = await allDatabases();
after(async () => {
  for (const database of openDatabases) await database.close();
  for (const system of systems) await system.end();
});

async function openStore(place: DatabaseLocation) {
  const database = await openDatabase(place);
  openDatabases.push(database);
  return createSqlStore(database);
}

/** Starts a process that saves checkouts in the same database. */
function startWriter(place: DatabaseLocation, name: string, count: number): ChildProcess {
  const script = new URL('./writer-process.ts', import.meta.url).pathname;
  const args = ['--import', 'tsx', script, JSON.stringify(place), name, String(count)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

for (const system of systems) {
  const { name } = system;

  test(`${name} notifies a store of the saves of other processes, and stores the checkouts of all processes`, async () => {
    const place = await system.fresh();
    const writers = ['a', 'b'].map((writer) => startWriter(place, writer, 100));
    const exits = Promise.all(writers.map((child) => once(child, 'exit')));
    const store = await openStore(place);
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

  test(`${name} lets only one of two stores claim an attempt`, async () => {
    const place = await system.fresh();
    const stores = [await openStore(place), await openStore(place)];
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

  test(`${name} runs its migrations once when several stores are opened at the same time`, async () => {
    const place = await system.fresh();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(place)));
    await stores[0]?.insert(makeCheckoutRecord('seen'));
    for (const store of stores) assert.deepEqual(await store.load('seen'), makeCheckoutRecord('seen'));
  });
}
