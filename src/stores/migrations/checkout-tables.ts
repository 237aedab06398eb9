import { PostgresAdapter, sql } from 'kysely';
import { z } from 'zod';
import { checkOptions, strictObject } from '../../server/domain/strict-object.ts';
import { type Migration, migrationsTable } from './run-migrations.ts';
import { qualifiedName, type TablePlace, placeOf } from '../table-names.ts';

/** The schema of the first release. `@name` is a table of the store, and `#name` an index or a constraint. */
const tables = `
create table @checkouts (
  id text primary key,
  capability text not null,
  capability_at bigint not null,
  hook_secret text not null,
  params text not null,
  created_at bigint not null,
  version integer not null,
  paid_external_id text,
  paid_at bigint,
  closed_at bigint,
  actions text not null,
  status text not null,
  closes_at bigint,
  order_id text not null,
  reference text,
  saved_at bigint not null,
  constraint #checkouts_of_order unique (order_id),
  constraint #checkouts_status check (status in ('open', 'pending', 'paid', 'failed', 'expired')),
  constraint #checkouts_version check (version > 0),
  constraint #checkouts_paid check ((paid_external_id is null) = (paid_at is null))
);

create table @attempts (
  external_id text primary key,
  checkout_id text not null references @checkouts (id),
  position integer not null,
  keys text not null,
  payment_method_id text not null,
  method text,
  attempt_amount text not null,
  request text not null,
  state text not null,
  reason text,
  resolution text,
  attempt_created_at bigint not null,
  invoice text,
  invoice_id text,
  expires_at bigint,
  service_status text,
  status_history text,
  outcome text,
  paid_amount text,
  claimed_invoice_id text,
  constraint #attempts_state check (state in ('creating', 'in_doubt', 'unresolved', 'rejected', 'hidden', 'live')),
  constraint #attempts_reason check (case state
    when 'rejected' then reason is not null and reason in ('method_unavailable', 'amount_out_of_limits', 'try_again')
    when 'hidden' then reason is not null
      and reason in ('mismatch', 'not_payable', 'second_invoice', 'foreign_invoice')
    else reason is null end),
  constraint #attempts_outcome check (outcome in
    ('pending', 'unresolved', 'paid', 'amount_mismatch', 'test_payment', 'failed', 'expired')),
  constraint #attempts_known check ((state in ('live', 'hidden')) = (invoice is not null)),
  constraint #attempts_ended check ((invoice is null) = (outcome is null)),
  constraint #attempts_paid
    check ((paid_amount is not null) = (coalesce(outcome, '') in ('paid', 'amount_mismatch', 'test_payment'))),
  constraint #attempts_history check ((invoice is null) = (status_history is null)),
  constraint #attempts_invoice check ((invoice is null) = (invoice_id is null)),
  constraint #attempts_amount check ({is_amount attempt_amount}),
  constraint #attempts_paid_amount check ({is_amount paid_amount})
);

create table @schedules (
  attempt_id text primary key references @attempts (external_id),
  call_count integer not null,
  lease_until bigint not null,
  run_at bigint,
  claimable_at bigint,
  answered_at bigint,
  checked_at bigint,
  viewed_until bigint
);

create table @outcomes (
  id text primary key,
  kind text not null,
  order_id text not null,
  checkout_id text not null references @checkouts (id),
  external_id text not null,
  invoice_id text,
  amount text not null,
  expected_amount text not null,
  mode text not null,
  occurred_at bigint not null,
  decision text,
  note text,
  decided_by text,
  sequence integer not null,
  claimable_at bigint not null,
  delivered_at bigint,
  abandoned_at bigint,
  position bigint,
  {added}
  constraint #outcomes_position unique (position),
  constraint #outcomes_of_checkout unique (checkout_id, sequence),
  constraint #outcomes_kind check (kind in ('paid', 'duplicate_payment', 'amount_mismatch', 'test_payment', 'failed',
    'expired', 'create_unresolved', 'invoice_unresolved', 'resolved')),
  constraint #outcomes_decision check (case kind
    when 'resolved' then decision is not null and decision in ('paid', 'void') and note is not null
    else decision is null and note is null end),
  constraint #outcomes_decided_by
    check (decided_by is null or (decided_by = 'person' and kind in ('paid', 'duplicate_payment'))),
  constraint #outcomes_mode check (mode in ('TEST', 'LIVE')),
  constraint #outcomes_sequence check (sequence > 0),
  constraint #outcomes_amount check ({is_amount amount}),
  constraint #outcomes_expected_amount check ({is_amount expected_amount})
);

create table @deliveries (
  outcome_id text not null references @outcomes (id),
  number integer not null,
  at bigint not null,
  status integer,
  error text,
  constraint #deliveries_of_outcome primary key (outcome_id, number)
);

create table @store (
  id text not null,
  last_position bigint not null,
  seen_at bigint
);

insert into @store (id, last_position) values ({random_id}, 0);

create index #checkouts_by_age on @checkouts (created_at, id);
create index #checkouts_by_reference on @checkouts (reference) where reference is not null;
create index #attempts_of on @attempts (checkout_id, position);
create unique index #attempts_invoice_claimed on @attempts (claimed_invoice_id) where claimed_invoice_id is not null;
create index #schedules_due on @schedules (claimable_at) where claimable_at is not null;
create index #outcomes_to_deliver on @outcomes (claimable_at) where delivered_at is null and abandoned_at is null;
create index #outcomes_abandoned on @outcomes (abandoned_at) where abandoned_at is not null;
create index #outcomes_of_rare_kinds on @outcomes (kind) where kind not in ('paid', 'failed', 'expired');
create index #attempts_undecided on @attempts (checkout_id)
  where resolution is null and (state = 'unresolved' or outcome in ('unresolved', 'amount_mismatch'));
create index #attempts_unresolved on @attempts (external_id) where outcome = 'unresolved';

create view @checkouts_view as
select checkout.order_id, checkout.id as checkout_id, checkout.reference,
  case when closes_at <= {now} then 'closed' else status end as status,
  {decimal coalesce({member amount of params}, attempt_amount)} as amount,
  {member currency of params} as currency,
  {member type of method} as method,
  {member mode of request} as mode,
  {time created_at} as created_at,
  {time paid_at} as paid_at,
  {time closed_at} as closed_at
from @checkouts as checkout
left join @attempts as attempt on attempt.external_id = coalesce(paid_external_id, (
  select latest.external_id from @attempts as latest where latest.checkout_id = checkout.id
  order by latest.position desc limit 1
));

create view @outcomes_view as
select outcome.order_id, outcome.checkout_id, outcome.id as outcome_id, outcome.kind, outcome.decision,
  outcome.decided_by,
  {decimal outcome.amount} as amount,
  {decimal outcome.expected_amount} as expected_amount,
  {member type of method} as method,
  outcome.mode,
  {time occurred_at} as occurred_at,
  {time delivered_at} as delivered_at,
  {time abandoned_at} as abandoned_at
from @outcomes as outcome
left join @attempts as attempt on attempt.external_id = outcome.external_id;
`;

