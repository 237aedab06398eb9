import {
  Kysely,
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryCompiler,
  type QueryResult,
} from 'kysely';
import { checkoutMigrations } from './migrations/checkout-tables.ts';
import type { CheckoutTables } from './table-row-types.ts';
import { runMigrations } from './migrations/run-migrations.ts';
import { tableNamesPlugin } from './table-names-plugin.ts';
import type { TablePlace } from './table-names.ts';

/** The parts of a Kysely dialect that compile a query to SQL text. */
export interface TextDialect {
  readonly adapter: () => DialectAdapter;
  readonly queryCompiler: () => QueryCompiler;
}

/**
 * SQL statements that create the store's tables in an empty database, for merchants whose programs may not change the schema.
 * The statements also record every step as finished, so that a store opens the database without a change.
 */
export async function printDdl({ adapter, queryCompiler }: TextDialect, place: TablePlace): Promise<string> {
  const statements: string[] = [];
  const connection: DatabaseConnection = {
    executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (query.query.kind !== 'SelectQueryNode') statements.push(`${withValues(query)};`);
      return Promise.resolve({ rows: [] });
    },
    streamQuery: () => {
      throw new TypeError('a migration streams nothing');
    },
  };
  const doNothing = (): Promise<void> => Promise.resolve();
  const driver: Driver = {
    init: doNothing,
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: doNothing,
    commitTransaction: doNothing,
    rollbackTransaction: doNothing,
    releaseConnection: doNothing,
    destroy: doNothing,
  };
  const db = new Kysely<CheckoutTables>({
    dialect: {
      createAdapter: adapter,
      createDriver: () => driver,
      createIntrospector: () => {
        throw new TypeError('a migration reads no schema');
      },
      createQueryCompiler: queryCompiler,
    },
    plugins: [tableNamesPlugin(place)],
  });
  await runMigrations(db, checkoutMigrations, async ({ schema }) => {
    if (place.schema !== undefined) await schema.createSchema(place.schema).ifNotExists().execute();
    return false;
  });
  return `begin;\n${statements.join('\n')}\ncommit;\n`;
}

/** The SQL text of a query with values instead of placeholders. The values of migrations are only strings and whole numbers. */
function withValues({ sql, parameters }: CompiledQuery): string {
  let nextIndex = 0;
  return sql.replaceAll(/\$\d+|\?/g, () => {
    const value = parameters[nextIndex++];
    return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
  });
}
