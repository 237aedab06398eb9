import type { Kysely } from 'kysely';
import { rejectAfter } from '../base/clock.ts';
import { StoreUnavailableError, type CheckoutStore, type MerchantTransaction, type NewOutcome } from '../server.ts';
import { InvoiceClaimedError, type CheckoutRecord, type SaveListener } from '../server-internals.ts';
import { listCheckouts, selectRecords, toRecord } from './queries/select-records.ts';
import { inTransaction, type Database } from './database.ts';
import { createOutcomeQueries, insertOutcome } from './queries/outcomes.ts';
import { insertCheckout, loadByOrderIn, saveAttempts, updateCheckoutIn } from './queries/save-checkout.ts';
import { purgeBatch } from './queries/purge.ts';
import { createScheduleQueries } from './queries/attempt-schedules.ts';
import type { CheckoutTables } from './table-row-types.ts';

/** A checkout store in an SQL database, which the application may use for its own tables too. */
export interface SqlStore extends CheckoutStore {
  /**
   * The database, for the application's own queries (Kysely; `$extendTables` adds the types of the application's tables). On
   * PostgreSQL it has two connections of its own, and one use of a connection may take 30 s.
   */
  readonly db: Kysely<CheckoutTables>;
  /** Resolves when the database can read and store. @throws StoreUnavailableError when it cannot within 1.5 s. */
  check(): Promise<void>;
  /** Closes the connections. The store cannot be used afterwards. */
  close(): Promise<void>;
}

/**
 * The maximum time after a new connection of the listener in which an earlier commit may still take effect, in milliseconds. A
 * database that was suspended executes the commits that it has received when it resumes, perhaps after it has accepted the new
 * connection.
 */
const lateCommitMs = 1000;

/** Creates the checkout server's store on an open SQLite or PostgreSQL database. */
export function createSqlStore(database: Database): SqlStore {
  const { db, appDb, selectFirst, write } = database;
  /** The queries are compiled only once, because every read of a payer and every new order runs one of them. */
  const loadQuery = selectRecords(db).where('checkouts.id', '=', '').compile();
  const orderQuery = selectRecords(db).where('order_id', '=', '').compile();
  const subscriptions = new Set<{ readonly listener: SaveListener; readonly lost: () => void }>();
  const notify: SaveListener = (checkoutId, hasOutcomes) => {
    for (const { listener } of subscriptions) listener(checkoutId, hasOutcomes);
  };
  /** Whether a save has failed since the last `notifyLost`. A failed save may nevertheless be committed. */
  let isSaveInDoubt = false;
  const notifyLost = (): void => {
    for (const { lost } of subscriptions) lost();
    if (isSaveInDoubt) database.machineClock.schedule(lateCommitMs, notifyLost, true);
    isSaveInDoubt = false;
  };
  let stopListening: (() => void) | undefined;
  const endListening = (): void => {
    stopListening?.();
    stopListening = undefined;
  };

  return {
    db: appDb,
    clock: database.clock,
    async check() {
      const timeout = (): Error => new StoreUnavailableError('timeout');
      await rejectAfter(database.machineClock, checkTimeoutMs, database.check(), timeout);
    },
    close() {
      endListening(); // otherwise the connection that listens would stay open
      return database.close();
    },

    async insert(checkout, transaction) {
      const insertIn = (openTransaction: MerchantTransaction): Promise<boolean> =>
        insertCheckout(database, openTransaction, checkout);
      return transaction === undefined ? write(() => inTransaction(db, insertIn), 'order') : insertIn(transaction);
    },

    async loadByOrder(orderId, transaction) {
      if (transaction !== undefined) return loadByOrderIn(db, transaction, orderId);
      return toRecord(await selectFirst({ ...orderQuery, parameters: [orderId] }, 'look'));
    },

    async load(id, { purpose } = {}) {
      return toRecord(await selectFirst({ ...loadQuery, parameters: [id] }, purpose));
    },

    async save(checkout, outcomes, { loaded, transaction } = {}) {
      if (transaction !== undefined) return updateCheckoutIn(database, transaction, checkout);
      let isSaved = true; // a commit whose response was lost may have succeeded
      try {
        isSaved = await write(() => saveInTransaction(database, checkout, outcomes, loaded));
        return isSaved;
      } catch (error) {
        if (isClaimViolation(error)) {
          isSaved = false;
          throw new InvoiceClaimedError({ cause: error });
        }
        isSaveInDoubt = true;
        throw error;
      } finally {
        if (isSaved) notify(checkout.id, outcomes.length > 0);
      }
    },

    list: (query) => listCheckouts(database, query),

    ...createScheduleQueries(database),
    ...createOutcomeQueries(database),

    purge: (batch) => purgeBatch(database, batch),

    subscribe(listener, lost = () => undefined) {
      const subscription = { listener, lost };
      subscriptions.add(subscription);
      stopListening ??= database.listen(notify, notifyLost);
      return () => {
        subscriptions.delete(subscription);
        if (subscriptions.size === 0) endListening();
      };
    },
  };
}

/** How long `check` waits, in milliseconds. */
const checkTimeoutMs = 1500;

/** Whether a database refused a second claim of an invoice: PostgreSQL names the index, and SQLite names the column. */
function isClaimViolation(error: unknown): boolean {
  return error instanceof Error && /invoice_claimed|claimed_invoice_id/.test(error.message);
}

/**
 * Saves a checkout. The transaction's first write checks the version, so that the second of two concurrent saves changes
 * nothing. Attempts that are as they were loaded are not written: their schedules may have changed since.
 */
async function saveInTransaction(
  database: Database,
  checkout: CheckoutRecord,
  outcomes: readonly NewOutcome[],
  loaded: CheckoutRecord | undefined,
): Promise<boolean> {
  return inTransaction(database.db, async (transaction) => {
    if (!(await updateCheckoutIn(database, transaction, checkout, outcomes.length > 0, true))) return false;
    const changed = checkout.attempts.filter((attempt) => loaded?.attempts.includes(attempt) !== true);
    await saveAttempts(transaction, checkout, changed, database.hasRowLocks);
    for (const outcome of outcomes) await insertOutcome(transaction, outcome);
    return true;
  });
}
