import { AsyncLocalStorage } from 'node:async_hooks';
import {
  CompiledQuery,
  DefaultQueryExecutor,
  Kysely,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type SqliteDatabase,
} from 'kysely';
import { sleep, type Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { StoreUnavailableError } from '../server.ts';
import { TransactionRequiredError } from './database-errors.ts';
import { sqliteCode } from './sqlite-file.ts';
import { tableNames } from './table-names.ts';
import { createTurnQueue } from './admission.ts';

/** How long a call waits for its turn and for another program's write, together, in milliseconds. */
export const maxWaitMs = 4000;

/** What waits use: a steady clock, and the randomness of pauses. */
interface WaitPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Creates the query builder on one connection, which is lent to one caller at a time. A caller that already holds the connection
 * would wait for itself; its call is refused. `assertUsable` throws when the files cannot be used. It is called before a use of the
 * connection, and after it, so that a commit into a log that was deleted meanwhile is not taken for stored.
 */
export async function createSqliteDatabase<T>(
  database: SqliteDatabase,
  assertUsable: (isFresh: boolean) => void,
  ports: WaitPorts,
): Promise<Kysely<T>> {
  const dialect = new SqliteDialect({ database });
  const driver = new SqliteSharedDriver({ database });
  await driver.init();
  const turns = createTurnQueue(1, ports.clock);
  /** The use of the connection in which the running code was started; it may have ended. */
  const currentUse = new AsyncLocalStorage<{ isOpen: boolean }>();
  const provideConnection = async <R>(consumer: (connection: DatabaseConnection) => Promise<R>): Promise<R> => {
    if (currentUse.getStore()?.isOpen === true) throw new TransactionRequiredError();
    const deadline = ports.clock.now() + maxWaitMs;
    const endTurn = await turns.take({ maxWaitMs });
    const inner = await driver.acquireConnection();
    const use = { isOpen: true };
    const connection: DatabaseConnection = {
      executeQuery: <Row>(query: CompiledQuery) =>
        retryWhileBusy(ports, () => inner.executeQuery<Row>(query), deadline),
      streamQuery: (query, chunkSize) => inner.streamQuery(query, chunkSize),
    };
    try {
      assertUsable(true);
      const result = await currentUse.run(use, () => consumer(connection));
      assertUsable(true);
      return result;
    } finally {
      use.isOpen = false;
      await driver.releaseConnection();
      endTurn();
    }
  };
  const executor = new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), {
    provideConnection,
  });
  return new Kysely<T>({ config: { dialect }, dialect, driver, executor });
}

/** Begins transactions with the write lock, so that none fails later for it. */
class SqliteSharedDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** Ignores that there is no transaction: after a full disk or an I/O error, SQLite has already rolled it back. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
    }
  }
}

/**
 * Repeats the work while another program writes, until `deadline` of the clock. SQLite's own `busy_timeout` would
 * block the event loop.
 */
export async function retryWhileBusy<T>(
  { clock, random }: WaitPorts,
  work: () => T | Promise<T>,
  deadline = clock.now() + maxWaitMs,
): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 25)) {
    try {
      return await work();
    } catch (error) {
      const isBusy = sqliteCode(error) === 'SQLITE_BUSY';
      if (!isBusy || clock.now() > deadline) throw toUnavailable(error) ?? error;
      await sleep(clock, pauseMs * (0.5 + random.number()));
    }
  }
}

/** SQLite's error codes for failures of the file, the disk or the lock. They are not caused by the query. */
const unavailableCodes = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL|NOMEM)/;

/** A table of the store is missing when the file or its log is damaged. */
const missingTable = new RegExp(`^no such table: \\w*(?:${[...tableNames].join('|')})$`);

function toUnavailable(error: unknown): StoreUnavailableError | undefined {
  const code = sqliteCode(error);
  if (code === undefined || !(error instanceof Error)) return undefined;
  const isUnavailable = unavailableCodes.test(code) || missingTable.test(error.message);
  return isUnavailable ? new StoreUnavailableError(code, { cause: error }) : undefined;
}
