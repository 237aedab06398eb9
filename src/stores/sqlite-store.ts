import { dirname } from 'node:path';
import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import { createSteadyClock, systemClock, type Clock } from '../base/clock.ts';
import { makeFolder } from '../base/make-folder.ts';
import { systemRandom, type Random } from '../base/random.ts';
import { toError } from '../base/thrown-value.ts';
import { checkOptions, clockSchema, randomSchema, strictObject } from '../server/domain/strict-object.ts';
import { StoreUnavailableError } from '../server.ts';
import type { SaveListener } from '../server-internals.ts';
import type { Database } from './database.ts';
import { DatabaseOpenError } from './database-errors.ts';
import type { CheckoutTables } from './table-row-types.ts';
import { checkoutMigrations, printDdl } from './migrations/checkout-tables.ts';
import { checkTables } from './migrations/check-tables.ts';
import { runMigrations, sharedOptions, type Migration } from './migrations/run-migrations.ts';
import { adviceFor, checkPages, checkSqliteFile, watchFiles } from './check-sqlite-file.ts';
import { placeOf, tableNamesPlugin } from './table-names.ts';
import { createSqlStore, type SqlStore } from './sql-store.ts';
import { createAdmission } from './admission.ts';
import { createSqliteDatabase, maxWaitMs, retryWhileBusy } from './sqlite-driver.ts';
import { noUrl, openSqliteFile, type SqliteFile } from './sqlite-file.ts';

/** For admission: the connection for reads, the one for all other work, and none for checks, which are not admitted. */
const connectionCount = 3;
/** The interval at which this process checks whether another process has saved checkouts in the same file. */
const pollIntervalMs = 200;
/** The maximum time between a checkout's `saved_at` and its commit: the wait for another write, and one second. */
const maxCommitDelayMs = maxWaitMs + 1000;

const fileRule = 'must be the name of the database file, not a URL; createMemoryStore() needs no file';
const optionsSchema = strictObject({
  // SQLite takes '' and `:memory:` as databases without a file.
  file: z
    .string(fileRule)
    .regex(/^(?!:memory:$)./s, fileRule)
    .regex(noUrl, fileRule),
  clock: clockSchema.optional(),
  random: randomSchema.optional(),
  ...sharedOptions,
} satisfies Record<keyof SqliteStoreOptions, z.ZodType>);

/** Where a SQLite store keeps its data. */
export interface SqliteStoreOptions {
  /** The database file. The file and its folder are created when they are missing. */
  readonly file: string;
  /** The prefix of the names of the store's tables and indexes, `pay_invoice_` by default. */
  readonly tablePrefix?: string | undefined;
  /** The application's own tables in the same file; they are created after the store's. */
  readonly migrations?: readonly Migration[];
  /** false: changes no tables, and refuses those that are older. `npx pay-invoice-server migrate` changes them. */
  readonly migrate?: boolean | undefined;
  /** The clock of `saved_at` and of all waits; the machine's by default. Tests pass a fake clock. */
  readonly clock?: Clock | undefined;
  /** Randomness of pauses; the machine's by default. */
  readonly random?: Random | undefined;
}

/**
 * Opens a durable checkout store in a SQLite file, and migrates its tables. Several processes on one machine may share the
 * file.
 * @throws DatabaseOpenError when the database cannot be opened
 * @throws CheckoutOptionsError for invalid or unknown options
 * @example
 * ```ts
 * import { createSqliteStore } from 'pay-invoice/sqlite';
 *
 * const store = await createSqliteStore({ file: '.data/shop.db' });
 * await store.check(); // rejects while it cannot store
 * await store.close();
 * ```
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<SqlStore> {
  const { file, migrations, ...further } = checkOptions(optionsSchema, options);
  return createSqlStore(await openSqlite(file, [...checkoutMigrations, ...migrations], further));
}

/** SQL statements that create the store's tables in an empty SQLite file. A store then opens the file unchanged. */
export function sqliteDdl(names: Pick<SqliteStoreOptions, 'tablePrefix'> = {}): string {
  return printDdl('sqlite', names);
}

