// Creates the checkouts of the run with waiting payers: their invoices in the sandbox, their rows by bulk inserts, as if each
// invoice had been fetched once. Creating them over HTTP, with commits that wait for the disk, would take longer than the run.
import { invoicesOf } from '../../../src/server/domain/checkout-status.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { createdInvoice, operationPath, parseTimestamp, type CreatedInvoice } from '../../../src/service-api.ts';
import type { LiveAttempt, CheckoutRecord } from '../../../src/server.ts';
import {
  createCapability,
  createCheckoutId,
  createExternalId,
  createHookSecret,
} from '../../../src/server/domain/identifiers.ts';
import { webhookUrl } from '../../../src/server/domain/identifiers.ts';
import { toAttemptRows, toCheckoutRow, toScheduleRows } from '../../../src/stores/queries/save-checkout.ts';
import type { SqlStore } from '../../../src/stores/sql-store.ts';
import { Connection, formatRequest, type HttpResponse } from '../http-connection.ts';

/** A payer whose invoice waits for payment. */
export interface SeededCheckout {
  readonly checkoutId: string;
  readonly invoiceId: string;
}

export interface SeedOptions {
  readonly store: SqlStore;
  readonly sandboxUrl: string;
  readonly token: string;
  readonly count: number;
  /** The address of the checkout API that receives the webhook of each invoice, in turn. */
  readonly endpoints: readonly string[];
}

const amount = '1500.00';
const connectionCount = 8;
const batchSize = 500;
/** The delay of an invoice's next fetch, so long that only viewed invoices are fetched. */
const nextFetchDelayMs = 3_600_000;

export async function seedCheckouts(options: SeedOptions): Promise<readonly SeededCheckout[]> {
  const seededCheckouts: SeededCheckout[] = [];
  let nextIndex = 0;
  const seedOnConnection = async (): Promise<void> => {
    const connection = new Connection(Number(new URL(options.sandboxUrl).port));
    while (nextIndex < options.count) {
      const start = nextIndex;
      const end = Math.min(options.count, start + batchSize);
      nextIndex = end;
      const records: CheckoutRecord[] = [];
      for (let index = start; index < end; index += 1) records.push(await createRecord(options, connection, index));
      await insertAll(options.store, records);
      for (const { capability, attempts } of records)
        seededCheckouts.push({ checkoutId: capability, invoiceId: invoicesOf({ attempts })[0]?.invoice.id ?? '' });
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connectionCount }, seedOnConnection));
  return seededCheckouts;
}

async function createRecord(options: SeedOptions, connection: Connection, index: number): Promise<CheckoutRecord> {
  const { endpoints } = options;
  const orderId = `load-${index}`;
  const hookSecret = createHookSecret(systemRandom);
  const now = Date.now();
  const request = {
    amount,
    external_id: createExternalId(systemRandom),
    payment_method_id: 'pm_sbp',
    mode: 'TEST' as const,
    url_config: { hook_url: webhookUrl(endpoints[index % endpoints.length] ?? '', orderId, hookSecret) },
    metadata: { order_id: orderId },
  };
  const invoice = await createInvoice(options, connection, request);
  const attempt: LiveAttempt = {
    externalId: request.external_id,
    keys: [{ key: request.external_id, fingerprint: orderId }],
    paymentMethodId: request.payment_method_id,
    method: { type: 'SBP', name: 'SBP' },
    amount,
    request,
    state: 'live',
    callCount: 1,
    leaseUntil: 0,
    createdAt: now,
    invoice,
    expiresAt: parseTimestamp(invoice.expires_at ?? '') ?? null,
    serviceStatus: 'PENDING',
    statusHistory: [{ at: now, status: 'PENDING' }],
    resolution: null,
    outcome: 'pending',
    paidAmount: null,
    runAt: now + nextFetchDelayMs,
    checkedAt: now,
  };
  const id = createCheckoutId(systemRandom);
  return {
    id,
    capability: createCapability(id, systemRandom),
    capabilityAt: now,
    hookSecret,
    params: {
      orderId,
      amount,
      amountLimits: null,
      currency: 'RUB',
      description: 'Tea bowl',
      successUrl: 'https://shop.example/thanks',
      failUrl: null,
      reference: null,
      expiresAt: null,
      metadata: null,
      methods: null,
    },
    createdAt: now,
    version: 2,
    paidExternalId: null,
    paidAt: null,
    closedAt: null,
    actions: [],
    attempts: [attempt],
  };
}

async function createInvoice(
  { token }: SeedOptions,
  connection: Connection,
  request: LiveAttempt['request'],
): Promise<CreatedInvoice> {
  const text = formatRequest('POST', operationPath('CreateInvoice'), { authorization: `Bearer ${token}` }, request);
  const response = await new Promise<HttpResponse | Error>((resolve) => connection.send(text, resolve));
  if (response instanceof Error) throw response;
  if (response.status !== 200) throw new Error(`CreateInvoice was answered with ${response.status}: ${response.body}`);
  const body: unknown = JSON.parse(response.body);
  return createdInvoice.parse(typeof body === 'object' && body !== null && 'invoice' in body ? body.invoice : body);
}

async function insertAll({ db }: SqlStore, records: readonly CheckoutRecord[]): Promise<void> {
  const savedAt = Date.now();
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('checkouts')
      .values(records.map((record) => ({ ...toCheckoutRow(record, savedAt), order_id: record.params.orderId })))
      .execute();
    await transaction
      .insertInto('attempts')
      .values(records.flatMap((record) => toAttemptRows(record, record.attempts)))
      .execute();
    await transaction
      .insertInto('schedules')
      .values(records.flatMap(({ attempts }) => toScheduleRows(attempts)))
      .execute();
  });
}
