import { sql, type Kysely } from 'kysely';
import type { CheckoutStore } from '../../server.ts';
import type { Reschedule } from '../../server-internals.ts';
import type { CheckoutTables } from '../table-row-types.ts';
import { inTransaction, type Database } from '../database.ts';
import { claimDueRows, commitWithoutSync } from './claim-due-rows.ts';

// Schedules: when attempts are handled next, and by which process. Changes of schedules do not change the version of a
// checkout.

/** The methods of the store that read and change schedules. */
type ScheduleQueries = Pick<
  CheckoutStore,
  'claimDueAttempts' | 'reschedule' | 'expedite' | 'expediteUnresolved' | 'shiftSchedule' | 'noteTime' | 'nextRunAt'
>;

export function createScheduleQueries(database: Database): ScheduleQueries {
  const { db, writeWithoutSync, read, write, hasRowLocks } = database;
  /** The additional sources in the `from` clause of an update. */
  const commitSetting = hasRowLocks ? [commitWithoutSync.as<'commit_setting'>(sql`commit_setting`)] : [];
  return {
    async claimDueAttempts(now, leaseUntil, limit, checkoutIds) {
      const condition =
        checkoutIds === undefined
          ? sql`claimable_at is not null`
          : sql`attempt_id in (${db.selectFrom('attempts').select('external_id').where('checkout_id', 'in', checkoutIds)})`;
      const claimed = await claimDueRows(database, { table: 'schedules', condition, now, leaseUntil, limit });
      if (claimed.length === 0) return [];
      const ids = claimed.map(({ attempt_id }) => attempt_id);
      const attempts = new Map(
        (await read(() => selectAttempts(db, ids))).map((attempt) => [attempt.externalId, attempt]),
      );
      return claimed
        .flatMap(
          ({ attempt_id, answered_at: answeredAt, checked_at: checkedAt, run_at, viewed_until: viewedUntil }) => {
            const attempt = attempts.get(attempt_id);
            if (attempt === undefined) return []; // deleted after the claim
            const { checkoutId, externalId, createdAt, invoiceId, state, serviceStatus, outcome, expiresAt } = attempt;
            const due = { checkoutId, externalId, createdAt, runAt: run_at ?? now, claimedUntil: leaseUntil };
            if (invoiceId === null || outcome === null) return { ...due, invoiceId: null };
            const isHidden = state === 'hidden';
            return {
              ...due,
              invoiceId,
              isHidden,
              serviceStatus,
              outcome,
              expiresAt,
              answeredAt,
              checkedAt,
              viewedUntil,
            };
          },
        )
        .sort((left, right) => left.runAt - right.runAt);
    },

    async reschedule(changes) {
      if (changes.length === 0) return;
      await writeWithoutSync((connection) =>
        connection
          .updateTable('schedules')
          .from([changesTable(changes), ...commitSetting])
          .set((from) => ({
            run_at: newRunAt,
            claimable_at: newRunAt,
            answered_at: from.ref('changes.column3'),
            checked_at: from.ref('changes.column6'),
          }))
          .whereRef('schedules.attempt_id', '=', 'changes.column1')
          // A change under a lease that is no longer held is dropped.
          .where((where) =>
            where.or([
              where('changes.column4', 'is', null),
              where('schedules.claimable_at', '=', where.ref('changes.column4')),
            ]),
          )
          .execute(),
      );
    },

    async expedite(checkoutIds, at, viewedUntil, isRequested = false) {
      if (checkoutIds.length === 0) return;
      const newViewedUntil = sql<number | null>`cast(${viewedUntil ?? null} as bigint)`;
      const isClaimed = sql<boolean>`(claimable_at is distinct from run_at)`;
      const isDueLater = sql<boolean>`(run_at is null or (${isClaimed} and run_at < ${at}) or (not ${isClaimed} and run_at > ${at}))`;
      const isViewedLonger = sql<boolean>`coalesce(viewed_until, 0) < ${newViewedUntil}`;
      await writeWithoutSync((connection) =>
        connection
          .updateTable('schedules')
          .$if(hasRowLocks, (update) => update.from(commitSetting))
          .set({
            run_at: sql<number>`case when ${isDueLater} then ${at} else run_at end`,
            claimable_at: sql<number>`case when ${isDueLater} and not ${isClaimed} then ${at} else claimable_at end`,
            viewed_until: sql<number>`case when ${isViewedLonger} then ${newViewedUntil} else viewed_until end`,
          })
          .where('attempt_id', 'in', (from) =>
            from
              .selectFrom('attempts')
              .select('external_id')
              .where('checkout_id', 'in', checkoutIds)
              .where('invoice_id', 'is not', null)
              .$if(!isRequested, (attempts) => attempts.where('outcome', '=', 'pending'))
              .$if(isRequested, (attempts) => attempts.where('reason', 'is distinct from', 'foreign_invoice')),
          )
          .$if(!isRequested, (update) => update.where('run_at', 'is not', null))
          .where((where) => where.or([isDueLater, isViewedLonger]))
          .execute(),
      );
    },

    async expediteUnresolved(words, at) {
      if (words.length === 0) return;
      await write(() =>
        db
          .updateTable('schedules')
          .set({ run_at: at, claimable_at: at })
          .where('attempt_id', 'in', (from) =>
            from
              .selectFrom('attempts')
              .select('external_id')
              .where('outcome', '=', sql.lit('unresolved'))
              .where((where) =>
                where(where.fn<string>('lower', [where.fn<string>('trim', ['service_status'])]), 'in', words),
              ),
          )
          .execute(),
      );
    },

    shiftSchedule: (after, ms) => write(() => shiftSchedule(database, after, ms)),

    async noteTime(now) {
      const query = db.selectFrom('store').select('seen_at');
      const { seen_at } = await read(() => query.executeTakeFirstOrThrow());
      await writeWithoutSync((connection) =>
        connection
          .updateTable('store')
          .$if(hasRowLocks, (update) => update.from(commitSetting))
          .set({ seen_at: now })
          .execute(),
      );
      return seen_at ?? undefined;
    },

    async nextRunAt() {
      const row = await db
        .selectFrom('schedules')
        .select('claimable_at')
        .where('claimable_at', 'is not', null)
        .orderBy('claimable_at')
        .limit(1)
        .executeTakeFirst();
      return row?.claimable_at ?? undefined;
    },
  };
}

