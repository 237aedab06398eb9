// `pay-invoice/sqlite`: a durable checkout store in a SQLite file.
export { createSqliteStore, type SqliteStoreOptions } from './stores/sqlite-store.ts';
export { DatabaseOpenError, TransactionRequiredError } from './stores/database-errors.ts';
export type { CheckoutTables } from './stores/table-row-types.ts';
export type { Migration } from './stores/migrations/run-migrations.ts';
export type { TablePlace } from './stores/table-names.ts';
export type { SqlStore } from './stores/sql-store.ts';
