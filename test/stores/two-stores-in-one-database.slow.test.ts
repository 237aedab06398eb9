import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSqliteStore } from '../../src/sqlite.ts';
import { createPostgresStore } from '../../src/postgres.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { openStore } from '../support/open-database.ts';
import { until } from '../support/wait-until.ts';
import { databasesOfFile } from './databases.ts';

// Stores with different table names in one database share no rows, indexes, locks or notifications.

const systems = await databasesOfFile();

/** Pairs of options with which two stores have different table names. */
const namePairs = {
  'two prefixes': [
    { schema: 'public', tablePrefix: 'a_' },
    { schema: 'public', tablePrefix: 'b_' },
  ],
  'two schemas': [{ schema: 'a' }, { schema: 'b' }],
} as const;

for (const system of systems)
  for (const [difference, [firstNames, secondNames]] of Object.entries(namePairs)) {
    if (system.name !== 'PostgreSQL' && difference === 'two schemas') continue;

    test(`a store is notified only of saves in its own tables, with ${difference} on ${system.name}`, async (t) => {
      const place = await system.fresh();
      const [listeningStore, sameTablesStore, otherTablesStore] = [
        await openStore(place, firstNames),
        await openStore(place, firstNames),
        await openStore(place, secondNames),
      ];
      t.after(() => Promise.all([listeningStore, sameTablesStore, otherTablesStore].map((store) => store.close())));
      const notifiedIds: string[] = [];
      let isListening = system.name !== 'PostgreSQL';
      t.after(
        listeningStore.subscribe(
          (id) => void notifiedIds.push(id),
          () => (isListening = true),
        ),
      );
      await until('the store listens', () => Promise.resolve(isListening));
      for (const [store, id] of [
        [otherTablesStore, 'of-other-tables'],
        [sameTablesStore, 'of-same-tables'],
      ] as const) {
        await store.insert(makeCheckoutRecord(id));
        assert.ok(await store.save({ ...makeCheckoutRecord(id), version: 2 }, []));
      }
      await until('the notification arrives', () => Promise.resolve(notifiedIds.includes('of-same-tables')));
      assert.ok(!notifiedIds.includes('of-other-tables'));
    });
  }

for (const [description, invalidName] of [
  ['an upper-case letter', 'Shop_'],
  ['a quote', 'a"b'],
  ['a digit in front', '1a'],
  ['29 characters', 'a'.repeat(29)],
  ['the beginning of the names of PostgreSQL itself', 'pg_shop'],
  ['the beginning of the names of SQLite itself', 'sqlite_'],
] as const)
  test(`a schema or prefix with ${description} is refused by its option`, async () => {
    const rule = 'must be 1 to 28 lower-case letters, digits and underscores, and begin with no digit, pg_ or sqlite_';
    await assert.rejects(createSqliteStore({ file: 'never-made/x.db', tablePrefix: invalidName }), {
      code: 'invalid_options',
      message: `tablePrefix: ${rule}`,
    });
    await assert.rejects(createPostgresStore({ url: 'postgres://127.0.0.1:1/x', schema: invalidName }), {
      code: 'invalid_options',
      message: `schema: ${rule}`,
    });
  });
