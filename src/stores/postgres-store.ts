import { Kysely, PostgresDialect, sql, type PostgresPool } from 'kysely';
import { z } from 'zod';
import { sleep, steadyClock, systemClock } from '../base/clock.ts';
import { randomId, systemRandom } from '../base/random.ts';
import { createRemoteClock } from '../base/remote-clock-estimate.ts';
import { readMember, toError } from '../base/thrown-value.ts';
import { checkOptions, strictObject } from '../server/domain/strict-object.ts';
import { CheckoutOptionsError, StoreUnavailableError } from '../server.ts';
import type { Database } from './database.ts';
import { DatabaseOpenError } from './database-errors.ts';
import type { CheckoutTables } from './table-row-types.ts';
import { checkoutMigrations, printDdl } from './migrations/checkout-tables.ts';
import { checkTables } from './migrations/check-tables.ts';
import { runMigrations, sharedOptions, type Migration, type MigrationOptions } from './migrations/run-migrations.ts';
import { limitedPool, Outage } from './postgres-outage.ts';
import {
  assertSessionMode,
  connectionsOfUrl,
  connectionsOfPool,
  type Connections,
  type PgPool,
} from './postgres-pool.ts';
import { postgresUrl } from './postgres-url.ts';
import { createAdmission, maxCheckMs } from './admission.ts';
import { channelOf, databaseTime, listenForNotifications } from './postgres-notifications.ts';
import { placeOf, tableNamesPlugin, validNameRule, type TablePlace } from './table-names.ts';
import { createSqlStore, type SqlStore } from './sql-store.ts';

const maxTries = 5;
const firstRetryMs = 20;
/** A lost connection is not retried after this time, so that a caller waits less than 5 s, including the last try. */
const maxRetryTimeMs = 800;

/** No limit: the longest time that a timer takes. */
const noLimitMs = 2 ** 31 - 1;
/** How long one use of a connection by the store may take, in milliseconds. */
const maxUseMs = 3000;
/** The limit of one use of a connection by the application, through `store.db`. */
const maxAppUseMs = 30_000;
/** The store's connections: how many there are in a pool of its own, and their limits. */
const storeLimits = { max: 12, maxStatementMs: 2500, maxIdleTransactionMs: 10_000 } as const;
const appLimits = { max: 2, maxStatementMs: maxAppUseMs, maxIdleTransactionMs: maxAppUseMs } as const;

/** Where a PostgreSQL store keeps its data, and how its tables are named. */
export type PostgresStoreOptions = PostgresTableOptions &
  PostgresSource & {
    /** The application's own tables in the same database; they are created after the store's. */
    readonly migrations?: readonly Migration[];
    /** false: changes no tables, and refuses those that are older. `npx pay-invoice-server migrate` changes them. */
    readonly migrate?: boolean | undefined;
  };

/** Names that separate the store's tables from those of other stores and programs in one database. */
export interface PostgresTableOptions {
  /** The schema of the store's tables, `pay_invoice` by default. It is created when it is missing. */
  readonly schema?: string | undefined;
  /** The prefix of the names of the store's tables and indexes; empty by default. */
  readonly tablePrefix?: string | undefined;
}

/** A database, or the application's own pool of connections to it. */
export type PostgresSource =
  /** A URL such as `postgres://user:password@host/database`. undefined (a variable that is not set) is refused. */
  | { readonly url: string | undefined; readonly pool?: undefined }
  /**
   * A `Pool` of `pg` with at least three connections, one of which listens for notifications all the time. The store never ends
   * the pool, and adds no listener to it: `pool.on('error', …)` stays the application's. A connection on which the store has
   * waited for an answer for 3 s is closed.
   */
  | { readonly pool: PgPool; readonly url?: undefined };

const optionsSchema = strictObject({
  url: postgresUrl.optional(),
  pool: z
    .custom<PgPool>((value) => typeof readMember(value, 'connect') === 'function', 'must be a Pool of pg: new Pool()')
    .optional(),
  schema: z.string(validNameRule).optional(),
  ...sharedOptions,
} satisfies Record<keyof PostgresStoreOptions, z.ZodType>);

