import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { StoreUnavailableError } from '../../src/server.ts';
import { boundedPool } from '../../src/stores/postgres-outage.ts';
import { connectionsOfUrl } from '../../src/stores/postgres-pool.ts';
import { startFakePostgres } from '../support/fake-postgres.ts';
import { until } from '../support/wait-until.ts';

// Lost and silent connections to a fake server with PostgreSQL's protocol. An unhandled event would end this process.

async function open(t: TestContext) {
  const server = await startFakePostgres();
  const db = new Kysely<object>({
    dialect: new PostgresDialect({ pool: boundedPool(connectionsOfUrl(server.url, { max: 3 })) }),
  });
  t.after(async () => {
    server.resume();
    await db.destroy();
    await server.close();
  });
  return { server, db, query: () => sql`select 1`.execute(db) };
}

/** The reason of the StoreUnavailableError with which a promise rejects, and the time in milliseconds until then. */
async function failure(work: Promise<unknown>): Promise<{ readonly reason: string; readonly ms: number }> {
  const start = performance.now();
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof StoreUnavailableError, String(error));
    return { reason: error.reason, ms: performance.now() - start };
  }
  return assert.fail('the database is available');
}

test('a connection that is terminated between two queries of a transaction fails the transaction alone', async (t) => {
  const { server, db, query } = await open(t);
  const work = db.transaction().execute(async (transaction) => {
    await sql`select 1`.execute(transaction);
    server.terminateAll();
    await until('the connections are gone', () => server.connections === 0);
    await sql`select 2`.execute(transaction);
  });
  assert.match((await failure(work)).reason, /^(?:57P01|connection_lost)$/);
  await query();
});

test('connections that are terminated while a transaction holds them and while they are idle end no process', async (t) => {
  const { server, db, query } = await open(t);
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
  const { server, db, query } = await open(t);
  await Promise.all([query(), query(), query()]);
  const closed = db.destroy();
  server.terminateAll();
  await closed;
  await until('the connections are gone', () => server.connections === 0);
});

test('a query whose connection is terminated rejects with the reason', async (t) => {
  const { server, query } = await open(t);
  server.mode = 'terminate';
  assert.equal((await failure(query())).reason, '57P01');
  server.mode = 'answer';
  await query();
});

test('queries to a server that does not answer reject after 4 s, and later ones at once', async (t) => {
  const { server, query } = await open(t);
  await Promise.all([query(), query(), query()]);
  server.mode = 'silent';
  const all = await Promise.all(Array.from({ length: 12 }, () => failure(query())));
  for (const { reason, ms } of all) {
    assert.equal(reason, 'timeout');
    assert.ok(ms < 4300, `${ms} ms`);
  }
  assert.ok((await failure(query())).ms < 100);
  server.resume();
  await until('queries are answered again', () => query().then(Boolean, () => false), 1500);
});

test('the connection of a transaction without an answer is closed, so that the transaction is not committed later', async (t) => {
  const { server, db, query } = await open(t);
  await query();
  const work = db.transaction().execute(async (transaction) => {
    server.mode = 'silent';
    await sql`update x set y = 1`.execute(transaction);
  });
  assert.equal((await failure(work)).reason, 'timeout');
  await until('the connection is closed', () => server.connections <= 1); // the connection of the probe
  server.resume();
  await until('queries are answered again', () => query().then(Boolean, () => false), 1500);
  assert.ok(!server.queries.includes('commit'), server.queries.join());
});

test('queries reject at once while the server is starting, and succeed when it has started', async (t) => {
  const { server, query } = await open(t);
  server.mode = 'starting';
  assert.equal((await failure(query())).reason, '57P03');
  assert.ok((await failure(query())).ms < 100);
  server.mode = 'answer';
  await until('queries are answered', () => query().then(Boolean, () => false), 1500);
});

test('without a server the reason is the error code of the system', async (t) => {
  const { server, query } = await open(t);
  await server.close();
  assert.equal((await failure(query())).reason, 'ECONNREFUSED');
  server.close = () => Promise.resolve();
});
