import { sql, type Kysely } from 'kysely';
import {
  StoreUnavailableError,
  type CheckoutRecord,
  type CheckoutStore,
  type MerchantTransaction,
  type NewOutcome,
  type SaveListener,
} from '../server.ts';
import { toCheckoutRow } from './map-records-to-rows.ts';
import { isUnchanged, selectIfChanged, selectRecords, toRecord } from './queries/select-records.ts';
import type { Database } from './database-interface.ts';
import {
  createAbandonedOutcomeQueries,
  createOutcomeQueries,
  insertOutcome,
  lockOrderAndCheckPaid,
} from './queries/outcomes.ts';
import { insertCheckout, loadByOrderIn, saveAttempts } from './queries/save-checkout.ts';
import { purgeBatch } from './queries/purge.ts';
import { createScheduleQueries } from './queries/schedules.ts';
import type { CheckoutTables } from './table-row-types.ts';

/** A checkout store in an SQL database, which the application may use for its own tables too. */
export interface SqlStore extends CheckoutStore {
  /** The database, for queries of the application's own (Kysely; `withTables` adds their types). */
  readonly db: Kysely<CheckoutTables>;
  /** Resolves when the database answers. @throws StoreUnavailableError when it does not within 1.5 s. */
  check(): Promise<void>;
  /** Closes the connections. The store cannot be used after it. */
  close(): Promise<void>;
}

/**
 * How much later than the new connection of the listener a commit may take effect, at most, in milliseconds. A database that
 * was suspended performs the commits that it had received when it resumes, perhaps after it has accepted that connection.
 */
const lateCommitMs = 1000;

/** The checkout server's store in SQL, for one of the databases of `database.ts`. */
export function createSqlStore(database: Database): SqlStore {
  const { db, selectFirst, write } = database;
  /** Compiled once, because every read of a payer runs one of these queries. */
  const loadQuery = selectRecords(db).where('checkouts.id', '=', '').compile();
  const ifChangedQuery = selectIfChanged(db);
  const listeners = new Set<{ readonly listener: SaveListener; readonly lost: () => void }>();
  const notify: SaveListener = (checkoutId, hasOutcomes) => {
    for (const { listener } of listeners) listener(checkoutId, hasOutcomes);
  };
  /** Whether a save has failed since the last `notifyLost`: it may be committed all the same. */
  let isSaveInDoubt = false;
  const notifyLost = (): void => {
    for (const { lost } of listeners) lost();
    if (isSaveInDoubt) setTimeout(notifyLost, lateCommitMs).unref();
    isSaveInDoubt = false;
  };
  let stopListening: (() => void) | undefined;
  const endListening = (): void => {
    stopListening?.();
    stopListening = undefined;
  };

  return {
    db,
    clock: database.clock,
    check: () => answersInTime(sql`select 1`.execute(db)),
    close() {
      endListening(); // otherwise the connection that listens would stay open
      return database.close();
    },

    async insert(checkout, transaction) {
      const insertIn = (opened: MerchantTransaction): Promise<boolean> => insertCheckout(db, opened, checkout);
      return transaction === undefined ? db.transaction().execute(insertIn) : insertIn(transaction);
    },

    async loadByOrder(orderId, transaction) {
      if (transaction !== undefined) return loadByOrderIn(db, transaction, orderId);
      return toRecord(await selectFirst(selectRecords(db).where('order_id', '=', orderId).compile()));
    },

    async load(id) {
      return toRecord(await selectFirst({ ...loadQuery, parameters: [id] }));
    },

    async loadIfChanged(id, version) {
      const row = await selectFirst({ ...ifChangedQuery, parameters: [version, id] });
      return isUnchanged(row) ? 'unchanged' : toRecord(row);
    },

    async save(checkout, outcomes) {
      let isSaved = true; // a commit whose response was lost may have succeeded
      try {
        isSaved = await write(() => saveInTransaction(database, checkout, outcomes));
        return isSaved;
      } catch (error) {
        isSaveInDoubt = true;
        throw error;
      } finally {
        if (isSaved) notify(checkout.id, outcomes.length > 0);
      }
    },

    ...createScheduleQueries(database),
    ...createOutcomeQueries(database),
    ...createAbandonedOutcomeQueries(database),

    purge: (batch) => purgeBatch(database, batch),

    subscribe(listener, lost = () => undefined) {
      const entry = { listener, lost };
      listeners.add(entry);
      stopListening ??= database.listen(notify, notifyLost);
      return () => {
        listeners.delete(entry);
        if (listeners.size === 0) endListening();
      };
    },
  };
}

/** How long `check` waits, in milliseconds. */
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
    if (paid !== undefined && (await lockOrderAndCheckPaid(database, transaction, paid))) return false;
    const { numUpdatedRows } = await transaction
      .updateTable('checkouts')
      .set(toCheckoutRow(checkout, Date.now()))
      .where('id', '=', checkout.id)
      .where('version', '=', checkout.version - 1)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await saveAttempts(transaction, checkout);
    for (const outcome of outcomes) await insertOutcome(transaction, outcome);
    await database.notifySaved(transaction, checkout.id, outcomes.length > 0);
    return true;
  });
}
