// `pay-invoice/postgres`: a durable checkout store in PostgreSQL. Install `pg` and `kysely` beside the package.
export {
  createPostgresStore,
  postgresDdl,
  type PostgresSource,
  type PostgresStoreOptions,
  type PostgresTableOptions,
} from './stores/postgres-store.ts';
export type { PgClient, PgNotification, PgPool, PgQuery, PgResult } from './stores/postgres-pool.ts';
export { DatabaseOpenError } from './stores/database-interface.ts';
export type {
  AttemptsTable,
  CheckoutsTable,
  CheckoutTables,
  DeliveriesTable,
  StoreTable,
  OutcomesTable,
  SchedulesTable,
} from './stores/table-row-types.ts';
export type { Migration } from './stores/migrations/run-migrations.ts';
export type { TablePlace } from './stores/table-names.ts';
export type { SqlStore } from './stores/sql-store.ts';
