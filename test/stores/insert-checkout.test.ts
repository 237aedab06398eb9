import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { CamelCasePlugin, Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { Client, Pool } from 'pg';
import { CheckoutConflictError, type MerchantTransaction, type SqlTransaction } from '../../src/server.ts';
import type { CheckoutTables } from '../../src/stores/table-row-types.ts';
import { openSqliteFile } from '../../src/stores/sqlite-file.ts';
import { openStore, type DatabaseLocation } from '../support/open-database.ts';
import { makeAttempt } from '../support/make-checkout-records.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import { databasesOfFile, ignoreConnectionErrors } from './databases.ts';

// `create` in the merchant's own transaction. The checkout exists once the transaction has committed, and not before.

const order = { orderId: '1001', amount: '1500.00', currency: 'RUB' };

/** Runs work in a transaction of the merchant. The transaction is rolled back when the work rejects. */
type RunInTransaction = <T>(work: (transaction: MerchantTransaction) => Promise<T>) => Promise<T>;

/** Connects to a database with one of the drivers that merchants use. Resolves with a function that runs transactions. */
type ConnectDriver = (
  t: TestContext,
  location: DatabaseLocation,
  db: Kysely<CheckoutTables>,
) => Promise<RunInTransaction>;

const connectKysely: ConnectDriver = (_t, _location, db) =>
  Promise.resolve((work) => db.transaction().execute((transaction: Transaction<CheckoutTables>) => work(transaction)));

/** Returns a function that runs work between `begin` and `commit`, with the merchant's own driver. */
function transactionRunner(executeSql: SqlTransaction['executeSql']): RunInTransaction {
  return async (work) => {
    await executeSql('begin', []);
    try {
      const result = await work({ executeSql });
      await executeSql('commit', []);
      return result;
    } catch (error) {
      await executeSql('rollback', []);
      throw error;
    }
  };
}

const drivers: Readonly<
  Record<string, { readonly kind: 'SQLite' | 'PostgreSQL' | 'both'; readonly connect: ConnectDriver }>
> = {
  "Kysely on the store's database": { kind: 'both', connect: connectKysely },
  'executeSql on a connection of the library of SQLite': {
    kind: 'SQLite',
    connect: (t, { dataDir }) => {
      const file = openSqliteFile(join(dataDir, 'shop.db'));
      t.after(() => file.close());
      const run = transactionRunner((text, values) => {
        const statement = file.prepare(text);
        return Promise.resolve(statement.reader ? statement.all(values) : [statement.run(values)]);
      });
      return Promise.resolve(run);
    },
  },
  'Kysely of the merchant, with a plugin that renames columns': {
    kind: 'PostgreSQL',
    connect: (t, { databaseUrl }) => {
      const pool = new Pool({ connectionString: databaseUrl });
      ignoreConnectionErrors(pool);
      const dialect = new PostgresDialect({ pool });
      const merchantKysely = new Kysely<CheckoutTables>({ dialect, plugins: [new CamelCasePlugin()] });
      t.after(() => merchantKysely.destroy());
      return connectKysely(t, { dataDir: '' }, merchantKysely);
    },
  },
  'executeSql on a client of pg': {
    kind: 'PostgreSQL',
    connect: async (t, { databaseUrl }) => {
      const client = new Client({ connectionString: databaseUrl });
      await client.connect();
      t.after(() => client.end());
      return transactionRunner((text, values) => client.query<object>(text, [...values]));
    },
  },
};

const systems = await databasesOfFile();

for (const databases of systems) {
  const isPostgres = databases.name === 'PostgreSQL';
  for (const [name, { kind, connect }] of Object.entries(drivers)) {
    if (kind !== 'both' && isPostgres !== (kind === 'PostgreSQL')) continue;
    describe(`a checkout that is created in a transaction of ${name}, on ${databases.name},`, () => {
      const open = async (t: TestContext) => {
        const location = await databases.fresh();
        const store = await openStore(location);
        t.after(() => store.close());
        const { server } = new TestCheckoutServer({ store });
        return { server, store, run: await connect(t, location, store.db) };
      };

      test('exists once the transaction has committed', async (t) => {
        const { server, run } = await open(t);
        const { isNew, capability, ...checkout } = await run((transaction) => server.create(order, { transaction }));
        assert.deepEqual([isNew, checkout.status], [true, 'open']);
        assert.deepEqual(await server.getByOrder(order.orderId), { ...checkout, outcomes: [], actions: [] });
        assert.deepEqual(await server.create(order), { ...checkout, capability, isNew: false });
      });

      test('does not exist after the transaction was rolled back, and can then be created', async (t) => {
        const { server, store, run } = await open(t);
        const failing = run(async (transaction) => {
          await server.create(order, { transaction });
          throw new Error('the order could not be stored');
        });
        await assert.rejects(failing, { message: 'the order could not be stored' });
        assert.equal(await server.getByOrder(order.orderId), undefined);
        assert.deepEqual((await sql`select id from ${sql.table('checkouts')}`.execute(store.db)).rows, []);
        assert.equal((await server.create(order)).status, 'open');
      });

      test('is returned by a repeated create in the same transaction; other parameters are a conflict', async (t) => {
        const { server, run } = await open(t);
        await run(async (transaction) => {
          const first = await server.create(order, { transaction });
          assert.equal(first.isNew, true);
          assert.deepEqual(await server.create(order, { transaction }), { ...first, isNew: false });
          await assert.rejects(server.create({ ...order, amount: '1.00' }, { transaction }), CheckoutConflictError);
        });
      });

      test('is the existing checkout with its invoices, if the order had a checkout before the transaction', async (t) => {
        const { server, store, run } = await open(t);
        const { id, capability } = await server.create(order);
        const record = (await store.load(id)) ?? assert.fail();
        const attempt = makeAttempt('att_1', { runAt: 1_700_000_000_789 });
        await store.save({ ...record, version: record.version + 1, attempts: [attempt] }, []);
        const { outcomes, actions, ...existingCheckout } = (await server.getByOrder(order.orderId)) ?? assert.fail();
        assert.deepEqual([outcomes, actions], [[], []]);
        assert.equal(existingCheckout.invoices[0]?.createdAt, attempt.createdAt);
        const returnedCheckout = await run((transaction) => server.create(order, { transaction }));
        assert.deepEqual(returnedCheckout, { ...existingCheckout, capability, isNew: false });
      });
    });
  }
}

test('a transaction whose executeSql returns no rows is refused by its path', async (t) => {
  const [databases] = systems;
  assert.ok(databases);
  const store = await openStore(await databases.fresh());
  t.after(() => store.close());
  const { server } = new TestCheckoutServer({ store });
  const executeSql = (): never => ({ changes: 1 }) as never;
  await assert.rejects(server.create(order, { transaction: { executeSql } }), {
    code: 'invalid_params',
    path: 'transaction.executeSql',
    message: 'transaction.executeSql: must return the rows of the statement',
  });
});
