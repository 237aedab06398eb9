import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { SaveListener, StoreClock } from '../server.ts';
import type { CheckoutTables } from './table-row-types.ts';

/** An open database with its schema up to date, and the operations that differ between SQLite and PostgreSQL. */
export interface Database {
  readonly db: Kysely<CheckoutTables>;
  /** Whether the database locks single rows: a claim then skips the rows that another process is claiming. */
  readonly rowLocks: boolean;
  /**
   * Commits a change without waiting for the disk: it survives the process, and may be lost when the machine stops. For
   * changes that are repeated anyway, such as leases.
   */
  readonly writeWithoutSync: <T>(change: (db: Kysely<CheckoutTables>) => Promise<T>) => Promise<T>;
  /**
   * Runs a query that only reads, outside of any transaction, and resolves with its first row. It adds as little work to the
   * driver's as possible, because a payer's poll may run it. It repeats the query when the connection broke.
   */
  readonly selectFirst: (query: CompiledQuery) => Promise<unknown>;
  /** Runs work that only reads; repeats it when the connection broke. */
  readonly read: <T>(work: () => Promise<T>) => Promise<T>;
  /** Runs work that writes; repeats it when the database rolled it back (deadlock, serialization failure). */
  readonly write: <T>(work: () => Promise<T>) => Promise<T>;
  /** Notifies other processes, as part of the transaction, that a checkout was saved. */
  notifySaved(transaction: Transaction<CheckoutTables>, checkoutId: string, hasOutcomes: boolean): Promise<void>;
  /**
   * Calls `onSaved` for checkouts that other processes saved, and perhaps for those of this process. Calls `onMissed` when
   * notifications may have been lost. Stops when the returned function is called.
   */
  listen(onSaved: SaveListener, onMissed: () => void): () => void;
  /** The database's clock, where it has one. */
  readonly clock?: StoreClock | undefined;
  close(): Promise<void>;
}

/** The database cannot be opened. The message gives the reason in one line; the program should not start. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError';
}
