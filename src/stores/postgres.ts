import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresAdapter, PostgresDialect, PostgresQueryCompiler, sql, type Transaction } from 'kysely';
import { Pool, TypeOverrides } from 'pg';
import { createRemoteClock } from '../base/remote-clock.ts';
import { StoreUnavailableError, type StoreClock } from '../server.ts';
import { DatabaseOpenError, type Database } from './database.ts';
import type { CheckoutTables } from './checkout-tables.ts';
import { checkoutMigrations } from './checkout-schema.ts';
import { runMigrations, type Migration } from './run-migrations.ts';
import { connectTimeoutMs, createBoundedPool, ignoreLostConnections } from './postgres-outage.ts';
import { channel, listen } from './postgres-notifications.ts';
import { printDdl } from './print-ddl.ts';
import { createSqlStore, type SqlStore } from './sql-store.ts';

const migrationLock = 20261120;
/** How often a process compares its clock with the database's, besides the workers' more frequent comparison. */
const measureMs = 5000;
const maxTries = 5;
const firstRetryMs = 20;
/** A lost connection leads to no retry after this time: with the last try, a caller waits less than 5 s. */
const retryMs = 800;

/** `bigint` is read as a number: milliseconds since 1970 are exact in it. */
const types = new TypeOverrides();
types.setTypeParser(20, Number);

/** Where a PostgreSQL store keeps its data. */
export interface PostgresStoreOptions {
  /** Such as `postgres://user:password@host/database`. */
  readonly url: string;
  /** The application's own tables in the same database; they are created after the store's. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens a durable checkout store in PostgreSQL and brings its tables up to date, under a lock. Any number of processes
 * may share it. Needs the package `pg`.
 * @throws DatabaseOpenError
 */
export async function createPostgresStore({ url, migrations = [] }: PostgresStoreOptions): Promise<SqlStore> {
  return createSqlStore(await openPostgres(url, [...checkoutMigrations, ...migrations]));
}

/** The statements that make the store's tables in an empty PostgreSQL database, which the store then leaves as they are. */
export function postgresDdl(): Promise<string> {
  return printDdl({ adapter: () => new PostgresAdapter(), queryCompiler: () => new PostgresQueryCompiler() });
}

/** Opens a PostgreSQL database that several processes share: row locks divide the work, `notify` wakes the others. */
export async function openPostgres(url: string, migrations: readonly Migration[]): Promise<Database> {
  await bringUpToDate(url, migrations);
  const pool = createBoundedPool({ connectionString: url, types, max: 10 });
  const db = new Kysely<CheckoutTables>({ dialect: new PostgresDialect({ pool }) });
  const self = randomUUID();
  const clock = createDatabaseClock(db);
  await clock.measure();
  return {
    db,
    clock,
    rowLocks: true,
    writeWithoutSync: (change) => retry(() => change(db), isRolledBack),
    select: (query) => retry(async () => (await db.executeQuery(query)).rows, isConnectionLost),
    read: (work) => retry(work, isConnectionLost),
    write: (work) => retry(work, isRolledBack),
    announce: async (transaction, checkoutId, hasOutcomes) => {
      const notice = `${self} ${checkoutId}${hasOutcomes ? ' outcomes' : ''}`;
      await sql`select pg_notify(${channel}, ${notice})`.execute(transaction);
    },
    listen(onSaved, onMissed) {
      const measuring = setInterval(() => void clock.measure().catch(() => undefined), measureMs).unref();
      const stop = listen(url, onMissed, (notice) => {
        const [sender, checkoutId, outcomes] = notice.split(' ');
        if (sender !== self && checkoutId !== undefined) onSaved(checkoutId, outcomes !== undefined);
      });
      return () => {
        clearInterval(measuring);
        stop();
      };
    },
    close: () => db.destroy(),
  };
}

/** The time of the database's machine, the same for all processes however their own clocks are set. */
function createDatabaseClock(db: Kysely<CheckoutTables>): StoreClock {
  const clock = createRemoteClock(() => performance.now());
  return {
    now: () => clock.now() ?? Date.now(),
    async measure() {
      const sentAt = performance.now();
      const { rows } = await sql<{
        now: number;
      }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
      if (rows[0] !== undefined) clock.observe(rows[0].now, sentAt, 1);
    },
  };
}

/**
 * Runs the migrations on a connection of their own, whose queries may take as long as they need: a large table is changed,
 * or another process holds the lock.
 */
async function bringUpToDate(url: string, migrations: readonly Migration[]): Promise<void> {
  const pool = new Pool({ connectionString: url, types, max: 1, connectionTimeoutMillis: connectTimeoutMs });
  ignoreLostConnections(pool);
  const db = new Kysely<CheckoutTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await runMigrations(db, migrations, async (transaction) => {
      await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
      if (await hasForeignMigrations(transaction))
        throw new Error('its table migrations is of another program: name another database');
    });
  } catch (error) {
    throw new DatabaseOpenError(`the database of DATABASE_URL cannot be opened: ${reasonOf(error)}`, { cause: error });
  } finally {
    await db.destroy();
  }
}

/** Whether the database has a table `migrations` that is not a store's. A shop's other tables may stand beside the store's. */
async function hasForeignMigrations(transaction: Transaction<CheckoutTables>): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = to_regclass('migrations') and attnum > 0 and not attisdropped
  `.execute(transaction);
  return rows.length > 0 && !rows.some(({ name }) => name === 'run_at');
}

/** Runs the work; repeats it after growing pauses while it fails with a temporary error. */
async function retry<T>(
  work: () => Promise<T>,
  isRetryable: (error: StoreUnavailableError, elapsedMs: number) => boolean,
): Promise<T> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !(error instanceof StoreUnavailableError)) throw error;
      if (!isRetryable(error, performance.now() - startedAt)) throw error;
      await delay(firstRetryMs * 2 ** tries * (0.5 + Math.random()));
    }
  }
}

/** Whether the transaction was rolled back by a deadlock or a serialization failure. */
function isRolledBack({ reason }: StoreUnavailableError): boolean {
  return ['40P01', '40001'].includes(reason);
}

/** Whether the connection was lost, or the server is stopping or starting. */
function isConnectionLost({ reason }: StoreUnavailableError, elapsedMs: number): boolean {
  return elapsedMs < retryMs && /^(?:connection_lost|08...|57P0[123]|ECONN(?:RESET|REFUSED)|EPIPE)$/.test(reason);
}

/** The reason in one line; messages of the driver contain no password. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return String(error instanceof Error ? error.message : error).replace(/\s*\n[^]*/, '');
}
