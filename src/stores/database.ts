import type { Kysely, Transaction } from 'kysely';
import type { Migration } from './migrate.ts';
import { openSqlite } from './embedded.ts';
import { openPostgres } from './postgres.ts';
import type { CheckoutTables } from './schema.ts';

/** An open database with its schema up to date, and the little that differs between the two kinds. */
export interface Database {
  readonly db: Kysely<CheckoutTables>;
  /** Whether rows are locked one by one, so that a lease must pass over those that another process is taking. */
  readonly rowLocks: boolean;
  /**
   * Lets a change go without a wait for the disk: it outlives this process, and may be lost when the machine stops. For
   * what is done again anyway, such as leases.
   */
  readonly writeWithoutSync: <T>(change: (db: Kysely<CheckoutTables>) => Promise<T>) => Promise<T>;
  /** Reads; a connection that breaks meanwhile is no failure of the reading. */
  readonly read: <T>(work: () => Promise<T>) => Promise<T>;
  /** Writes; what the database has undone, because others wrote the same rows in another order, is written again. */
  readonly write: <T>(work: () => Promise<T>) => Promise<T>;
  /** Tells other processes, as part of the transaction, that a checkout was saved. */
  announce(transaction: Transaction<CheckoutTables>, checkoutId: string): Promise<void>;
  /**
   * Hears of checkouts that other processes saved (and perhaps of this one's), and that it may have missed some, until the
   * returned function is called.
   */
  listen(heard: (checkoutId: string) => void, missed: () => void): () => void;
  close(): Promise<void>;
}

/** Where the data is. */
export interface DatabaseLocation {
  /** The folder of the embedded database's file; it is made when it is missing. */
  readonly dataDir: string;
  /** PostgreSQL instead: `postgres://user:password@host/database`. */
  readonly databaseUrl?: string | undefined;
}

/** A reason not to start, told in one line. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseRefused';
}

/** Opens the database and brings its schema up to date. */
export async function openDatabase(place: DatabaseLocation, migrations: readonly Migration[]): Promise<Database> {
  return place.databaseUrl === undefined
    ? openSqlite(place.dataDir, migrations)
    : openPostgres(place.databaseUrl, migrations);
}
