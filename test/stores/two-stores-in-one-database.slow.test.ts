import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore, type SqlStore } from '../../src/stores/sql-store.ts';
import { createSqliteStore } from '../../src/sqlite.ts';
import { createPostgresStore } from '../../src/postgres.ts';
import { makeCheckoutRecord } from '../../src/testing/checkout-records.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { openDatabase } from '../support/open-database.ts';
import { until } from '../support/wait-until.ts';
import { allDatabases } from './databases.ts';

// Stores with different names in one database share neither rows, nor indexes, locks or notifications.

/** The store, with each call made on `other` first, so that both stores have the same rows. */
function withTwin(store: SqlStore, other: SqlStore): SqlStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const twin: unknown = Reflect.get(other, name);
      if (typeof member !== 'function' || typeof twin !== 'function' || name === 'subscribe') return member;
      return async (...values: unknown[]): Promise<unknown> => {
        await Reflect.apply(twin, other, values);
        return Reflect.apply(member, target, values);
      };
    },
  });
}

const kinds = await allDatabases();
after(async () => {
  for (const kind of kinds) await kind.end();
});

const pairs = {
  'two prefixes': [
    { schema: 'public', tablePrefix: 'a_' },
    { schema: 'public', tablePrefix: 'b_' },
  ],
  'two schemas': [{ schema: 'a' }, { schema: 'b' }],
} as const;

for (const kind of kinds)
  for (const [what, [first, second]] of Object.entries(pairs)) {
    if (kind.name !== 'PostgreSQL' && what === 'two schemas') continue;

    storeContract(`one of two stores with the same rows and ${what} in one database on ${kind.name}`, async () => {
      const place = await kind.fresh();
      const [one, other] = await Promise.all([
        openDatabase(place, checkoutMigrations, first),
        openDatabase(place, checkoutMigrations, second),
      ]);
      const close = async (): Promise<void> => {
        await one.close();
        await other.close();
      };
      return { store: withTwin(createSqlStore(one), createSqlStore(other)), close };
    });

    test(`a store is notified only of saves in its own tables, with ${what} on ${kind.name}`, async (t) => {
      const place = await kind.fresh();
      const stores: SqlStore[] = [];
      for (const names of [first, first, second]) {
        const database = await openDatabase(place, checkoutMigrations, names);
        t.after(() => database.close());
        stores.push(createSqlStore(database));
      }
      const [listener, sibling, stranger] = stores;
      assert.ok(listener && sibling && stranger);
      const notified: string[] = [];
      let isListening = kind.name !== 'PostgreSQL';
      t.after(
        listener.subscribe(
          (id) => void notified.push(id),
          () => (isListening = true),
        ),
      );
      await until('the store listens', () => Promise.resolve(isListening));
      for (const [store, id] of [
        [stranger, 'theirs'],
        [sibling, 'ours'],
      ] as const) {
        await store.insert(makeCheckoutRecord(id));
        assert.ok(await store.save({ ...makeCheckoutRecord(id), version: 2 }, []));
      }
      await until('the notification arrives', () => Promise.resolve(notified.includes('ours')));
      assert.ok(!notified.includes('theirs'));
    });
  }

for (const [name, wrong] of [
  ['an upper-case letter', 'Shop_'],
  ['a quote', 'a"b'],
  ['a digit in front', '1a'],
  ['29 characters', 'a'.repeat(29)],
] as const)
  test(`names with ${name} are refused`, async () => {
    const rule = 'must be 1 to 28 lower-case letters, digits and underscores, and begin with no digit';
    await assert.rejects(createSqliteStore({ file: 'never-made/x.db', tablePrefix: wrong }), {
      name: 'TypeError',
      message: `tablePrefix: ${rule}`,
    });
    await assert.rejects(createPostgresStore({ url: 'postgres://127.0.0.1:1/x', schema: wrong }), {
      name: 'TypeError',
      message: `schema: ${rule}`,
    });
  });
