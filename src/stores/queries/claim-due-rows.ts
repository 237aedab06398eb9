import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import type { Database } from '../database-interface.ts';
import type { CheckoutTables } from '../table-row-types.ts';

/** The tables whose rows are claimed, with their primary keys. */
const primaryKeys = { schedules: 'attempt_id', outcomes: 'id' } as const;

export interface Claim<T extends keyof typeof primaryKeys> {
  readonly table: T;
  /** The SQL condition of a row that may be claimed, besides `claimable_at`. */
  readonly condition: RawBuilder<unknown>;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
}

/**
 * In the `from` clause of an update in PostgreSQL, it makes the transaction of the update commit without waiting for the disk.
 * A test checks that PostgreSQL evaluates it in each of these updates.
 */
export const commitWithoutSync = sql<{ set_config: string }>`(select set_config('synchronous_commit', 'off', true))`;

/**
 * Claims up to `limit` rows whose `claimable_at` has come, earliest first, until `leaseUntil`. Resolves with them in any
 * order. Processes that claim at once skip each other's rows.
 */
export async function claimDueRows<T extends keyof typeof primaryKeys>(
  { writeWithoutSync, rowLocks }: Pick<Database, 'writeWithoutSync' | 'rowLocks'>,
  { table, condition, now, leaseUntil, limit }: Claim<T>,
): Promise<readonly Selectable<CheckoutTables[T]>[]> {
  const [from, key] = [sql.table(table), sql.ref(primaryKeys[table])];
  // Materialized: the planner could otherwise run the inner query once for each row, and claim more than the limit.
  const query = sql<Selectable<CheckoutTables[T]>>`with due as materialized (
    select ${key} from ${from} where claimable_at <= ${now} and ${condition}
    order by claimable_at limit ${limit} ${rowLocks ? sql`for update skip locked` : sql``}
  ) update ${from} set claimable_at = ${leaseUntil} ${rowLocks ? sql`from ${commitWithoutSync} as commit_setting` : sql``}
    where ${key} in (select ${key} from due) returning *`;
  const { rows } = await writeWithoutSync((connection: Kysely<CheckoutTables>) => query.execute(connection));
  return rows;
}