/**
 * Opens a durable checkout store in PostgreSQL, and migrates its tables under a lock. Any number of processes may share the
 * store. Needs the package `pg`.
 * @throws DatabaseOpenError when the database cannot be opened
 * @throws CheckoutOptionsError for invalid or unknown options, and when not exactly one of `url` and `pool` is given
 * @example
 * ```ts
 * import { createPostgresStore } from 'pay-invoice/postgres';
 *
 * const store = await createPostgresStore({ url: process.env['DATABASE_URL'] });
 * await store.close();
 * ```
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<SqlStore> {
  // The error does not contain the URL, which has a password.
  const { url, pool, migrations, ...place } = checkOptions(optionsSchema, options);
  const source = url ?? pool;
  if (source === undefined || (url === undefined) === (pool === undefined))
    throw new CheckoutOptionsError({ path: 'url', message: 'url, pool: exactly one must be given' });
  return createSqlStore(await openPostgres(source, [...checkoutMigrations, ...migrations], place));
}

/** SQL statements that create the store's tables in an empty PostgreSQL database. A store then opens the database unchanged. */
export function postgresDdl(place: PostgresTableOptions = {}): string {
  return printDdl('postgres', place);
}

/** Opens a PostgreSQL database that several processes may share: row locks divide the work, `notify` reports saves. */
export async function openPostgres(
  source: string | PgPool,
  migrations: readonly Migration[],
  tableOptions: PostgresTableOptions & MigrationOptions = {},
): Promise<Database> {
  const place = placeOf('postgres', tableOptions);
  await prepareTables(
    typeof source === 'string' ? connectionsOfUrl(source, { max: 1 }) : connectionsOfPool(source),
    migrations,
    place,
    tableOptions,
  );
  const isUrl = typeof source === 'string';
  const connections = isUrl ? connectionsOfUrl(source, storeLimits) : connectionsOfPool(source);
  const appConnections = isUrl ? connectionsOfUrl(source, appLimits) : connections;
  const outage = new Outage();
  const admit = createAdmission(isUrl ? connections.max : connections.max - 1, steadyClock);
  const open = (maxMs: number): Kysely<CheckoutTables> => kyselyOf(limitedPool(connections, outage, maxMs), place);
  const [db, checks] = [open(maxUseMs), open(maxCheckMs)];
  /** Runs work, and repeats it as a new one that has to be admitted. An outage is told before a wait for a turn. */
  const run = <T>(
    kind: Parameters<typeof admit>[0],
    work: () => Promise<T>,
    isRetryable: Parameters<typeof retry>[1],
  ): Promise<T> =>
    retry(async () => {
      outage.throwIfUnavailable();
      return admit(kind, work);
    }, isRetryable);
  const channel = channelOf(place);
  const senderId = randomId(systemRandom);
  const clock = createDatabaseClock(db);
  await clock.measure();
  return {
    db,
    appDb: kyselyOf(limitedPool(appConnections, new Outage(), maxAppUseMs), place),
    clock,
    hasRowLocks: true,
    writeWithoutSync: (change) => run('work', () => change(db), isRolledBack),
    selectFirst: (query, purpose) =>
      run(purpose ?? 'work', async () => (await db.executeQuery(query)).rows[0], isConnectionLost),
    read: (work) => run('work', work, isConnectionLost),
    write: (work, purpose) => run(purpose ?? 'work', work, isRolledBack),
    notification(checkoutId, hasOutcomes, isOwn) {
      const payload = `${isOwn ? senderId : ''} ${checkoutId}${hasOutcomes ? ' outcomes' : ''}`;
      return sql`pg_notify(${channel}, ${payload})`;
    },
    listen(onSaved, onMissed) {
      const onPayload = (payload: string): void => {
        const [sender, checkoutId, outcomes] = payload.split(' ');
        if (sender !== senderId && checkoutId !== undefined) onSaved(checkoutId, outcomes !== undefined);
      };
      return listenForNotifications(connections, channel, { onMissed, onPayload, onTime: clock.observe });
    },
    machineClock: systemClock,
    check: () => admit('check', () => checkWritable(checks)),
    async close() {
      await Promise.all([connections.close(), appConnections.close()]);
    },
  };
}

