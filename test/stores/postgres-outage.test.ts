import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { StoreUnavailableError } from '../../src/server.ts';
import { limitedPool, Outage } from '../../src/stores/postgres-outage.ts';
import { connectionsOfUrl } from '../../src/stores/postgres-pool.ts';
import { startFakePostgres } from '../support/fake-postgres.ts';
import { until } from '../support/wait-until.ts';

// Lost and silent connections to a fake server with PostgreSQL's protocol. An unhandled `error` event would end this process.

/** Starts a fake server, and opens a pool on it. */
async function openPool(t: TestContext) {
  const server = await startFakePostgres();
  const connections = connectionsOfUrl(server.url, { max: 5 });
  const outage = new Outage();
  const open = (maxUseMs: number, from = outage) =>
    new Kysely<object>({ dialect: new PostgresDialect({ pool: limitedPool(connections, from, maxUseMs) }) });
  const db = open(4000);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= connections.close());
  t.after(async () => {
    server.resume();
    await close();
    await server.close();
  });
  return { server, db, appDb: open(30_000, new Outage()), close, query: () => sql`select 1`.execute(db) };
}

/** Waits until a promise rejects with a StoreUnavailableError. Resolves with its reason and the elapsed milliseconds. */
async function expectUnavailable(work: Promise<unknown>): Promise<{ readonly reason: string; readonly ms: number }> {
  const startedAt = performance.now();
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof StoreUnavailableError, String(error));
    return { reason: error.reason, ms: performance.now() - startedAt };
  }
  return assert.fail('the database is available');
}

test('a connection that is terminated between two queries of a transaction fails only that transaction', async (t) => {
  const { server, db, query } = await openPool(t);
  const work = db.transaction().execute(async (transaction) => {
    await sql`select 1`.execute(transaction);
    server.terminateAll();
    await until('the connections are gone', () => server.connections === 0);
    await sql`select 2`.execute(transaction);
  });
  assert.match((await expectUnavailable(work)).reason, /^(?:57P01|connection_lost)$/);
  await query();
});

test('connections that are terminated while a transaction holds them and while they are idle end no process', async (t) => {
  const { server, db, query } = await openPool(t);
  await Promise.all([query(), query(), query()]);
  await assert.rejects(
    db.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      server.terminateAll();
      await until('the connections are gone', () => server.connections === 0);
      throw new Error('the application rolls back');
    }),
    StoreUnavailableError,
  );
  await query();
});

test('connections that are terminated while the store closes them end no process', async (t) => {
  const { server, close, query } = await openPool(t);
  await Promise.all([query(), query(), query()]);
  const closed = close();
  server.terminateAll();
  await closed;
  await until('the connections are gone', () => server.connections === 0);
});

test('a query whose connection is terminated rejects with the SQLSTATE as the reason', async (t) => {
  const { server, query } = await openPool(t);
  server.mode = 'terminate';
  assert.equal((await expectUnavailable(query())).reason, '57P01');
  server.mode = 'answer';
  await query();
});

test('queries to a server that does not answer reject after 4 s; then one in half a second tries, and the others reject at once', async (t) => {
  const { server, query } = await openPool(t);
  await Promise.all(Array.from({ length: 12 }, () => query())); // all connections are open: opening one has its own limit
  server.mode = 'silent';
  const rejections = await Promise.all(Array.from({ length: 12 }, () => expectUnavailable(query())));
  for (const { reason, ms } of rejections) {
    assert.match(reason, /^(?:timeout|overloaded)$/);
    assert.ok(ms < 5000, `${ms} ms`);
  }
  await until('their connections are closed', () => server.connections === 0);
  await delay(600); // more than the pause between two tries
  const trying = query();
  await Promise.all(Array.from({ length: 12 }, () => assert.rejects(query(), StoreUnavailableError)));
  await until('one connection is tried', () => server.connections === 1);
  server.resume();
  await until('queries succeed again', () => query().then(Boolean, () => false), 1500);
  await trying;
});

test('the connection of a transaction is closed when the server does not answer, so that the transaction is never committed', async (t) => {
  const { server, db, query } = await openPool(t);
  await query();
  const work = db.transaction().execute(async (transaction) => {
    server.mode = 'silent';
    await sql`update x set y = 1`.execute(transaction);
  });
  assert.equal((await expectUnavailable(work)).reason, 'timeout');
  await until('the connection is closed', () => server.connections === 0);
  server.resume();
  await until('queries succeed again', () => query().then(Boolean, () => false), 1500);
  assert.ok(!server.queries.includes('commit'), server.queries.join());
});

test('queries reject immediately while the server is starting, and succeed after the start', async (t) => {
  const { server, query } = await openPool(t);
  server.mode = 'starting';
  assert.equal((await expectUnavailable(query())).reason, '57P03');
  assert.ok((await expectUnavailable(query())).ms < 500);
  server.mode = 'answer';
  await until('queries succeed', () => query().then(Boolean, () => false), 1500);
});

test('a query rejects with the error code of the operating system when there is no server', async (t) => {
  const { server, query } = await openPool(t);
  await server.close();
  assert.equal((await expectUnavailable(query())).reason, 'ECONNREFUSED');
  server.close = () => Promise.resolve();
});

test('a long transaction of the application on its own connections is not an outage, and other queries are answered', async (t) => {
  const { db, appDb, query } = await openPool(t);
  let end = (): void => undefined;
  const isEnded = new Promise<void>((resolve) => (end = resolve));
  const transaction = appDb.transaction().execute(async (app) => {
    await isEnded;
    return sql`select 1`.execute(app);
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.timers.tick(4500);
  t.mock.timers.reset();
  for (let count = 0; count < 10; count += 1) await query();
  await db.transaction().execute((work) => sql`select 1`.execute(work));
  end();
  await transaction;
});

for (const code of ['25006', '57P01', '08006'])
  test(`the error ${code} closes its connection, because a new one may work`, async (t) => {
    const { server, query } = await openPool(t);
    await query();
    assert.equal(server.connections, 1);
    server.nextError = code;
    assert.equal((await expectUnavailable(query())).reason, code);
    await until('the connection is closed', () => server.connections === 0);
    await query();
  });
