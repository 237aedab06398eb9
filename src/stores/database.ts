import type { CompiledQuery, Kysely, RawBuilder, Transaction } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { LoadPurpose, SaveListener, StoreClock } from '../server-internals.ts';
import type { CheckoutTables } from './table-row-types.ts';

/** An open database with all migrations, and the operations that differ between SQLite and PostgreSQL. */
export interface Database {
  /** For the queries of the work that `read`, `write` and `writeWithoutSync` run. */
  readonly db: Kysely<CheckoutTables>;
  /** For the application's own queries, which take no connection from the store. */
  readonly appDb: Kysely<CheckoutTables>;
  /** Whether the database is PostgreSQL: it can lock single rows, and a query may contain writes. */
  readonly hasRowLocks: boolean;
  /**
   * Commits a change without waiting for the disk. The change survives the end of the process, but may be lost when the machine
   * stops. Use it for changes that are repeated anyway, such as leases.
   */
  readonly writeWithoutSync: <T>(change: (db: Kysely<CheckoutTables>) => Promise<T>) => Promise<T>;
  /**
   * Runs a query that only reads, outside of any transaction, and resolves with its first row. Repeats the query when the
   * connection broke. It is fast, because a payer's poll may run it.
   */
  readonly selectFirst: (query: CompiledQuery, purpose?: LoadPurpose) => Promise<unknown>;
  /** Runs work that only reads. Repeats the work when the connection broke. */
  readonly read: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Runs work that writes. Repeats the work when the database rolled it back (deadlock, serialization failure). An `order` is
   * refused at once with `StoreUnavailableError` when it would wait for long.
   */
  readonly write: <T>(work: () => Promise<T>, purpose?: 'order') => Promise<T>;
  /**
   * The expression that notifies the other processes, when its transaction commits, that a checkout was saved; undefined where
   * they find it themselves. With `isOwn` false it notifies this process too.
   */
  notification(checkoutId: string, hasOutcomes: boolean, isOwn: boolean): RawBuilder<unknown> | undefined;
  /**
   * Calls `onSaved` for checkouts that other processes have saved, and perhaps for checkouts that this process has saved. Calls
   * `onMissed` when notifications may have been lost. Stops when the returned function is called.
   */
  listen(onSaved: SaveListener, onMissed: () => void): () => void;
  /** Resolves when the database can read and store. @throws StoreUnavailableError */
  check(): Promise<unknown>;
  /** The database's clock; absent when the database has none. */
  readonly clock?: StoreClock | undefined;
  /** The clock of this process, for times that need not be the database's. */
  readonly machineClock: Clock;
  close(): Promise<void>;
}

/** Runs work in a transaction. The isolation level is set, because the database's default may be another one. */
export async function inTransaction<T>(
  db: Kysely<CheckoutTables>,
  work: (transaction: Transaction<CheckoutTables>) => Promise<T>,
): Promise<T> {
  return db.transaction().setIsolationLevel('read committed').execute(work);
}
