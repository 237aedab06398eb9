import { PostgresAdapter, sql, type Kysely, type SchemaModule, type Transaction } from 'kysely';
import { z } from 'zod';
import { readMember, toError } from '../../base/thrown-value.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { StoreUnavailableError } from '../../server.ts';
import { inTransaction } from '../database.ts';
import { MissingStepsError } from '../database-errors.ts';
import type { CheckoutTables } from '../table-row-types.ts';
import { qualifiedName, validNameRule, type TablePlace } from '../table-names.ts';

/** One step that changes the schema. The name of each step that has run is stored in the database. */
export interface Migration {
  readonly name: string;
  /** `place` is the schema and the prefix of the store's tables. */
  up(schema: SchemaModule, transaction: Transaction<CheckoutTables>, place: TablePlace): Promise<void>;
}

const isStep = (value: unknown): boolean =>
  typeof readMember(value, 'name') === 'string' && typeof readMember(value, 'up') === 'function';

/** The schemas of the options that the stores of both databases have. */
export const sharedOptions = {
  tablePrefix: z.string(validNameRule).optional(),
  migrations: z
    .array(z.custom<Migration>(isStep, 'must be a step: { name, up }'), 'must be a list of steps: { name, up }')
    .default([]),
  migrate: z.boolean('must be true or false').optional(),
};

const migrateAdvice = 'run npx pay-invoice-server migrate, or open the store once with migrate: true';
/** How long a process waits for another one that runs the steps. */
const migrationLockTimeout = '10min';
/** How long a step waits for a table. Queries of other processes wait behind it. */
const tableLockTimeout = '5s';

/** The prefix of the names of the store's steps. An unknown one is of a newer release. */
const reservedPrefix = 'pay-invoice-';
const isOwnStep = ({ name }: Pick<Migration, 'name'>): boolean => name.startsWith(reservedPrefix);

export interface MigrationOptions {
  readonly clock?: Clock | undefined;
  /** false: the steps must have run before; nothing is changed. */
  readonly migrate?: boolean | undefined;
}

/**
 * Runs the steps that have not run in this database, in order, in one transaction. Other processes wait until it ends.
 * @throws Error when the tables are newer than the steps, or without `migrate` older; when a lock cannot be got in time
 */
export async function runMigrations(
  db: Kysely<CheckoutTables>,
  steps: readonly Migration[],
  place: TablePlace,
  { clock = systemClock, migrate = true }: MigrationOptions = {},
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const isPostgres = transaction.getExecutor().adapter instanceof PostgresAdapter;
    const { hasTables, missingRight } = await (isPostgres
      ? preparePostgres(transaction, place, migrate)
      : { hasTables: await hasSqliteTables(transaction, place), missingRight: undefined });
    const advice =
      missingRight === undefined
        ? `: ${migrateAdvice}`
        : `, and its user may not change that: run npx pay-invoice-server migrate as a user who may, or ${missingRight}`;
    const missing = (code: MissingStepsError['code'], text: string): Error =>
      missingRight === undefined ? new MissingStepsError(code, text + advice) : new Error(text + advice);
    if (!hasTables && (!migrate || missingRight !== undefined)) throw missing('tables_missing', 'it has no tables yet');
    // `create table if not exists` is not used, because it needs the right to create tables even when the table exists.
    if (!hasTables) await sql.raw(migrationsTable(place)).execute(transaction);
    const tables = transaction.$extendTables<{ migrations: { name: string; run_at: number } }>();
    const finishedSteps = new Set(
      (await tables.selectFrom('migrations').select('name').execute()).map(({ name }) => name),
    );
    const newerStep = [...finishedSteps].find(
      (name) => isOwnStep({ name }) && steps.every((step) => step.name !== name),
    );
    if (newerStep !== undefined)
      throw new Error(
        `its tables are newer than this release (${newerStep}): install the newer release, or restore a backup`,
      );
    const newSteps = steps.filter(({ name }) => !finishedSteps.has(name));
    const [firstStep] = newSteps;
    // The rights for tables of the shop's own are not known.
    if (firstStep !== undefined && (!migrate || (missingRight !== undefined && isOwnStep(firstStep))))
      throw missing('tables_older', `its tables are older than this release (without ${firstStep.name})`);
    for (const step of newSteps) {
      await step.up(transaction.schema, transaction, place).catch((error: unknown) => {
        // Not for a table that another program holds for a moment, and the shop knows its own steps.
        if (error instanceof StoreUnavailableError || !isOwnStep(step)) throw error;
        // Such as tables that exist, where the names of the steps that have made them are lost.
        throw new Error(
          `its tables cannot be changed by the step ${step.name} (${toError(error).message}): name another database, or restore a backup of this release`,
          { cause: error },
        );
      });
      await tables.insertInto('migrations').values({ name: step.name, run_at: clock.now() }).execute();
    }
  });
}

