import { checkoutMigrations, schemaStatements } from './migrations/checkout-tables.ts';
import { migrationsTable } from './migrations/run-migrations.ts';
import { placeOf, qualifiedName } from './table-names.ts';

/**
 * SQL statements that create the store's tables in an empty database, for merchants whose programs may not change the schema.
 * The statements also record every step as finished, so that a store opens the database without a change.
 */
export function printDdl(database: 'postgres' | 'sqlite', names: Parameters<typeof placeOf>[1]): string {
  const place = placeOf(database, names);
  const statements = [
    ...(place.schema === undefined ? [] : [`create schema if not exists ${place.schema}`]),
    migrationsTable(place),
    ...schemaStatements(database, place),
    ...checkoutMigrations.map(
      ({ name }) => `insert into ${qualifiedName(place, 'migrations')} (name, run_at) values ('${name}', 0)`,
    ),
  ];
  return `begin;\n${statements.map((statement) => `${statement};`).join('\n\n')}\ncommit;\n`;
}