/** The columns of each table, on both databases. */
export const tableColumns: ReadonlyMap<string, readonly string[]> = new Map(
  [...tables.matchAll(/create table @(\w+) \(\n(.*?)\n\);/gs)].map(([, table = '', lines = '']) => [
    table,
    [...lines.matchAll(/^ {2}(\w+) (?:text|bigint|integer)\b/gm)].map(([, column = '']) => column),
  ]),
);

/** Processes on one SQLite file find saved checkouts by `saved_at`. PostgreSQL notifies its processes instead. */
const sqliteOnly = `
create index #checkouts_saved on @checkouts (saved_at);
`;

/**
 * The percentage of a page that inserts fill on PostgreSQL. The remaining space is for new versions of the page's rows. An
 * update writes to no index if the new version is on the same page and no indexed column changes (HOT).
 */
const postgresOnly = `
alter table @checkouts set (fillfactor = 85);
alter table @attempts set (fillfactor = 85);
alter table @schedules set (fillfactor = 70);
alter table @outcomes set (fillfactor = 85);
`;

/** The expressions `{name …}` whose SQL differs between the databases: patterns with their replacements, inner ones first. */
const expressions = {
  postgres: [
    // null satisfies it, as it does in every check.
    [/\{is_amount (\w+)\}/g, String.raw`$1 ~ '^-?[0-9]+(\.[0-9]+)?$$'`],
    [/\{added\}/g, 'added bigserial not null,'],
    [/\{random_id\}/g, "replace(gen_random_uuid()::text, '-', '')"],
    [/\{now\}/g, 'extract(epoch from now()) * 1000'],
    [/\{member (\w+) of (\w+)\}/g, "$2::json ->> '$1'"],
    [/\{time (\w+)\}/g, 'to_timestamp($1 / 1000.0)'],
    [/\{decimal ([^{}]+)\}/g, '($1)::numeric'],
  ],
  sqlite: [
    [/\{is_amount (\w+)\}/g, "$1 glob '*[0-9]' and $1 not glob '*[^-0-9.]*'"],
    [/^ +\{added\}\n/gm, ''],
    [/\{random_id\}/g, 'lower(hex(randomblob(16)))'],
    [/\{now\}/g, "strftime('%s', 'now') * 1000"],
    [/\{member (\w+) of (\w+)\}/g, "json_extract($2, '$$.$1')"],
    [/\{time (\w+)\}/g, "strftime('%Y-%m-%dT%H:%M:%fZ', $1 / 1000.0, 'unixepoch')"],
    [/\{decimal ([^{}]+)\}/g, '$1'],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly [RegExp, string])[]>>;

const schemaText = (database: keyof typeof expressions): string =>
  `${tables}${database === 'postgres' ? postgresOnly : sqliteOnly}`;

/** The statements that create the store's tables. */
function schemaStatements(database: keyof typeof expressions, place: TablePlace): readonly string[] {
  const text: string = expressions[database].reduce(
    (statements, [pattern, replacement]) => statements.replaceAll(pattern, replacement),
    schemaText(database),
  );
  return text
    .replaceAll(/@(\w+)/g, (_, name: string) => qualifiedName(place, name))
    .replaceAll(/#(\w+)/g, (_, name: string) => `${place.tablePrefix}${name}`)
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** The names of the constraints, the indexes and the views, as they are in the database. */
export function namesOfSchema(database: keyof typeof expressions, { tablePrefix }: TablePlace): readonly string[] {
  const names = schemaText(database).matchAll(/#(\w+)|create view @(\w+)/g);
  return Array.from(names, ([, name, view = '']) => `${tablePrefix}${name ?? view}`);
}

/** The statements of each step. A released step is never changed: a new step changes the tables instead. */
const steps = [{ name: 'pay-invoice-1', statements: schemaStatements }] as const;

/** The steps that create the tables. */
export const checkoutMigrations: readonly Migration[] = steps.map(({ name, statements }) => ({
  name,
  async up(_, transaction, place) {
    const isPostgres = transaction.getExecutor().adapter instanceof PostgresAdapter;
    for (const statement of statements(isPostgres ? 'postgres' : 'sqlite', place))
      await sql.raw(statement).execute(transaction);
  },
}));

/** `placeOf` checks their values. */
const placeNames = strictObject({ schema: z.string().optional(), tablePrefix: z.string().optional() });

/**
 * SQL statements that create the store's tables in an empty database, for merchants whose programs may not change the schema.
 * The statements also record every step as finished, so that a store opens the database without a change.
 */
export function printDdl(database: 'postgres' | 'sqlite', names: Parameters<typeof placeOf>[1]): string {
  const place = placeOf(database, checkOptions(placeNames, names));
  const lines = [
    ...(place.schema === undefined ? [] : [`create schema if not exists "${place.schema}"`]),
    migrationsTable(place),
    ...steps.flatMap(({ name, statements }) => [
      ...statements(database, place),
      `insert into ${qualifiedName(place, 'migrations')} (name, run_at) values ('${name}', 0)`,
    ]),
  ];
  return `begin;\n${lines.map((statement) => `${statement};`).join('\n\n')}\ncommit;\n`;
}
