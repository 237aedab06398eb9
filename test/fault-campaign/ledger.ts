import type { Selectable } from 'kysely';
import { openDatabase, type DatabaseLocation } from '../support/open-database.ts';
import type { AttemptsTable, CheckoutsTable, OutcomesTable, SchedulesTable } from '../../src/stores/table-row-types.ts';

/** A row of the shop's own table. */
export interface Payment {
  readonly outcome_id: string;
  readonly order_id: string;
  readonly kind: string;
  readonly invoice_id: string;
}

/** The rows of the shop's database. */
export interface LedgerEntries {
  readonly checkouts: readonly Selectable<CheckoutsTable>[];
  readonly attempts: readonly (Selectable<AttemptsTable> & Selectable<SchedulesTable>)[];
  readonly outcomes: readonly Selectable<OutcomesTable>[];
  /** The rows of the shop's own table. The other tables belong to the checkout server. */
  readonly payments: readonly Payment[];
}

/** Opens a second connection to the shop's database for reading. */
export async function openLedger(location: DatabaseLocation) {
  const database = await openDatabase(location, []);
  const { db } = database;
  const shop = db.withTables<{ order_payments: Payment }>();
  return {
    close: () => database.close(),
    async read(): Promise<LedgerEntries> {
      const checkouts = await db.selectFrom('checkouts').selectAll().execute();
      const attempts = await db
        .selectFrom('attempts')
        .innerJoin('schedules', 'schedules.attempt_id', 'attempts.external_id')
        .selectAll()
        .orderBy('position')
        .execute();
      const outcomes = await db.selectFrom('outcomes').selectAll().execute();
      const payments = await shop.selectFrom('order_payments').selectAll().execute();
      return { checkouts, attempts, outcomes, payments };
    },
  };
}

export type Ledger = Awaited<ReturnType<typeof openLedger>>;
