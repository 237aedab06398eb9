// Fills the tables of the newest schema with statements that generate their own rows.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { CheckoutTables } from '../../src/stores/table-row-types.ts';
import type { Migration } from '../../src/stores/migrations/run-migrations.ts';

/** When the first checkout was created; each further checkout was created one second later. */
export const firstCreatedAt = 1_600_000_000_000;
/** How many checkouts are open: the newest one per cent. Their invoices are polled and have no outcome yet. */
export const openCount = (count: number): number => Math.ceil(count / 100);

export type Dialect = 'postgres' | 'sqlite';

/** Creates a final migration that fills the tables, because only migrations have no time limit. */
export function fillTables(dialect: Dialect, count: number): Migration {
  return {
    name: 'fill',
    async up(_, transaction) {
      // Foreign keys are not checked: that would take longer than the inserts.
      if (dialect === 'postgres') await sql`set local session_replication_role = replica`.execute(transaction);
      await fill(transaction, dialect, count);
    },
  };
}

/** Inserts `count` checkouts, each with an attempt, and with an outcome unless the checkout is open. */
async function fill(db: Kysely<CheckoutTables>, dialect: Dialect, count: number): Promise<void> {
  const series =
    dialect === 'postgres'
      ? sql`generate_series(1, ${sql.lit(count)}) as series(i)`
      : sql`(with recursive series(i) as (select 1 union all select i + 1 from series where i < ${sql.lit(count)}) select i from series)`;
  const createdAt = sql`${sql.lit(firstCreatedAt)} + i * cast(1000 as bigint)`;
  const isOpen = sql`i > ${sql.lit(count - openCount(count))}`;
  const runAt = sql`case when ${isOpen} then cast(i as bigint) end`;
  const paidAt = sql`case when not ${isOpen} then ${createdAt} end`;
  await sql`
    insert into ${sql.table('checkouts')} (id, capability, capability_at, order_id, hook_secret, params, actions, created_at, version, paid_external_id, paid_at, status, saved_at)
    select ${idExpression('co', dialect)}, ${idExpression('chk', dialect)}, ${createdAt}, ${idExpression('order', dialect)}, 'secret-of-22-characters', '{"orderId":"' || ${idExpression('order', dialect)} ||
      '","amount":"1500.00","amountLimits":null,"currency":"RUB","description":"Order with a description of usual length","successUrl":"https://shop.example/thanks","failUrl":null,"reference":null,"expiresAt":null,"metadata":null,"methods":null}',
      '[]', ${createdAt}, 3, case when not ${isOpen} then ${idExpression('ext', dialect)} end, ${paidAt}, case when ${isOpen} then 'pending' else 'paid' end, ${createdAt}
    from ${series}
  `.execute(db);
  await sql`
    insert into ${sql.table('attempts')} (external_id, checkout_id, position, keys, payment_method_id, method, attempt_amount, request,
      state, attempt_created_at, invoice, invoice_id, expires_at, service_status, status_history, outcome)
    select ${idExpression('ext', dialect)}, ${idExpression('co', dialect)}, 0, '[{"key":"00000000-0000-4000-8000-000000000000","fingerprint":"0123456789abcdef"}]',
      'pm_sbp', '{"type":"SBP"}', '1500.00', ${sql.lit(JSON.stringify(request))}, 'live', ${createdAt},
      ${sql.lit(JSON.stringify(invoice))}, ${idExpression('inv', dialect)}, ${createdAt} + 900000, 'PENDING', '[]', 'pending'
    from ${series}
  `.execute(db);
  await sql`
    insert into ${sql.table('schedules')} (attempt_id, call_count, lease_until, run_at, claimable_at, checked_at)
    select ${idExpression('ext', dialect)}, 1, 0, ${runAt}, ${runAt}, ${createdAt} from ${series}
  `.execute(db);
  await sql`
    insert into ${sql.table('outcomes')} (id, kind, order_id, checkout_id, external_id, invoice_id, amount, expected_amount, mode,
      occurred_at, sequence, claimable_at, delivered_at, position)
    select ${idExpression('out', dialect)}, 'paid', ${idExpression('order', dialect)}, ${idExpression('co', dialect)}, ${idExpression('ext', dialect)},
      ${idExpression('inv', dialect)}, '1500.00', '1500.00', 'LIVE', ${createdAt}, 1, ${createdAt},
      case when i % 1000 = 1 and i > ${sql.lit(count - 30_000)} then null else ${createdAt} end,
      case when i > ${sql.lit(count - openCount(count) - 3)} then null else i end
    from ${series} where not ${isOpen}
  `.execute(db);
  await sql`update ${sql.table('store')} set last_position = ${sql.lit(count)}`.execute(db);
  await sql`analyze`.execute(db);
}

/** The SQL expression of the identifier of row `i`. */
function idExpression(prefix: string, dialect: Dialect): RawBuilder<string> {
  return dialect === 'postgres'
    ? sql`${sql.lit(`${prefix}_`)} || i || ${sql.lit('_abcdefghijklmno')}`
    : sql`${sql.lit(`${prefix}_`)} || cast(i as integer) || ${sql.lit('_abcdefghijklmno')}`;
}

/** The identifier of row `i`, as `idExpression` creates it in SQL. */
export const idOf = (prefix: string, i: number): string => `${prefix}_${i}_abcdefghijklmno`;

const request = {
  amount: '1500.00',
  external_id: '00000000-0000-4000-8000-000000000000',
  payment_method_id: 'pm_sbp',
  mode: 'LIVE',
  url_config: { hook_url: 'https://shop.example/checkout/chk_0123456789012345678901/hook/0123456789012345678901' },
  metadata: { order_id: 'order_0000000' },
  qr: { generate: true, timeout: '4s' },
};
const invoice = {
  id: 'inv_0000000',
  amount: '1500.00',
  expires_at: '2026-11-20T10:15:00Z',
  payment_url: 'https://pay.example/inv_0000000',
  nspk_url: 'https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M?type=01&bank=000000000001&sum=150000&cur=RUB&crc=F3D0',
  sbp: { phone: '+79000000000', holder_name: 'Ivan I.', bank: { id: '100000000111', name: 'Bank' } },
};
