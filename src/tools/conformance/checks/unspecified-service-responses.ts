// Responses of the invoice service that its specification leaves open. A backend must handle each of them.
import { randomUUID } from 'node:crypto';
import { checkout as checkoutSchema, type Checkout } from '../../../checkout-api.ts';
import type { Exchange } from '../backend-client.ts';
import {
  isRetryable,
  expectCheckout,
  createInvoiceWithRetries,
  readCheckout,
  summarize,
  waitForStatus,
  waitUntil,
  type Check,
  type CheckContext,
  type CheckGroup,
} from '../check.ts';
import { createTestInvoice, buildCreateBody } from '../create-test-invoice.ts';
import type { Fault } from '../sandbox-client.ts';
import { expect, NotRun } from '../expect.ts';

/** Longer than any grace period after a deadline, in milliseconds. */
const afterGraceMs = 90_000;
/** Shorter than the grace period that a bank transfer needs after a deadline, in milliseconds. */
const withinGraceMs = 20_000;

function hasPaymentDetails({ invoice }: Checkout): boolean {
  const paymentDetails = [invoice?.payment_url, invoice?.nspk_url, invoice?.sbp, invoice?.card, invoice?.bank_transfer];
  return paymentDetails.some((detail) => detail !== undefined);
}

/** Creates an invoice with the first usable payment option of a checkout. */
async function createFirstOptionInvoice(context: CheckContext, capability = context.capability): Promise<Exchange> {
  return createInvoiceWithRetries(context, await buildCreateBody(context, capability), randomUUID(), capability);
}

const qrRefusals: readonly Omit<Fault, 'kind'>[] = [
  { status: 400 },
  { status: 503, shape: 'nested', code: 'internal' },
  { status: 500, shape: 'empty' },
];

const refusedQrCheck: Check = {
  id: 'qr.refused',
  clause: 'POST: 201 + the checkout',
  rule: 'gives requisites without a QR code when the service refuses the QR code with any kind of error',
  fix: 'After a create with qr.generate failed, repeat it with the same external_id and without qr.',
  async run(context) {
    for (const refusal of qrRefusals) {
      const capability = await context.openAnotherCheckout();
      const fault = await context.sandbox().setFault({ kind: 'qr_refused', ...refusal });
      const checkout = expectCheckout(await createFirstOptionInvoice(context, capability), 201, 200);
      await fault.end();
      expect(hasPaymentDetails(checkout), `requisites after ${JSON.stringify(refusal)}`, summarize(checkout));
    }
  },
};

const unpayableInvoiceCheck: Check = {
  id: 'unpayable.not_offered',
  clause: 'POST: 422 method_unavailable',
  rule: 'does not offer an invoice without requisites and without a payment link',
  fix: 'When the service sends no requisites and no safe link, answer 422 method_unavailable and log an error.',
  async run(context) {
    const fault = await context.sandbox().setFault({ kind: 'missing_fields', operation: 'CreateInvoice' });
    const exchange = await context.backend.create(context.capability, await buildCreateBody(context));
    await fault.end();
    const shownCheckouts = [checkoutSchema.safeParse(exchange.json).data, await readCheckout(context)];
    const unpayableCheckout = shownCheckouts.find(
      (checkout) => checkout?.status === 'pending' && checkout.invoice !== null && !hasPaymentDetails(checkout),
    );
    expect(unpayableCheckout === undefined, 'no invoice without requisites and links', exchange);
  },
};

const deadlineWithoutZoneCheck: Check = {
  id: 'times.no_zone',
  clause: 'The invoice: expires_in_ms',
  rule: 'leaves out the time left when the deadline has no time zone',
  fix: 'Parse RFC 3339 strictly. Without an offset the time is not known: leave out expires_at and expires_in_ms.',
  async run(context) {
    const fault = await context.sandbox().setFault({ kind: 'time_format', format: 'no_zone' });
    const checkout = expectCheckout(await createFirstOptionInvoice(context), 201, 200);
    expect(checkout.invoice !== null, 'an invoice', summarize(checkout));
    await context.ports.sleep(context.timeouts.settleMs);
    const laterCheckout = await readCheckout(context);
    await fault.end();
    const remainingMs = checkout.invoice.expires_in_ms ?? laterCheckout.invoice?.expires_in_ms;
    expect(remainingMs === undefined, 'no `expires_in_ms`', String(remainingMs));
    expect(laterCheckout.status === 'pending', '"pending"', summarize(laterCheckout));
  },
};

