// Writes docs/schema/*.sql: the statements that create the tables and views, with their default names.
import { writeFileSync } from 'node:fs';
import { printDdl } from '../../src/stores/migrations/checkout-tables.ts';

for (const database of ['postgres', 'sqlite'] as const)
  writeFileSync(new URL(`../../docs/schema/${database}.sql`, import.meta.url), printDdl(database, {}));
