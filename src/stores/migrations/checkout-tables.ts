import { PostgresAdapter, sql } from 'kysely';
import {
  hotUpdatesMigration,
  invoiceClaimsMigration,
  schedulesMigration,
  viewedUntilMigration,
} from './attempt-schedules-table.ts';
import { collectStatistics, type Migration } from './run-migrations.ts';

/**
 * The steps that create the tables. A released step is never changed: a new step changes the tables instead. SQL texts name
 * tables with `sql.table` and `sql.ref`, and indexes are dropped with `on`, so that the names get their schema and prefix.
 */
export const checkoutMigrations: readonly Migration[] = [
  {
    name: 'checkout-1',
    async up(schema) {
      await schema
        .createTable('checkouts')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('hook_secret', 'text', (column) => column.notNull())
        .addColumn('terms', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('paid_external_id', 'text')
        .addColumn('saved_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createTable('attempts')
        .addColumn('external_id', 'text', (column) => column.primaryKey())
        .addColumn('checkout_id', 'text', (column) => column.notNull().references('checkouts.id'))
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('keys', 'text', (column) => column.notNull())
        .addColumn('payment_method_id', 'text', (column) => column.notNull())
        .addColumn('attempt_amount', 'text', (column) => column.notNull())
        .addColumn('request', 'text', (column) => column.notNull())
        .addColumn('stage', 'text', (column) => column.notNull())
        .addColumn('tries', 'integer', (column) => column.notNull())
        .addColumn('lease_until', 'bigint', (column) => column.notNull())
        .addColumn('replaced', 'integer', (column) => column.notNull())
        .addColumn('asked_at', 'bigint', (column) => column.notNull())
        .addColumn('invoice', 'text')
        .addColumn('invoice_id', 'text')
        .addColumn('expires_at', 'bigint')
        .addColumn('service_status', 'text')
        .addColumn('outcome', 'text', (column) => column.notNull())
        .addColumn('due_at', 'bigint')
        .addColumn('take_at', 'bigint')
        .addColumn('checked_at', 'bigint')
        .addColumn('refusal', 'text')
        .execute();
      await schema
        .createTable('outcomes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('order_id', 'text', (column) => column.notNull())
        .addColumn('checkout_id', 'text', (column) => column.notNull().references('checkouts.id'))
        .addColumn('external_id', 'text', (column) => column.notNull())
        .addColumn('invoice_id', 'text', (column) => column.notNull())
        .addColumn('amount', 'text', (column) => column.notNull())
        .addColumn('occurred_at', 'bigint', (column) => column.notNull())
        .addColumn('take_at', 'bigint', (column) => column.notNull())
        .addColumn('delivered_at', 'bigint')
        .execute();
      await schema.createIndex('checkouts_saved').on('checkouts').column('saved_at').execute();
      await schema.createIndex('attempts_of').on('attempts').columns(['checkout_id', 'position']).execute();
      await schema
        .createIndex('attempts_due')
        .on('attempts')
        .column('take_at')
        .where('take_at', 'is not', null)
        .execute();
      await schema
        .createIndex('outcomes_undelivered')
        .on('outcomes')
        .column('take_at')
        .where(sql.ref('delivered_at'), 'is', null)
        .execute();
    },
  },
  {
    // Columns, stages and outcome kinds get the names of the glossary in docs/development/architecture.md. Outcomes keep their ids.
    name: 'checkout-2',
    async up(schema, transaction) {
      await schema.alterTable('checkouts').renameColumn('terms', 'params').execute();
      await schema.alterTable('attempts').renameColumn('due_at', 'run_at').execute();
      await schema.alterTable('attempts').renameColumn('tries', 'call_count').execute();
      await schema.alterTable('attempts').renameColumn('asked_at', 'attempt_created_at').execute();
      await schema.alterTable('attempts').renameColumn('take_at', 'claimable_at').execute();
      await schema.alterTable('outcomes').renameColumn('take_at', 'claimable_at').execute();
      await sql`
        update ${sql.table('attempts')}
        set stage = case stage
          when 'asking' then 'creating' when 'unknown' then 'in_doubt' when 'made' then 'created' else 'rejected' end
      `.execute(transaction);
      await sql`
        update ${sql.table('outcomes')} set kind = 'duplicate_payment' where kind = 'paid_again'
      `.execute(transaction);
    },
  },
  {
    // Outcomes get the requested amount and the mode. Existing outcomes get them from their attempts.
    name: 'outcomes-1',
    async up(schema, transaction) {
      await schema.alterTable('outcomes').addColumn('expected_amount', 'text').execute();
      await schema.alterTable('outcomes').addColumn('mode', 'text').execute();
      // In JSON, quotes inside strings are escaped, so only the request's member `mode` matches.
      await sql`
        update ${sql.table('outcomes')} set
          expected_amount = coalesce((
            select attempt_amount from ${sql.table('attempts')} as attempt
            where attempt.external_id = ${sql.ref('outcomes.external_id')}
          ), amount),
          mode = case when exists (
            select 1 from ${sql.table('attempts')} as attempt
            where attempt.external_id = ${sql.ref('outcomes.external_id')} and request like '%"mode":"TEST"%'
          ) then 'TEST' else 'LIVE' end
      `.execute(transaction);
    },
  },
  {
    // One order has one checkout. When an older version has created several, the newest becomes the checkout of the order.
    name: 'orders-1',
    async up(schema, transaction) {
      await schema.alterTable('checkouts').addColumn('order_id', 'text').execute();
      const orderId =
        transaction.getExecutor().adapter instanceof PostgresAdapter
          ? sql`params::json ->> 'order_id'`
          : sql`json_extract(params, '$.order_id')`;
      await sql`
        update ${sql.table('checkouts')} set order_id = ranked.order_id
        from (
          select id, ${orderId} as order_id,
            row_number() over (partition by ${orderId} order by created_at desc, id desc) as place
          from ${sql.table('checkouts')}
        ) as ranked
        where ranked.id = ${sql.ref('checkouts.id')} and ranked.place = 1
      `.execute(transaction);
      await schema.createIndex('checkouts_of_order').unique().on('checkouts').column('order_id').execute();
    },
  },
  {
    // A purge reads checkouts by age, and outcomes by checkout.
    name: 'purge-1',
    async up(schema) {
      await schema.createIndex('checkouts_by_age').on('checkouts').columns(['created_at', 'id']).execute();
      await schema.createIndex('outcomes_of').on('outcomes').columns(['checkout_id', 'occurred_at']).execute();
    },
  },
  {
    // Outcomes of one checkout are delivered in order. Existing outcomes are numbered by their time.
    name: 'outcomes-2',
    async up(schema, transaction) {
      await schema.alterTable('outcomes').addColumn('sequence', 'integer').execute();
      await sql`
        update ${sql.table('outcomes')} set sequence = ranked.place
        from (
          select id, row_number() over (partition by checkout_id order by occurred_at, id) as place
          from ${sql.table('outcomes')}
        ) as ranked
        where ranked.id = ${sql.ref('outcomes.id')}
      `.execute(transaction);
      await schema.dropIndex('outcomes_of').on('outcomes').execute(); // the next index replaces it
      await schema
        .createIndex('outcomes_of_checkout')
        .unique()
        .on('outcomes')
        .columns(['checkout_id', 'sequence'])
        .execute();
      await schema
        .createIndex('outcomes_paid')
        .on('outcomes')
        .column('order_id')
        .where(sql.ref('kind'), '=', sql.lit('paid'))
        .execute();
    },
  },
  {
    // Processes on one SQLite file find saved checkouts by `saved_at`. PostgreSQL notifies its processes instead, and does not
    // need the index, because of which each save of a checkout writes to all indexes of the table.
    name: 'saved-at-1',
    async up(schema, transaction) {
      if (transaction.getExecutor().adapter instanceof PostgresAdapter)
        await schema.dropIndex('checkouts_saved').on('checkouts').execute();
    },
  },
  {
    // A checkout can be closed, and has the time of its payment. Existing checkouts get that time from their outcome. Attempts
    // get the payment method as the payer saw it.
    name: 'closing-1',
    async up(schema, transaction) {
      await schema.alterTable('checkouts').addColumn('paid_at', 'bigint').execute();
      await schema.alterTable('checkouts').addColumn('closed_at', 'bigint').execute();
      await schema.alterTable('attempts').addColumn('method', 'text').execute();
      await sql`
        update ${sql.table('checkouts')} set paid_at = (
          select min(occurred_at) from ${sql.table('outcomes')} as outcome
          where outcome.checkout_id = ${sql.ref('checkouts.id')} and kind in ('paid', 'duplicate_payment')
        )
        where paid_external_id is not null
      `.execute(transaction);
    },
  },
  schedulesMigration,
  {
    // The delivery of an outcome may be given up. Abandoned outcomes are kept, but not in the index of outcomes to deliver.
    name: 'outcomes-abandoned-1',
    async up(schema, transaction) {
      await schema.alterTable('outcomes').addColumn('abandoned_at', 'bigint').execute();
      await schema.dropIndex('outcomes_undelivered').on('outcomes').execute();
      await schema
        .createIndex('outcomes_to_deliver')
        .on('outcomes')
        .column('claimable_at')
        .where(sql.ref('delivered_at'), 'is', null)
        .where(sql.ref('abandoned_at'), 'is', null)
        .execute();
      await schema
        .createIndex('outcomes_abandoned')
        .on('outcomes')
        .column('abandoned_at')
        .where(sql.ref('abandoned_at'), 'is not', null)
        .execute();
      await collectStatistics(transaction, 'outcomes');
    },
  },
  hotUpdatesMigration,
  viewedUntilMigration,
  invoiceClaimsMigration,
];
