import { sql, type Kysely } from 'kysely';
import {
  StoreUnavailableError,
  type CheckoutRecord,
  type CheckoutStore,
  type MerchantTransaction,
  type NewOutcome,
  type Reschedule,
  type SaveListener,
} from '../server.ts';
import { toAttemptRows, toCheckoutRow, toRecord, type JoinedRow } from './checkout-rows.ts';
import type { Database } from './database.ts';
import { createOutcomeQueries, insertOutcome, isPaidElsewhere } from './outcome-queries.ts';
import { insertCheckout, loadByOrderIn } from './merchant-transaction.ts';
import { purgeBatch } from './purge-queries.ts';
import { shiftSchedule } from './reschedule-after-clock-step.ts';
import type { CheckoutTables } from './checkout-schema.ts';

/** A checkout store in an SQL database, which the application may use for its own tables too. */
export interface SqlStore extends CheckoutStore {
  /** The database, for queries of the application's own (Kysely; `withTables` adds their types). */
  readonly db: Kysely<CheckoutTables>;
  /** Resolves when the database answers. @throws StoreUnavailableError when it does not within 1.5 s. */
  check(): Promise<void>;
  /** Closes the connections. The store cannot be used after it. */
  close(): Promise<void>;
}

/** The checkout server's store in SQL, for one of the databases of `database.ts`. */
export function createSqlStore(database: Database): SqlStore {
  const { db, rowLocks, writeWithoutSync: lightly, read, write } = database;
  /** Compiled once: every poll of a payer runs it. */
  const loadQuery = db
    .selectFrom('checkouts')
    .leftJoin('attempts', 'attempts.checkout_id', 'checkouts.id')
    .selectAll()
    .where('checkouts.id', '=', '')
    .orderBy('attempts.position')
    .compile();
  const listeners = new Set<{ readonly listener: SaveListener; readonly lost: () => void }>();
  const notify: SaveListener = (checkoutId, hasOutcomes) => {
    for (const { listener } of listeners) listener(checkoutId, hasOutcomes);
  };
  const notifyLost = (): void => {
    for (const { lost } of listeners) lost();
  };
  let stopListening: (() => void) | undefined;

  return {
    db,
    clock: database.clock,
    check: () => answersInTime(sql`select 1`.execute(db)),
    close: () => database.close(),

    async insert(checkout, transaction) {
      const insertIn = (one: MerchantTransaction): Promise<boolean> => insertCheckout(db, one, checkout);
      return transaction === undefined ? db.transaction().execute(insertIn) : insertIn(transaction);
    },

    async loadByOrder(orderId, transaction) {
      if (transaction !== undefined) return loadByOrderIn(db, transaction, orderId);
      const row = await read(() =>
        db.selectFrom('checkouts').select('id').where('order_id', '=', orderId).executeTakeFirst(),
      );
      return row && this.load(row.id);
    },

    async load(id) {
      const { rows } = await read(() => db.executeQuery<JoinedRow>({ ...loadQuery, parameters: [id] }));
      return toRecord(rows);
    },

    async save(checkout, outcomes) {
      let isSaved = true; // a commit whose response was lost may have succeeded
      try {
        isSaved = await write(() => saveInTransaction(database, checkout, outcomes));
        return isSaved;
      } finally {
        if (isSaved) notify(checkout.id, outcomes.length > 0);
      }
    },

    async claimDueAttempts(now, leaseUntil, limit) {
      // Materialized: a planner that ran the inner query once per row would claim more than the limit.
      const claimed = await lightly((connection) =>
        connection
          .with(
            (cte) => cte('due').materialized(),
            (from) =>
              from
                .selectFrom('attempts')
                .select('external_id')
                .where('claimable_at', '<=', now)
                .orderBy('claimable_at')
                .limit(limit)
                .$if(rowLocks, (query) => query.forUpdate().skipLocked()),
          )
          .updateTable('attempts')
          .set({ claimable_at: leaseUntil })
          .where('external_id', 'in', (from) => from.selectFrom('due').select('external_id'))
          .returning([
            'checkout_id as checkoutId',
            'external_id as externalId',
            'stage',
            'invoice_id as invoiceId',
            'service_status as serviceStatus',
            'outcome',
            'attempt_created_at as createdAt',
            'expires_at as expiresAt',
            'checked_at as checkedAt',
            'run_at as runAt',
          ])
          .execute(),
      );
      return claimed
        .map((row) => ({ ...row, runAt: row.runAt ?? now, claimedUntil: leaseUntil }))
        .sort((a, b) => a.runAt - b.runAt);
    },

    async reschedule(changes) {
      if (changes.length === 0) return;
      await lightly((connection) =>
        connection
          .updateTable('attempts')
          .from(asRows(changes))
          .set((from) => ({
            run_at: from.ref('changes.column2'),
            claimable_at: from.ref('changes.column2'),
            checked_at: from.ref('changes.column3'),
          }))
          .whereRef('attempts.external_id', '=', 'changes.column1')
          // A change under a lease that is no longer held is dropped.
          .where((where) =>
            where.or([
              where('changes.column4', 'is', null),
              where('attempts.claimable_at', '=', where.ref('changes.column4')),
            ]),
          )
          .execute(),
      );
    },

    async expedite(checkoutIds, at) {
      if (checkoutIds.length === 0) return;
      await lightly((connection) =>
        connection
          .updateTable('attempts')
          .set({ run_at: at, claimable_at: at })
          .where('checkout_id', 'in', checkoutIds)
          .where('run_at', '>', at)
          .execute(),
      );
    },

    async renewAttemptLease(externalId, callCount, leaseUntil) {
      await db
        .updateTable('attempts')
        .set({ lease_until: leaseUntil, run_at: leaseUntil, claimable_at: leaseUntil })
        .where('external_id', '=', externalId)
        .where('call_count', '=', callCount)
        .where('lease_until', '>', 0)
        .execute();
    },

    shiftSchedule: (after, ms) => write(() => shiftSchedule(database, after, ms)),

    async nextRunAt() {
      const row = await db
        .selectFrom('attempts')
        .select('claimable_at')
        .where('claimable_at', 'is not', null)
        .orderBy('claimable_at')
        .limit(1)
        .executeTakeFirst();
      return row?.claimable_at ?? undefined;
    },

    ...createOutcomeQueries(database),

    purge: (batch) => purgeBatch(database, batch),

    subscribe(listener, lost = () => undefined) {
      const entry = { listener, lost };
      listeners.add(entry);
      stopListening ??= database.listen(notify, notifyLost);
      return () => {
        listeners.delete(entry);
        if (listeners.size > 0) return;
        stopListening?.();
        stopListening = undefined;
      };
    },
  };
}