const shortOffsetCheck: Check = {
  id: 'times.short_offset',
  clause: 'The invoice: expires_in_ms',
  rule: 'reads the offset +0300 as three hours east of UTC',
  fix: 'Accept offsets without a colon, and convert the deadline to UTC.',
  async run(context) {
    const expectedMs = expectCheckout(
      await createFirstOptionInvoice(context, await context.openAnotherCheckout()),
      201,
      200,
    ).invoice?.expires_in_ms;
    if (expectedMs === undefined) throw new NotRun('the invoices of this backend have no deadline');
    const fault = await context.sandbox().setFault({ kind: 'time_format', format: '+0300' });
    const remainingMs = expectCheckout(await createFirstOptionInvoice(context), 201, 200).invoice?.expires_in_ms;
    await fault.end();
    const hasExpectedTime = remainingMs !== undefined && Math.abs(remainingMs - expectedMs) < 60_000;
    expect(
      hasExpectedTime,
      `about ${expectedMs} ms left`,
      remainingMs === undefined ? 'no expires_in_ms' : `${remainingMs} ms`,
    );
  },
};

/** The paths of the members that are empty strings, at any depth of a value. */
function emptyMembers(value: unknown, path = ''): readonly string[] {
  if (value === '') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => emptyMembers(member, `${path}/${name}`));
}

const emptyValuesCheck: Check = {
  id: 'values.empty',
  clause: 'The invoice, options: each member is absent when the service gave none',
  rule: 'leaves out members that the service sends as an empty string',
  fix: 'Treat "" in the responses of the service as a member that is missing.',
  async run(context) {
    const fault = await context.sandbox().setFault({ kind: 'empty_values' });
    const checkout = expectCheckout(await createFirstOptionInvoice(context), 201, 200);
    await context.ports.sleep(context.timeouts.settleMs);
    const laterCheckout = await readCheckout(context);
    await fault.end();
    const emptyPaths = [checkout, laterCheckout].flatMap(({ invoice, options }) => emptyMembers({ invoice, options }));
    expect(emptyPaths.length === 0, 'no member that is ""', emptyPaths.join(', '));
  },
};

const paidAmountCheck: Check = {
  id: 'amount.paid',
  clause: 'GET: paid comes from a re-fetch of the invoice at the service',
  rule: 'does not become paid when a paid invoice has another amount than the order',
  fix: 'Compare the amount of each fetched invoice with the order; report a payment of another amount to the shop.',
  async run(context) {
    const { invoiceId } = await createTestInvoice(context);
    const fault = await context
      .sandbox()
      .setFault({ kind: 'wrong_amount', operation: 'FetchInvoices', once_paid: true });
    await context.sandbox().simulate(invoiceId, 'pay');
    await context.ports.sleep(2 * context.timeouts.settleMs);
    const checkout = await readCheckout(context);
    await fault.end();
    expect(checkout.status === 'pending', '"pending" while the shop checks the amount', summarize(checkout));
  },
};

const duplicateCreateCheck: Check = {
  id: 'duplicates.one',
  clause: 'POST: 202, the element repeats the request with the same key',
  rule: 'offers one invoice when the service creates a new invoice for each repeated request',
  fix: 'Offer the invoice of the first response that arrives, and show the same invoice in every later read.',
  async run(context) {
    const lostFault = await context.sandbox().setFault({ operation: 'CreateInvoice', kind: 'lost' });
    const duplicateFault = await context.sandbox().setFault({ kind: 'duplicate_create' });
    const [body, key] = [await buildCreateBody(context), randomUUID()];
    await context.backend.create(context.capability, body, { key });
    await lostFault.end();
    const checkout = expectCheckout(await createInvoiceWithRetries(context, body, key), 201, 200);
    const repeatedCheckout = expectCheckout(await context.backend.create(context.capability, body, { key }), 200);
    await context.ports.sleep(context.timeouts.settleMs);
    const laterCheckout = await readCheckout(context);
    await duplicateFault.end();
    const ids = new Set([checkout, repeatedCheckout, laterCheckout].map(({ invoice }) => invoice?.id));
    expect(ids.size === 1 && checkout.invoice !== null, 'one invoice', `${ids.size} invoices`);
    await context.sandbox().simulate(checkout.invoice.id, 'pay');
    await waitForStatus(context, 'paid');
  },
};

const refusedBatchCheck: Check = {
  id: 'batches.refused',
  clause: 'GET: paid comes from a re-fetch of the invoice at the service',
  rule: 'detects payments when the invoice service refuses requests for more than one invoice',
  fix: 'When FetchInvoices refuses a list of invoices, split the list and fetch its parts.',
  async run(context) {
    const otherCapability = await context.openAnotherCheckout();
    const [firstInvoice, secondInvoice] = [
      await createTestInvoice(context),
      await createTestInvoice(context, otherCapability),
    ];
    const fault = await context.sandbox().setFault({ kind: 'batch_refused' });
    for (const { invoiceId } of [firstInvoice, secondInvoice]) await context.sandbox().simulate(invoiceId, 'pay');
    for (const capability of [context.capability, otherCapability])
      await waitUntil(context, '"paid"', ({ status }) => status === 'paid', capability);
    await fault.end();
  },
};