/** Opens (or creates) the database file. Several processes may share it: each waits for the writes of the others. */
export async function openSqlite(
  path: string,
  migrations: readonly Migration[],
  { tablePrefix, clock = systemClock, random = systemRandom, migrate }: Partial<SqliteStoreOptions> = {},
): Promise<Database> {
  const place = placeOf('sqlite', { tablePrefix });
  const file = openFile(path);
  const waits = { clock: createSteadyClock(clock), random };
  const files = watchFiles(path, waits.clock);
  const admit = createAdmission(connectionCount, waits.clock);
  let reader: ReturnType<typeof openReader>;
  const db = (await createSqliteDatabase<CheckoutTables>(withStatementCache(file), files.assertSame, waits)).withPlugin(
    tableNamesPlugin(place),
  );
  try {
    await runMigrations(db, migrations, place, { clock, migrate });
    await checkTables(db, place);
    reader = openReader(path);
  } catch (error) {
    await db.destroy();
    throw openError(path, error);
  }
  const writeWithoutSync: Database['writeWithoutSync'] = (change) =>
    db.connection().execute(async (connection) => {
      file.exec('pragma synchronous = normal');
      try {
        return await change(connection);
      } finally {
        file.exec('pragma synchronous = full');
      }
    });
  const selectFirst: Database['selectFirst'] = ({ sql, parameters }) => {
    files.assertSame();
    return retryWhileBusy(waits, () => reader.prepare(sql).get(parameters)); // twice as fast as `all`
  };
  return {
    db,
    appDb: db,
    hasRowLocks: false,
    writeWithoutSync,
    selectFirst: (query) => new Promise((resolve) => resolve(selectFirst(query))),
    async check() {
      // Only a write shows that the file can be written, and the read after it finds damage: it uses no page from memory.
      await writeWithoutSync((connection) =>
        sql`update ${sql.table('migrations')} set checked_at = coalesce(checked_at, 0) + 1`.execute(connection),
      );
      await selectFirst(db.selectFrom('checkouts').select('params').limit(1).compile());
    },
    read: (work) => work(),
    write: (work, purpose) => (purpose === undefined ? work() : admit(purpose, work)),
    notification: () => undefined,
    listen: (onSaved) => pollForSaves(file, db, clock, onSaved),
    machineClock: clock,
    async close() {
      // The last connection that is closed writes the log into the file. The reader cannot: it is open for reads only.
      const writesLog = files.mayWriteLog();
      if (writesLog) reader.close();
      await db.destroy();
      if (!writesLog) reader.close();
    },
  };
}

function openFile(path: string): SqliteFile {
  let file: SqliteFile | undefined;
  try {
    makeFolder(dirname(path));
    checkSqliteFile(path);
    file = openSqliteFile(path);
    for (const setting of [
      `busy_timeout = ${maxWaitMs}`,
      'journal_mode = wal',
      'synchronous = full',
      'foreign_keys = on',
    ])
      file.exec(`pragma ${setting}`);
    file.exec('pragma busy_timeout = 0');
    checkPages(file);
    return file;
  } catch (error) {
    file?.close();
    throw openError(path, error);
  }
}

/** Opens a second connection for reads, so that they do not wait for transactions of this process. */
function openReader(path: string): Pick<SqliteFile, 'prepare' | 'close'> {
  const file = openSqliteFile(path, { readOnly: true });
  file.exec('select 1 from sqlite_schema'); // from now on it holds the lock by which SQLite knows that it uses the file
  return withStatementCache(file);
}

function openError(path: string, error: unknown): DatabaseOpenError {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  const reason = toError(cause).message;
  return new DatabaseOpenError(`the database ${path} cannot be opened: ${reason}${adviceFor(cause)}`, {
    cause: error,
  });
}

/** Caches prepared statements, because there are few query texts, and preparing a statement costs more than running it. */
function withStatementCache(file: SqliteFile): Pick<SqliteFile, 'prepare' | 'close'> {
  const statements = new Map<string, ReturnType<SqliteFile['prepare']>>();
  return {
    close: () => file.close(),
    prepare(sql) {
      const statement = statements.get(sql) ?? file.prepare(sql);
      statements.delete(sql); // so that `set` adds it at the end: the first statement is the one used least recently
      statements.set(sql, statement);
      const [oldest] = statements.keys();
      if (statements.size > 200 && oldest !== undefined) statements.delete(oldest);
      return statement;
    },
  };
}

const versionRow = z.object({ data_version: z.number() });

/** Calls `onSaved` for checkouts saved by other connections. `data_version` changes with each of their commits. */
function pollForSaves(file: SqliteFile, db: Kysely<CheckoutTables>, clock: Clock, onSaved: SaveListener): () => void {
  const statement = file.prepare('pragma data_version');
  const readVersion = (): number => versionRow.parse(statement.get([])).data_version;
  let version = readVersion();
  /** The versions of the checkouts that the last check has found. */
  let reportedVersions = new Map<string, number>();
  /** The latest known `saved_at`. */
  let latestSavedAt = clock.now();
  const check = async (): Promise<void> => {
    const currentVersion = readVersion();
    if (currentVersion === version) return;
    latestSavedAt = Math.min(latestSavedAt, clock.now()); // the machine's clock may have been set back
    const rows = await db
      .selectFrom('checkouts')
      .select(['id', 'version', 'saved_at'])
      .where('saved_at', '>', latestSavedAt - maxCommitDelayMs)
      .execute();
    version = currentVersion;
    // The second argument is true, because outcomes may have been saved too.
    for (const { id, version } of rows) if (reportedVersions.get(id) !== version) onSaved(id, true);
    reportedVersions = new Map(rows.map(({ id, version }) => [id, version]));
    latestSavedAt = Math.max(latestSavedAt, ...rows.map(({ saved_at }) => saved_at));
  };
  let isStopped = false;
  let cancel = (): void => undefined;
  const checkLater = (): void => {
    // A check that failed is repeated at the next interval.
    if (!isStopped) cancel = clock.schedule(pollIntervalMs, () => void check().then(checkLater, checkLater), true);
  };
  checkLater();
  return () => {
    isStopped = true;
    cancel();
  };
}
