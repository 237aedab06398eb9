// The merchant's own transaction. A checkout that is created in it exists if and only if the merchant's changes are committed.

/** The rows of a statement: an array, or a driver's result with a member `rows`. */
export type SqlRows = readonly unknown[] | { readonly rows: readonly unknown[] };

/** An open transaction of any driver. */
export interface SqlTransaction {
  /**
   * Runs one statement inside the transaction. `values` are the strings, numbers and nulls of its placeholders: `$1`, `$2` and
   * so on for PostgreSQL, `?` for SQLite. Every statement returns rows; a row is an object with a member for each column.
   */
  executeSql(text: string, values: readonly unknown[]): SqlRows | PromiseLike<SqlRows>;
}

/** The part of a `Transaction` of Kysely that the store uses. */
export interface KyselyTransaction {
  readonly isTransaction: true;
  withoutPlugins(): object;
}

/** An open transaction in the database of the store. */
export type MerchantTransaction = KyselyTransaction | SqlTransaction;

/** Whether a value is a transaction that a store can use. */
export function isMerchantTransaction(value: unknown): value is MerchantTransaction {
  if (typeof value !== 'object' || value === null) return false;
  if ('executeSql' in value) return typeof value.executeSql === 'function';
  return 'isTransaction' in value && value.isTransaction === true && 'withoutPlugins' in value;
}
