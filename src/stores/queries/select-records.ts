import { PostgresAdapter, sql, type CompiledQuery, type ExpressionBuilder, type Kysely, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { CreatedInvoice, CreateInvoiceRequest } from '../../service-api.ts';
import type {
  Attempt,
  AttemptKey,
  CheckoutRecord,
  CheckoutVersion,
  CreateAttempt,
  HiddenAttempt,
  InvoiceAttempt,
  InvoiceMethod,
  ListCheckouts,
  LiveAttempt,
  RejectedAttempt,
  CheckoutParams,
} from '../../server.ts';
import type { Database } from '../database-interface.ts';
import type { AttemptsTable, CheckoutsTable, CheckoutTables, SchedulesTable } from '../table-row-types.ts';

// Reads checkouts with their attempts. Each checkout is one row with one JSON text.

/** The members of a `CheckoutRecord` that are stored as columns, with the names of these columns. */
const checkoutMembers = {
  id: 'id',
  capability: 'capability',
  capabilityAt: 'capability_at',
  hookSecret: 'hook_secret',
  createdAt: 'created_at',
  version: 'version',
  paidExternalId: 'paid_external_id',
  paidAt: 'paid_at',
  closedAt: 'closed_at',
} as const satisfies Readonly<Record<string, keyof CheckoutsTable>>;

type AttemptColumns = AttemptsTable & SchedulesTable;

/** The members of every `Attempt` that are stored as columns, and `position`, by which the attempts are sorted. */
const attemptMembers = {
  externalId: 'external_id',
  position: 'position',
  paymentMethodId: 'payment_method_id',
  amount: 'attempt_amount',
  createdAt: 'attempt_created_at',
  callCount: 'call_count',
  leaseUntil: 'lease_until',
  runAt: 'run_at',
} as const satisfies Readonly<Record<string, keyof AttemptColumns>>;

/** The members of an attempt with an invoice that are stored as columns. */
const invoiceMembers = {
  expiresAt: 'expires_at',
  serviceStatus: 'service_status',
  paidAmount: 'paid_amount',
  checkedAt: 'checked_at',
} as const satisfies Readonly<Record<string, keyof AttemptColumns>>;

/** The columns that depend on the attempt's state. */
const stateMembers = { state: 'state', reason: 'reason', outcome: 'outcome' } as const;

type Values<Row, Members extends Readonly<Record<string, keyof Row>>> = {
  readonly [Member in keyof Members]: Row[Members[Member]];
};

/** The parsed JSON text that `selectRecords` selects for one checkout. */
interface StoredRecord {
  readonly checkout: Values<CheckoutsTable, typeof checkoutMembers>;
  readonly params: CheckoutParams;
  readonly actions: CheckoutRecord['actions'];
  /** In any order. */
  readonly attempts: readonly StoredAttempt[];
}

type StoredAttempt = {
  readonly keys: readonly AttemptKey[];
  readonly method: InvoiceMethod | null;
  readonly request: CreateInvoiceRequest;
  readonly resolution: Attempt['resolution'];
} & (
  | {
      readonly invoice: null;
      readonly columns: Values<AttemptColumns, typeof attemptMembers> &
        (Pick<CreateAttempt, 'state'> | Pick<RejectedAttempt, 'state' | 'reason'>);
    }
  | {
      readonly invoice: CreatedInvoice;
      readonly statusHistory: InvoiceAttempt['statusHistory'];
      readonly columns: Values<AttemptColumns, typeof attemptMembers & typeof invoiceMembers> &
        Pick<InvoiceAttempt, 'outcome'> &
        (Pick<LiveAttempt, 'state'> | Pick<HiddenAttempt, 'state' | 'reason'>);
    }
);

// The result is not validated: records are validated before they are stored, and a validation would cost as much as the query.
const parseRecord: (text: string) => StoredRecord = JSON.parse;

/** The SQL functions whose names differ between the databases. */
interface JsonFunctions {
  /** Builds a JSON object. */
  readonly object: RawBuilder<unknown>;
  /** Joins the texts of several rows. */
  readonly aggregate: RawBuilder<unknown>;
}

function jsonFunctionsOf(db: Kysely<CheckoutTables>): JsonFunctions {
  return db.getExecutor().adapter instanceof PostgresAdapter
    ? { object: sql`json_build_object`, aggregate: sql`string_agg` }
    : { object: sql`json_object`, aggregate: sql`group_concat` };
}

/**
 * A checkout with its attempts as one JSON text. It is fast, because drivers convert each column of each row, which costs more
 * than the query. Every first read of a payer loads a checkout. Columns that are JSON become part of the text unchanged.
 */
function recordText(from: ExpressionBuilder<CheckoutTables, 'checkouts'>, { object, aggregate }: JsonFunctions) {
  const columns = (members: Readonly<Record<string, string>>) => {
    const pairs = Object.entries(members).flatMap(([member, column]) => [sql.lit(member), sql.ref(column)]);
    return sql`cast(${object}(${sql.join(pairs)}) as text)`;
  };
  const attempt = sql`'{"columns":' || ${columns({ ...attemptMembers, ...invoiceMembers, ...stateMembers })} || ',"keys":' || keys ||
    ',"method":' || coalesce(method, 'null') || ',"request":' || request ||
    ',"resolution":' || coalesce(resolution, 'null') || ',"statusHistory":' || coalesce(status_history, '[]') ||
    ',"invoice":' || coalesce(invoice, 'null') || '}'`;
  const attempts = from
    .selectFrom('attempts')
    .leftJoin('schedules', 'schedules.attempt_id', 'attempts.external_id')
    .whereRef('attempts.checkout_id', '=', 'checkouts.id')
    .select(sql`${aggregate}(${attempt}, ',')`.as('texts'));
  return sql<string>`'{"checkout":' || ${columns(checkoutMembers)} || ',"params":' || params || ',"actions":' || actions ||
    ',"attempts":[' || coalesce(${attempts}, '') || ']}'`;
}

/** Selects checkouts with their attempts, for `toRecord`. */
export function selectRecords(db: Kysely<CheckoutTables>) {
  const functions = jsonFunctionsOf(db);
  return db.selectFrom('checkouts').select((from) => recordText(from, functions).as('record'));
}

/** Selects the version of one checkout, for `toVersion`. Its parameter is the checkout's id. */
export function selectVersion(db: Kysely<CheckoutTables>): CompiledQuery {
  return db.selectFrom('checkouts').select(['version', 'capability', 'capability_at']).where('id', '=', '').compile();
}

const versionRow = z.object({ version: z.number(), capability: z.string(), capability_at: z.coerce.number() });

/** The version in a row of `selectVersion`; undefined without a row. */
export function toVersion(row: unknown): CheckoutVersion | undefined {
  if (row === undefined) return undefined;
  const { version, capability, capability_at: capabilityAt } = versionRow.parse(row);
  return { version, capability, capabilityAt };
}

/** The checkout in a row of `selectRecords`; undefined without a row. */
export function toRecord(row: unknown): CheckoutRecord | undefined {
  const text = recordTextOf(row);
  if (text === undefined) return undefined;
  const { checkout, params, actions, attempts } = parseRecord(text);
  const sortedAttempts =
    attempts.length < 2 ? attempts : attempts.toSorted((left, right) => left.columns.position - right.columns.position);
  return { ...checkout, params, actions, attempts: sortedAttempts.map(toAttempt) };
}

function recordTextOf(row: unknown): string | undefined {
  return typeof row === 'object' && row !== null && 'record' in row && typeof row.record === 'string'
    ? row.record
    : undefined;
}

function toAttempt({ keys, method, request, resolution, ...stored }: StoredAttempt): Attempt {
  const { externalId, paymentMethodId, amount, createdAt, callCount, leaseUntil, runAt } = stored.columns;
  const base = {
    externalId,
    keys,
    paymentMethodId,
    method,
    amount,
    request,
    createdAt,
    callCount,
    leaseUntil,
    runAt,
    resolution,
  };
  if (stored.invoice === null) {
    const { columns } = stored;
    return columns.state === 'rejected'
      ? { ...base, state: columns.state, reason: columns.reason }
      : { ...base, state: columns.state };
  }
  const { invoice, statusHistory, columns } = stored;
  const { expiresAt, serviceStatus, outcome, paidAmount, checkedAt } = columns;
  const known = { ...base, invoice, expiresAt, serviceStatus, statusHistory, outcome, paidAmount, checkedAt };
  return columns.state === 'hidden'
    ? { ...known, state: columns.state, reason: columns.reason }
    : { ...known, state: columns.state };
}

/** Selects a page of checkouts, newest first. */
export async function listCheckouts(
  { db, read }: Pick<Database, 'db' | 'read'>,
  { orderId, search, undelivered, status, now, createdAfter, createdBefore, after, limit }: ListCheckouts,
): Promise<readonly CheckoutRecord[]> {
  const isClosed = sql<boolean>`(closes_at is not null and closes_at <= ${now})`;
  let query = selectRecords(db).orderBy('created_at', 'desc').orderBy('checkouts.id', 'desc').limit(limit);
  if (orderId !== undefined) query = query.where('order_id', '=', orderId);
  if (search !== undefined) query = query.where('checkouts.id', 'in', () => checkoutsNamed(db, search));
  if (undelivered === true) query = query.where('checkouts.id', 'in', () => checkoutsWithUndelivered(db));
  if (status === 'closed') query = query.where(isClosed);
  else if (status !== undefined) query = query.where('status', '=', status).where(sql<boolean>`not ${isClosed}`);
  if (createdAfter !== undefined) query = query.where('created_at', '>', createdAfter);
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore);
  if (after !== undefined)
    query = query
      .where('created_at', '<=', after.createdAt)
      .where((where) => where.or([where('created_at', '<', after.createdAt), where('checkouts.id', '<', after.id)]));
  const rows = await read(() => query.execute());
  return rows.flatMap((row) => toRecord(row) ?? []);
}

/** The checkouts that a person may mean by a text: each select uses an index. */
function checkoutsNamed(db: Kysely<CheckoutTables>, text: string) {
  const checkouts = db.selectFrom('checkouts').select('id as checkout_id');
  const attempts = db.selectFrom('attempts').select('checkout_id');
  return checkouts
    .where('id', '=', text)
    .unionAll(checkouts.where('order_id', '=', text))
    .unionAll(checkouts.where('reference', '=', text))
    .unionAll(attempts.where('external_id', '=', text))
    .unionAll(attempts.where('claimed_invoice_id', '=', text))
    .unionAll(db.selectFrom('outcomes').select('checkout_id').where('id', '=', text));
}

/** The checkouts with an outcome that is not delivered. The two selects use the partial indexes of `outcomes`. */
function checkoutsWithUndelivered(db: Kysely<CheckoutTables>) {
  const outcomes = db.selectFrom('outcomes').select('checkout_id');
  return outcomes
    .where('delivered_at', 'is', null)
    .where('abandoned_at', 'is', null)
    .unionAll(outcomes.where('abandoned_at', 'is not', null));
}
