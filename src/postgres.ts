// `pay-invoice/postgres`: a durable checkout store in PostgreSQL. Install `pg` beside the package.
export {
  createPostgresStore,
  type PostgresSource,
  type PostgresStoreOptions,
  type PostgresTableOptions,
} from './stores/postgres-store.ts';
export { DatabaseOpenError } from './stores/database-errors.ts';
export type { CheckoutTables } from './stores/table-row-types.ts';
export type { Migration } from './stores/migrations/run-migrations.ts';
export type { TablePlace } from './stores/table-names.ts';
export type { SqlStore } from './stores/sql-store.ts';
