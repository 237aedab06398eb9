import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import type { Database } from '../database.ts';
import type { CheckoutTables } from '../table-row-types.ts';

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