/** The statement that creates the table of the steps that have run. */
export function migrationsTable(place: TablePlace): string {
  return `create table ${qualifiedName(place, 'migrations')} (
  name text primary key,
  run_at bigint not null,
  checked_at bigint
)`;
}

/** Whether the store's tables exist in the SQLite file. The transaction has the write lock already. */
async function hasSqliteTables(transaction: Transaction<CheckoutTables>, place: TablePlace): Promise<boolean> {
  const table = qualifiedName(place, 'migrations');
  return (await sql`select 1 from pragma_table_info(${table})`.execute(transaction)).rows.length > 0;
}

/**
 * Locks other processes out until the transaction ends, and creates the schema if it is missing. Resolves with whether the
 * store's tables exist, and with the right without which this user can neither create nor change them.
 * @throws Error when the table `migrations` belongs to another program
 */
async function preparePostgres(
  transaction: Transaction<CheckoutTables>,
  place: TablePlace,
  migrate: boolean,
): Promise<{ readonly hasTables: boolean; readonly missingRight?: string | undefined }> {
  const { schema = '' } = place;
  const table = qualifiedName(place, 'migrations');
  await sql`set local statement_timeout = 0`.execute(transaction);
  if (migrate) {
    await sql.raw(`set local lock_timeout = '${migrationLockTimeout}'`).execute(transaction);
    await sql`select pg_advisory_xact_lock(hashtext('pay-invoice'), hashtext(${table}))`.execute(transaction);
    await sql.raw(`set local lock_timeout = '${tableLockTimeout}'`).execute(transaction);
  }
  const { rows } = await sql<{
    has_schema: boolean;
    has_table: boolean;
    is_own: boolean;
    missing_right: string | null;
  }>`
    select to_regnamespace(${schema}) is not null as has_schema, to_regclass(${table}) is not null as has_table,
      case
        when to_regnamespace(${schema}) is null and not has_database_privilege(current_database(), 'create')
          then format('grant create on database %I to %I', current_database(), current_user)
        when not has_schema_privilege(to_regnamespace(${schema})::oid, 'create')
          then format('grant create on schema %I to %I', ${schema}::text, current_user)
        when not pg_has_role((select relowner from pg_class where oid = to_regclass(${table})), 'usage')
          then format('make %I the owner of its tables', current_user)
      end as missing_right,
      exists (
        select 1 from pg_attribute where attrelid = to_regclass(${table}) and attname = 'run_at' and not attisdropped
      ) as is_own
  `.execute(transaction);
  const [state] = rows;
  const missingRight = state?.missing_right ?? undefined;
  if (state?.is_own === true) return { hasTables: true, missingRight };
  if (state?.has_table === true)
    throw new Error('its table migrations is of another program: choose another schema or tablePrefix');
  if (state?.has_schema !== true && migrate && missingRight === undefined)
    await transaction.schema.createSchema(schema).execute();
  return { hasTables: false, missingRight };
}
