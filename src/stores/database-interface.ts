import { sql, type CompiledQuery, type Kysely, type RawBuilder, type Selectable, type Transaction } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/thrown-value.ts';
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

/** The tables lack steps that `migrate: true` would run. */
export class MissingStepsError extends Error {
  override readonly name = 'MissingStepsError';
  readonly code: 'tables_missing' | 'tables_older';

  constructor(code: 'tables_missing' | 'tables_older', message: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown when the database cannot be opened. The message gives the reason in one line. The program should not start. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError';
  /** `tables_missing` and `tables_older`: opening it with `migrate: true` creates or changes them, and this user may do that. */
  readonly code: 'database_not_opened' | 'tables_missing' | 'tables_older';
  readonly path = 'store';

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options);
    const cause = toError(options.cause); // the application's own pool may throw any value
    this.code = cause instanceof MissingStepsError ? cause.code : 'database_not_opened';
  }
}

/** Thrown when a call inside a transaction of the SQLite file would wait for the end of that transaction. */
export class TransactionRequiredError extends Error {
  override readonly name = 'TransactionRequiredError';
  readonly code = 'transaction_required';
  readonly path = 'transaction';

  constructor() {
    super('this call would wait for the transaction in which it is made: pass { transaction } to it');
  }
}

/** The tables whose rows are claimed, with their primary keys. */
const primaryKeys = { schedules: 'attempt_id', outcomes: 'id' } as const;

export interface Claim<T extends keyof typeof primaryKeys> {
  readonly table: T;
  /** The SQL condition for rows that may be claimed, besides the condition of `claimable_at`. */
  readonly condition: RawBuilder<unknown>;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
}

/**
 * A subquery for the `from` clause of an update on PostgreSQL. It makes the transaction of the update commit without waiting
 * for the disk. A test checks that PostgreSQL evaluates the subquery in each such update.
 */
export const commitWithoutSync = sql<{ set_config: string }>`(select set_config('synchronous_commit', 'off', true))`;

/**
 * Claims up to `limit` rows that are due by `claimable_at`, earliest first, until `leaseUntil`. Resolves with the claimed rows
 * in any order. Processes that claim at the same time skip each other's rows.
 */
export async function claimDueRows<T extends keyof typeof primaryKeys>(
  { writeWithoutSync, hasRowLocks }: Pick<Database, 'writeWithoutSync' | 'hasRowLocks'>,
  { table, condition, now, leaseUntil, limit }: Claim<T>,
): Promise<readonly Selectable<CheckoutTables[T]>[]> {
  const [tableSql, keySql] = [sql.table(table), sql.ref(primaryKeys[table])];
  // Without `materialized`, the planner could run the inner query once for each row, and claim more rows than the limit.
  const query = sql<Selectable<CheckoutTables[T]>>`with due as materialized (
    select ${keySql} from ${tableSql} where claimable_at <= ${now} and ${condition}
    order by claimable_at limit ${limit} ${hasRowLocks ? sql`for update skip locked` : sql``}
  ) update ${tableSql} set claimable_at = ${leaseUntil} ${hasRowLocks ? sql`from ${commitWithoutSync} as commit_setting` : sql``}
    where ${keySql} in (select ${keySql} from due) returning *`;
  const { rows } = await writeWithoutSync((connection: Kysely<CheckoutTables>) => query.execute(connection));
  return rows;
}