/** How long `check` waits. */
const checkMs = 1500;

async function answersInTime(query: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailableError('timeout')), checkMs);
  });
  await Promise.race([query, timeout]).finally(() => clearTimeout(timer));
}

/** Checks the version in the transaction's first write, so that the second of two concurrent saves changes nothing. */
async function saveInTransaction(
  database: Database,
  checkout: CheckoutRecord,
  outcomes: readonly NewOutcome[],
): Promise<boolean> {
  return database.db.transaction().execute(async (transaction) => {
    const paid = outcomes.find(({ kind }) => kind === 'paid');
    if (paid !== undefined && (await isPaidElsewhere(database, transaction, paid))) return false;
    const { numUpdatedRows } = await transaction
      .updateTable('checkouts')
      .set(toCheckoutRow(checkout, Date.now()))
      .where('id', '=', checkout.id)
      .where('version', '=', checkout.version - 1)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    for (const attempt of toAttemptRows(checkout))
      await transaction
        .insertInto('attempts')
        .values(attempt)
        .onConflict((conflict) => conflict.column('external_id').doUpdateSet(attempt))
        .execute();
    for (const outcome of outcomes) await insertOutcome(transaction, outcome);
    await database.announce(transaction, checkout.id, outcomes.length > 0);
    return true;
  });
}

/** The changes as a table, so that one statement applies them all. `column1` … are its columns in both databases. */
function asRows(changes: readonly Reschedule[]) {
  const rows = changes.map(
    ({ externalId, runAt, checkedAt, claimedUntil }) =>
      sql`(cast(${externalId} as text), cast(${runAt} as bigint), cast(${checkedAt} as bigint), cast(${claimedUntil} as bigint))`,
  );
  return sql<{
    column1: string;
    column2: number | null;
    column3: number | null;
    column4: number | null;
  }>`(values ${sql.join(rows)})`.as<'changes'>(sql`changes`);
}