/** Reads a row, and rejects when the server takes no writes. */
async function checkWritable(db: Kysely<CheckoutTables>): Promise<void> {
  const { rows } = await sql<{ is_read_only: boolean }>`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is_read_only,
      (select id from ${sql.table('checkouts')} limit 1)
  `.execute(db);
  if (rows[0]?.is_read_only === true) throw new StoreUnavailableError('25006');
}

function kyselyOf(pool: PostgresPool, place: TablePlace): Kysely<CheckoutTables> {
  return new Kysely<CheckoutTables>({ dialect: new PostgresDialect({ pool }), plugins: [tableNamesPlugin(place)] });
}

/** A time that was measured within this time is not measured again. Pings of the listener measure it more often. */
const measuredForMs = 1900;

/** The clock of the database's machine. It is the same for all processes, even if their own clocks differ. */
function createDatabaseClock(db: Kysely<CheckoutTables>) {
  const clock = createRemoteClock(() => steadyClock.now());
  let measuredAt = -Infinity;
  const observe = (now: number, sentAt: number): void => {
    clock.observe(now, sentAt, 1);
    measuredAt = steadyClock.now();
  };
  return {
    now: () => clock.now() ?? systemClock.now(),
    observe,
    async measure() {
      const sentAt = steadyClock.now();
      if (sentAt - measuredAt < measuredForMs) return;
      const { rows } = await sql<{ now: number }>`select ${sql.raw(databaseTime)} as now`.execute(db);
      if (rows[0] !== undefined) observe(rows[0].now, sentAt);
    },
  };
}

/**
 * Runs or checks the migrations on a separate connection without a time limit for queries, because a step may change a large table, and
 * another process may hold the lock.
 */
async function prepareTables(
  connections: Connections,
  migrations: readonly Migration[],
  place: TablePlace,
  { migrate }: MigrationOptions,
): Promise<void> {
  const db = kyselyOf(limitedPool(connections, new Outage(), noLimitMs), place);
  try {
    await assertSessionMode(connections);
    await runMigrations(db, migrations, place, { migrate });
    await checkTables(db, place);
  } catch (error) {
    const reason = `the database of ${connections.name} cannot be opened: ${messageOf(error)}`;
    throw new DatabaseOpenError(reason, { cause: error });
  } finally {
    await connections.close();
  }
}

/** Runs the work, and repeats it after growing pauses while `isRetryable` returns true. Makes at most `maxTries` tries. */
async function retry<T>(
  work: () => Promise<T>,
  isRetryable: (error: StoreUnavailableError, elapsedMs: number) => boolean,
): Promise<T> {
  const startedAt = steadyClock.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !(error instanceof StoreUnavailableError)) throw error;
      if (!isRetryable(error, steadyClock.now() - startedAt)) throw error;
      await sleep(steadyClock, firstRetryMs * 2 ** tries * (0.5 + systemRandom.number()));
    }
  }
}

/** Whether the transaction was rolled back by a deadlock or a serialization failure. */
function isRolledBack({ reason }: StoreUnavailableError): boolean {
  return ['40P01', '40001'].includes(reason);
}

/** Whether the connection was lost, or the server is stopping or starting. */
function isConnectionLost({ reason }: StoreUnavailableError, elapsedMs: number): boolean {
  return (
    elapsedMs < maxRetryTimeMs && /^(?:connection_lost|08...|57P0[123]|ECONN(?:RESET|REFUSED)|EPIPE)$/.test(reason)
  );
}

/** The reason of an error in one line. Messages of the driver contain no password. */
function messageOf(thrown: unknown): string {
  const error = toError(thrown);
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  if (error instanceof StoreUnavailableError && error.cause !== undefined) return messageOf(error.cause);
  // lock_not_available
  if (error.code === '55P03') return 'another program holds its tables: try again later';
  const [firstLine = ''] = error.message.split('\n');
  return firstLine.trimEnd();
}
