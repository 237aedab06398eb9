import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CompiledQuery,
  Kysely,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type QueryResult,
  type SqliteDatabase,
  type SqliteDialectConfig,
} from 'kysely';
import Libsql from 'libsql';
import { z } from 'zod';
import { DatabaseOpenError, type Database } from './database.ts';
import { migrate, type Migration } from './migrate.ts';
import type { CheckoutTables } from './schema.ts';

/** How long a write waits for another process's write, in milliseconds. */
const busyTimeoutMs = 5000;
/** How often this process looks whether another one on the same file has saved something, in milliseconds. */
const pollIntervalMs = 200;
/** A commit may come this much later than the time that it carries: the wait for another's write, and some. */
const lateByMs = busyTimeoutMs + 1000;

/** Opens (or makes) the database file in a folder. Several processes may: they wait for each other's writes. */
export async function openSqlite(dataDir: string, migrations: readonly Migration[]): Promise<Database> {
  const file = openFile(dataDir);
  const db = new Kysely<CheckoutTables>({ dialect: new SqliteSharedDialect({ database: withStatementCache(file) }) });
  await migrate(db, migrations);
  return {
    db,
    rowLocks: false,
    writeWithoutSync: (change) =>
      db.connection().execute(async (connection) => {
        file.pragma('synchronous = normal');
        try {
          return await change(connection);
        } finally {
          file.pragma('synchronous = full');
        }
      }),
    read: (work) => work(),
    write: (work) => work(),
    announce: () => Promise.resolve(),
    listen: (heard) => pollForSaves(file, db, heard),
    close: () => db.destroy(),
  };
}

function openFile(dataDir: string): Libsql.Database {
  const path = join(dataDir, 'shop.db');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const file = new Libsql(path, { timeout: busyTimeoutMs });
    for (const setting of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on', 'busy_timeout = 0'])
      file.pragma(setting);
    return file;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatabaseOpenError(`the database ${path} cannot be opened: ${reason}`, { cause: error });
  }
}

/** Keeps prepared statements: the texts of queries are few, and preparing costs more than running. */
function withStatementCache(file: Libsql.Database): SqliteDatabase {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  return {
    close: () => void file.close(),
    prepare(sql) {
      const statement = statements.get(sql) ?? prepare(file, sql);
      statements.delete(sql); // the one that was used last stands last
      statements.set(sql, statement);
      const [oldest] = statements.keys();
      if (statements.size > 200 && oldest !== undefined) statements.delete(oldest);
      return statement;
    },
  };
}

/** Whether a statement gives rows is asked of the database each time, and never changes. */
function prepare(file: Libsql.Database, sql: string): ReturnType<SqliteDatabase['prepare']> {
  const statement = file.prepare(sql);
  return Object.defineProperty(statement, 'reader', { value: statement.reader });
}

/** Hands out the one connection in turn, and begins transactions with the write lock, so that none fails half way. */
class SqliteSharedDriver extends SqliteDriver {
  #turn = Promise.resolve();
  #endTurn = (): void => undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#turn;
    let endTurn = this.#endTurn;
    this.#turn = new Promise((resolve) => (endTurn = resolve));
    await before;
    this.#endTurn = endTurn;
    return new BusyRetryConnection(await super.acquireConnection());
  }

  override async releaseConnection(): Promise<void> {
    await super.releaseConnection();
    this.#endTurn();
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

/** Waits while another process writes. The database's own way of waiting would hold up everything else here. */
class BusyRetryConnection implements DatabaseConnection {
  readonly #inner: DatabaseConnection;

  constructor(inner: DatabaseConnection) {
    this.#inner = inner;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const start = performance.now();
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 25)) {
      try {
        return await this.#inner.executeQuery<R>(query);
      } catch (error) {
        const isBusy = error instanceof Libsql.SqliteError && error.code.startsWith('SQLITE_BUSY');
        if (!isBusy || performance.now() - start > busyTimeoutMs) throw error;
        await delay(pauseMs * (0.5 + Math.random()));
      }
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#inner.streamQuery(query, chunkSize);
  }
}

class SqliteSharedDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): SqliteDriver {
    return new SqliteSharedDriver(this.#config);
  }
}

const versionRow = z.object({ data_version: z.number() });

/** `data_version` changes when another connection commits; what was saved since then is then read by its time. */
function pollForSaves(
  file: Libsql.Database,
  db: Kysely<CheckoutTables>,
  heard: (checkoutId: string) => void,
): () => void {
  const statement = file.prepare('pragma data_version');
  const readVersion = (): number => versionRow.parse(statement.get()).data_version; // with it comes how long that took
  let version = readVersion();
  let told = new Map<string, number>();
  let since = Date.now();
  const look = async (): Promise<void> => {
    const now = readVersion();
    if (now === version) return;
    const rows = await db
      .selectFrom('checkouts')
      .select(['id', 'version', 'saved_at'])
      .where('saved_at', '>', since - lateByMs)
      .execute();
    version = now;
    for (const { id, version } of rows) if (told.get(id) !== version) heard(id);
    told = new Map(rows.map(({ id, version }) => [id, version]));
    since = Math.max(since, ...rows.map(({ saved_at }) => saved_at));
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // A look that failed is made again.
    const over = (): void => void (isLooking = false);
    look().then(over, over);
  }, pollIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