const hangingFetchCheck: Check = {
  id: 'hanging.stale',
  clause: 'GET: stale, the service does not answer, this is the last known state',
  rule: 'shows the last known state as stale while the invoice service accepts requests but does not answer',
  fix: 'Give each call to the service a timeout, and set `stale` when fetches have failed for some seconds.',
  async run(context) {
    await createTestInvoice(context);
    const fault = await context.sandbox().setFault({ kind: 'stall', operation: 'FetchInvoices', at: 'headers' });
    const checkout = await waitUntil(context, '`stale` true', ({ stale }) => stale);
    expect(
      checkout.status === 'pending' && checkout.invoice !== null,
      '"pending" with its invoice',
      summarize(checkout),
    );
    await fault.end();
    await waitUntil(context, '`stale` false', ({ stale }) => !stale);
  },
};

const hangingCreateCheck: Check = {
  id: 'hanging.write',
  clause: 'POST: 202 + the checkout, or 503 try_again, with Retry-After',
  rule: 'answers a write when the invoice service does not answer CreateInvoice',
  fix: 'Bound the time of a create, and answer 202 with Retry-After when the service has not answered.',
  async run(context) {
    const fault = await context.sandbox().setFault({ kind: 'stall', operation: 'CreateInvoice', at: 'headers' });
    const exchange = await context.backend.create(context.capability, await buildCreateBody(context));
    await fault.end();
    expect(isRetryable(exchange), 'HTTP 202 or 503 try_again, with Retry-After', exchange);
  },
};

const pendingPastDeadlineCheck: Check = {
  id: 'grace.pending',
  clause: 'GET: expired needs the deadline, a grace period and a last fetch',
  rule: 'does not become expired soon after the deadline while the invoice service reports the invoice as pending',
  fix: 'Wait at least a minute after the deadline: a bank may confirm a transfer late.',
  async run(context) {
    if (!context.includeSlow) throw new NotRun(`it takes ${withinGraceMs / 1000} s: give --slow`);
    await context.sandbox().setInvoiceLifetime(context.timeouts.lifetimeMs);
    await createTestInvoice(context);
    await context.sandbox().setFault({ kind: 'unknown_status', value: 'PENDING' });
    await context.ports.sleep(context.timeouts.lifetimeMs + withinGraceMs);
    const checkout = await readCheckout(context);
    await context.sandbox().restore();
    expect(checkout.status === 'pending', '"pending"', summarize(checkout));
  },
};

const unknownNeverExpiresCheck: Check = {
  id: 'grace.unknown_status',
  clause: 'GET: a status that is not in the configured lists is pending',
  rule: 'never expires an invoice by time while its status is unknown',
  fix: 'Expire an invoice by time only when its status is a known word for pending; log any other word as an error.',
  async run(context) {
    await context.sandbox().setInvoiceLifetime(context.timeouts.lifetimeMs);
    await createTestInvoice(context);
    await context.sandbox().setFault({ kind: 'unknown_status', value: 'HELD_BY_BANK' });
    const waitMs = context.includeSlow ? afterGraceMs : context.timeouts.settleMs;
    await context.ports.sleep(context.timeouts.lifetimeMs + waitMs);
    const checkout = await readCheckout(context);
    await context.sandbox().restore();
    expect(checkout.status === 'pending', `"pending" ${waitMs / 1000} s after the deadline`, summarize(checkout));
  },
};

/** Groups of one check each, so that each check has its own fresh checkout. */
export const unspecifiedResponseChecks: readonly CheckGroup[] = [
  { title: 'The service refuses the QR code', checks: [refusedQrCheck] },
  { title: 'The service sends nothing to pay with', checks: [unpayableInvoiceCheck] },
  { title: 'The service writes time offsets without a colon', checks: [shortOffsetCheck] },
  { title: 'The service writes times without a zone', checks: [deadlineWithoutZoneCheck] },
  { title: 'The service sends empty values', checks: [emptyValuesCheck] },
  { title: 'The service changes the amount of a paid invoice', checks: [paidAmountCheck] },
  { title: 'The service creates a new invoice for a repeated request', checks: [duplicateCreateCheck] },
  { title: 'The service refuses batches', checks: [refusedBatchCheck] },
  { title: 'The service does not answer a fetch', checks: [hangingFetchCheck] },
  { title: 'The service does not answer a create', checks: [hangingCreateCheck] },
  { title: 'The deadline passes', checks: [pendingPastDeadlineCheck] },
  { title: 'The deadline passes with an unknown status', checks: [unknownNeverExpiresCheck] },
].map((group) => ({ ...group, checkoutKind: 'fresh', sandbox: true }));
