import { PostgresAdapter, sql, type ExpressionBuilder, type Kysely, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { Outcome, StatusLists } from '../../server.ts';
import type { Attempt, CheckoutRecord, InvoiceAttempt, ListCheckouts } from '../../server-internals.ts';
import type { Database } from '../database.ts';
import type { AttemptsTable, CheckoutsTable, CheckoutTables, SchedulesTable } from '../table-row-types.ts';

// Reads checkouts with their attempts. Each checkout is one row with one JSON text.

/** The members of a record that are stored as columns, with the names of these columns. */
type Members<Record, Row> = { readonly [Member in keyof Record]?: keyof Row };

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
} as const satisfies Members<CheckoutRecord, CheckoutsTable>;

/** Those of every attempt. */
const attemptMembers = {
  externalId: 'external_id',
  paymentMethodId: 'payment_method_id',
  amount: 'attempt_amount',
  createdAt: 'attempt_created_at',
  callCount: 'call_count',
  leaseUntil: 'lease_until',
  runAt: 'run_at',
  state: 'state',
} as const satisfies Members<Attempt, AttemptsTable & SchedulesTable>;

/** Those of an attempt with an invoice. */
const invoiceMembers = {
  expiresAt: 'expires_at',
  serviceStatus: 'service_status',
  outcome: 'outcome',
  paidAmount: 'paid_amount',
  answeredAt: 'answered_at',
  checkedAt: 'checked_at',
} as const satisfies Members<InvoiceAttempt, AttemptsTable & SchedulesTable>;

/** The objects whose members together are those of a checkout without its attempts, and of each attempt. */
type StoredRecord = readonly [checkout: readonly object[], ...attempts: readonly (readonly object[])[]];

// The result is not validated: records are validated before they are stored, and a validation would cost as much as the query.
const parseRecord: (text: string) => StoredRecord = JSON.parse;
const mergeCheckout: (...parts: readonly object[]) => Omit<CheckoutRecord, 'attempts'> = Object.assign;
const mergeAttempt: (...parts: readonly object[]) => Attempt = Object.assign;

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
  const attempt = sql`',[' || ${columns(attemptMembers)} || ',{"keys":' || keys || ',"method":' || coalesce(method, 'null') ||
    ',"request":' || request || ',"resolution":' || coalesce(resolution, 'null') || '}' ||
    case when reason is null then '' else ',{"reason":"' || reason || '"}' end ||
    case when invoice is null then '' else ',' || ${columns(invoiceMembers)} || ',{"invoice":' || invoice ||
      ',"statusHistory":' || status_history || '}' end || ']'`;
  const attempts = from
    .selectFrom('attempts')
    .leftJoin('schedules', 'schedules.attempt_id', 'attempts.external_id')
    .whereRef('attempts.checkout_id', '=', 'checkouts.id')
    .select(sql`${aggregate}(${attempt}, '' order by position)`.as('texts'));
  return sql<string>`'[[' || ${columns(checkoutMembers)} || ',{"params":' || params || ',"actions":' || actions || '}]' ||
    coalesce(${attempts}, '') || ']'`;
}

/** Selects checkouts with their attempts, for `toRecord`. */
export function selectRecords(db: Kysely<CheckoutTables>) {
  const functions = jsonFunctionsOf(db);
  return db.selectFrom('checkouts').select((from) => recordText(from, functions).as('record'));
}

const recordRow = z.object({ record: z.string() });

/** The checkout in a row of `selectRecords`; undefined without a row. */
export function toRecord(row: unknown): CheckoutRecord | undefined {
  if (row === undefined) return undefined;
  const [checkout, ...attempts] = parseRecord(recordRow.parse(row).record);
  return { ...mergeCheckout(...checkout), attempts: attempts.map((parts) => mergeAttempt(...parts)) };
}