function selectAttempts(db: Kysely<CheckoutTables>, ids: readonly string[]) {
  return db
    .selectFrom('attempts')
    .select([
      'checkout_id as checkoutId',
      'external_id as externalId',
      'invoice_id as invoiceId',
      'state',
      'service_status as serviceStatus',
      'outcome',
      'attempt_created_at as createdAt',
      'expires_at as expiresAt',
    ])
    .where('external_id', 'in', ids)
    .execute();
}

/** The new `run_at`: a time that was stored during the claim is kept when it is earlier. */
const newRunAt = sql<number | null>`case
  when changes.column5 is not null and run_at is not null and run_at <> changes.column5
    and (changes.column2 is null or run_at < changes.column2) then run_at
  else changes.column2 end`;

/**
 * The changes as a SQL table, so that one statement applies all of them. Both databases name its columns `column1`, `column2` …
 */
function changesTable(changes: readonly Reschedule[]) {
  const rows = changes.map(
    ({ externalId, runAt, answeredAt, checkedAt, claimedUntil, claimedRunAt = null }) =>
      sql`(cast(${externalId} as text), cast(${runAt} as bigint), cast(${answeredAt} as bigint), cast(${claimedUntil} as bigint), cast(${claimedRunAt} as bigint), cast(${checkedAt} as bigint))`,
  );
  return sql<{
    column1: string;
    column2: number | null;
    column3: number | null;
    column4: number | null;
    column6: number | null;
  }>`(values ${sql.join(rows)})`.as<'changes'>(sql`changes`);
}

/**
 * Adds `ms` to the times of every schedule and undelivered outcome that can be claimed later than `after`, because the clock of
 * these times has stepped.
 */
async function shiftSchedule({ db, clock }: Database, after: number, ms: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await transaction
      .updateTable('schedules')
      .set((column) => ({
        claimable_at: column('claimable_at', '+', ms),
        run_at: column('run_at', '+', ms),
        lease_until: sql<number>`case when lease_until = 0 then 0 else lease_until + ${sql.lit(ms)} end`,
        answered_at: column('answered_at', '+', ms),
        checked_at: column('checked_at', '+', ms),
        viewed_until: column('viewed_until', '+', ms),
      }))
      .where('claimable_at', '>', after)
      .execute();
    await transaction
      .updateTable('outcomes')
      .set((column) => ({ claimable_at: column('claimable_at', '+', ms) }))
      .where('claimable_at', '>', after)
      .where('delivered_at', 'is', null)
      .where('abandoned_at', 'is', null)
      .execute();
    // In SQLite, processes on the same file find saved checkouts by `saved_at`.
    if (clock === undefined)
      await transaction
        .updateTable('checkouts')
        .set((column) => ({ saved_at: column('saved_at', '+', ms) }))
        .where('saved_at', '>', after)
        .execute();
  });
}