/** Selects a page of checkouts, newest first. */
export async function listCheckouts(
  { db, read }: Pick<Database, 'db' | 'read'>,
  {
    orderId,
    search,
    undelivered,
    undecided,
    kind,
    status,
    now,
    createdAfter,
    createdBefore,
    after,
    limit,
  }: ListCheckouts,
): Promise<readonly CheckoutRecord[]> {
  const isClosed = sql<boolean>`(closes_at is not null and closes_at <= ${now})`;
  let query = selectRecords(db).orderBy('created_at', 'desc').orderBy('checkouts.id', 'desc').limit(limit);
  if (orderId !== undefined) query = query.where('order_id', '=', orderId);
  if (search !== undefined) query = query.where('checkouts.id', 'in', () => checkoutsNamed(db, search));
  if (undelivered === true) query = query.where('checkouts.id', 'in', () => checkoutsWithUndelivered(db));
  if (undecided !== undefined) query = query.where('checkouts.id', 'in', () => checkoutsUndecided(db, undecided));
  if (kind !== undefined) query = query.where((checkout) => hasOutcome(checkout, kind));
  if (status === 'closed') query = query.where(isClosed);
  else if (status !== undefined) query = query.where('status', '=', status).where(sql<boolean>`not ${isClosed}`);
  if (createdAfter !== undefined) query = query.where('created_at', '>', createdAfter);
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore);
  if (after !== undefined)
    query = query.where(sql<boolean>`(created_at, ${sql.ref('checkouts.id')}) < (${after.createdAt}, ${after.id})`);
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

/**
 * The checkouts about which a person has to decide, as `needsDecision` says. The first select uses the partial index of attempts
 * without a decision. The second reads the queue of invoices that are polled, among which are all with a word in no list.
 */
function checkoutsUndecided(db: Kysely<CheckoutTables>, statuses: StatusLists) {
  const { paid, failed, expired, pending } = statuses;
  const words = [paid, failed, expired, pending].flat().map((text) => text.toLowerCase());
  const word = sql<string>`lower(trim(service_status))`;
  const attempts = db
    .selectFrom('attempts')
    .select('checkout_id')
    .where('resolution', 'is', null)
    .where(sql<boolean>`coalesce(reason, '') <> 'foreign_invoice'`);
  return attempts
    .where(sql<boolean>`(state = 'unresolved' or outcome in ('unresolved', 'amount_mismatch'))`)
    .where((attempt) => attempt.not(isCountedForAnother(attempt)))
    .unionAll(
      attempts
        .where('outcome', '=', 'pending')
        .where(
          'external_id',
          'in',
          db.selectFrom('schedules').select('attempt_id').where('claimable_at', 'is not', null),
        )
        .where(word, 'not in', ['', ...words]),
    );
}

/** Whether an attempt has money of another amount that another attempt with the same invoice counts, as `isUndecidedPayment` says. */
export function isCountedForAnother(attempt: ExpressionBuilder<CheckoutTables, 'attempts'>) {
  const counting = attempt
    .selectFrom('attempts as other')
    .select('other.external_id')
    .whereRef('other.checkout_id', '=', 'attempts.checkout_id')
    .whereRef('other.invoice_id', '=', 'attempts.invoice_id')
    .whereRef('other.external_id', '<>', 'attempts.external_id')
    .where(sql<boolean>`(other.outcome = 'paid' or other.resolution like '%"as":"paid"%')`);
  return attempt.and([attempt('attempts.outcome', '=', 'amount_mismatch'), attempt.exists(counting)]);
}

/**
 * Whether a checkout has an outcome of a kind. The kinds that most orders end with are in no index, so that a payment costs no
 * write more: the newest checkouts have them. The others, of which there may be none in a million, are in a partial index, whose
 * condition stands here word for word.
 */
function hasOutcome(checkout: ExpressionBuilder<CheckoutTables, 'checkouts'>, kind: Outcome['kind']) {
  const outcomes = checkout.selectFrom('outcomes').select('checkout_id').where('kind', '=', sql.lit(kind));
  return kind === 'paid' || kind === 'failed' || kind === 'expired'
    ? checkout.exists(outcomes.whereRef('checkout_id', '=', 'checkouts.id'))
    : checkout('checkouts.id', 'in', outcomes.where(sql<boolean>`kind not in ('paid', 'failed', 'expired')`));
}
