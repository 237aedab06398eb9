// Answers that the service's specification leaves open. A backend must be right for each of them.
import { randomUUID } from 'node:crypto';
import { checkout as checkoutSchema, type Checkout } from '../../protocol.ts';
import type { Exchange } from '../backend-client.ts';
import {
  isRetryable,
  checkoutIn,
  createUntilKnown,
  readCheckout,
  summarize,
  waitForStatus,
  waitUntil,
  type Check,
  type CheckContext,
  type Group,
} from '../check.ts';
import { createAnInvoice, createBody } from '../create-test-invoice.ts';
import type { Fault } from '../sandbox-client.ts';
import { expect, NotRun } from '../violation.ts';

/** Longer than any grace period after a deadline, in milliseconds. */
const afterGraceMs = 90_000;
/** Shorter than the grace period that a bank transfer needs after a deadline, in milliseconds. */
const withinGraceMs = 20_000;

function hasWayToPay({ invoice }: Checkout): boolean {
  const ways = [invoice?.payment_url, invoice?.nspk_url, invoice?.sbp, invoice?.card, invoice?.bank_transfer];
  return ways.some((way) => way !== undefined);
}

/** Creates an invoice with the first usable payment option of a checkout. */
async function create(context: CheckContext, checkout = context.checkout): Promise<Exchange> {
  return createUntilKnown(context, await createBody(context, checkout), randomUUID(), checkout);
}

const qrRefusals: readonly Omit<Fault, 'kind'>[] = [
  { status: 400 },
  { status: 503, shape: 'nested', code: 'internal' },
  { status: 500, shape: 'empty' },
];

const qrRefused: Check = {
  id: 'qr.refused',
  clause: 'POST: 201 + the checkout',
  rule: 'gives requisites without a QR code when the service refuses the QR code, in whatever shape',
  fix: 'After a create with qr.generate failed, repeat it with the same external_id and without qr.',
  async run(context) {
    for (const refusal of qrRefusals) {
      const checkout = await context.openAnother();
      const fault = await context.sandbox().setFault({ kind: 'qr_refused', ...refusal });
      const seen = checkoutIn(await create(context, checkout), 201, 200);
      await fault.end();
      expect(hasWayToPay(seen), `requisites after ${JSON.stringify(refusal)}`, summarize(seen));
    }
  },
};

const unpayable: Check = {
  id: 'unpayable.not_offered',
  clause: 'POST: 503 try_again, Retry-After',
  rule: 'does not offer an invoice without requisites and without a payment link',
  fix: 'When the service sends no requisites and no safe link, answer 503 try_again and log an error.',
  async run(context) {
    const fault = await context.sandbox().setFault({ kind: 'missing_fields', operation: 'CreateInvoice' });
    const exchange = await context.backend.create(context.checkout, await createBody(context));
    await fault.end();
    const shown = [checkoutSchema.safeParse(exchange.json).data, await readCheckout(context)];
    const offered = shown.find((seen) => seen?.status === 'pending' && seen.invoice !== null && !hasWayToPay(seen));
    expect(offered === undefined, 'no invoice without requisites and links', exchange);
  },
};

const noZone: Check = {
  id: 'times.no_zone',
  clause: 'The invoice: expires_in_ms',
  rule: 'leaves out the time left when the deadline has no time zone',
  fix: 'Parse RFC 3339 strictly: without an offset the moment is not known, so leave out expires_at and expires_in_ms.',
  async run(context) {
    const fault = await context.sandbox().setFault({ kind: 'time_format', format: 'no_zone' });
    const seen = checkoutIn(await create(context), 201, 200);
    expect(seen.invoice !== null, 'an invoice', summarize(seen));
    await context.ports.sleep(context.timeouts.settleMs);
    const later = await readCheckout(context);
    await fault.end();
    const remainingMs = seen.invoice.expires_in_ms ?? later.invoice?.expires_in_ms;
    expect(remainingMs === undefined, 'no `expires_in_ms`', String(remainingMs));
    expect(later.status === 'pending', '"pending"', summarize(later));
  },
};

const shortOffset: Check = {
  id: 'times.short_offset',
  clause: 'The invoice: expires_in_ms',
  rule: 'reads the offset +0300 as three hours east of UTC',
  fix: 'Accept offsets without a colon, and convert the deadline to UTC.',
  async run(context) {
    const expectedMs = checkoutIn(await create(context, await context.openAnother()), 201, 200).invoice?.expires_in_ms;
    if (expectedMs === undefined) throw new NotRun('the invoices of this backend have no deadline');
    const fault = await context.sandbox().setFault({ kind: 'time_format', format: '+0300' });
    const remainingMs = checkoutIn(await create(context), 201, 200).invoice?.expires_in_ms;
    await fault.end();
    const isSame = remainingMs !== undefined && Math.abs(remainingMs - expectedMs) < 60_000;
    expect(isSame, `about ${expectedMs} ms left`, remainingMs === undefined ? 'no time' : `${remainingMs} ms`);
  },
};

/** The paths of the members of a value that are empty strings. */
function emptyMembers(value: unknown, path = ''): readonly string[] {
  if (value === '') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => emptyMembers(member, `${path}/${name}`));
}

const emptyValues: Check = {
  id: 'values.empty',
  clause: 'The invoice, options: each member is absent when the service gave none',
  rule: 'leaves out members that the service sends as an empty string',
  fix: 'Treat "" in the answers of the service as a member that is missing.',
  async run(context) {
    const fault = await context.sandbox().setFault({ kind: 'empty_values' });
    const seen = checkoutIn(await create(context), 201, 200);
    await context.ports.sleep(context.timeouts.settleMs);
    const later = await readCheckout(context);
    await fault.end();
    const found = [seen, later].flatMap(({ invoice, options }) => emptyMembers({ invoice, options }));
    expect(found.length === 0, 'no member that is ""', found.join(', '));
  },
};

const amountPaid: Check = {
  id: 'amount.paid',
  clause: 'GET: paid comes from a re-fetch of the invoice at the service',
  rule: 'does not become paid by an invoice whose amount changed',
  fix: 'Compare the amount of each fetched invoice with the order; report a payment of another amount to the shop.',
  async run(context) {
    const { invoiceId } = await createAnInvoice(context);
    const fault = await context
      .sandbox()
      .setFault({ kind: 'wrong_amount', operation: 'FetchInvoices', once_paid: true });
    await context.sandbox().simulate(invoiceId, 'pay');
    await context.ports.sleep(2 * context.timeouts.settleMs);
    const seen = await readCheckout(context);
    await fault.end();
    expect(seen.status === 'pending', '"pending" while the shop checks the amount', summarize(seen));
  },
};

const duplicates: Check = {
  id: 'duplicates.one',
  clause: 'POST: 202, the element repeats the request with the same key',
  rule: 'offers one invoice when the service creates a new one for each repeat',
  fix: 'Offer the invoice of the answer that arrived, and keep it for every later read.',
  async run(context) {
    const lost = await context.sandbox().setFault({ operation: 'CreateInvoice', kind: 'lost' });
    const duplicate = await context.sandbox().setFault({ kind: 'duplicate_create' });
    const [body, key] = [await createBody(context), randomUUID()];
    await context.backend.create(context.checkout, body, { key });
    await lost.end();
    const seen = checkoutIn(await createUntilKnown(context, body, key), 201, 200);
    const again = checkoutIn(await context.backend.create(context.checkout, body, { key }), 200);
    await context.ports.sleep(context.timeouts.settleMs);
    const later = await readCheckout(context);
    await duplicate.end();
    const ids = new Set([seen, again, later].map(({ invoice }) => invoice?.id));
    expect(ids.size === 1 && seen.invoice !== null, 'one invoice', `${ids.size} of them`);
    await context.sandbox().simulate(seen.invoice.id, 'pay');
    await waitForStatus(context, 'paid');
  },
};

const batches: Check = {
  id: 'batches.refused',
  clause: 'GET: paid comes from a re-fetch of the invoice at the service',
  rule: 'detects payments when the invoice service refuses requests for more than one invoice',
  fix: 'When FetchInvoices is refused as a whole, split the list and fetch its parts.',
  async run(context) {
    const other = await context.openAnother();
    const [first, second] = [await createAnInvoice(context), await createAnInvoice(context, other)];
    const fault = await context.sandbox().setFault({ kind: 'batch_refused' });
    for (const { invoiceId } of [first, second]) await context.sandbox().simulate(invoiceId, 'pay');
    for (const checkout of [context.checkout, other])
      await waitUntil(context, '"paid"', ({ status }) => status === 'paid', checkout);
    await fault.end();
  },
};

const hangingFetch: Check = {
  id: 'hanging.stale',
  clause: 'GET: stale, the service does not answer, this is the last known state',
  rule: 'shows the last known state as stale while the invoice service accepts requests but does not answer',
  fix: 'Give each call to the service a timeout, and set `stale` when fetches have failed for some seconds.',
  async run(context) {
    await createAnInvoice(context);
    const fault = await context.sandbox().setFault({ kind: 'stall', operation: 'FetchInvoices', at: 'headers' });
    const seen = await waitUntil(context, '`stale` true', ({ stale }) => stale);
    expect(seen.status === 'pending' && seen.invoice !== null, '"pending" with its invoice', summarize(seen));
    await fault.end();
    await waitUntil(context, '`stale` false', ({ stale }) => !stale);
  },
};

const hangingWrite: Check = {
  id: 'hanging.write',
  clause: 'POST: 202 + the checkout, or 503 try_again, with Retry-After',
  rule: 'answers a write when the invoice service does not answer CreateInvoice',
  fix: 'Bound the time of a create, and answer 202 with Retry-After when the service has not answered.',
  async run(context) {
    const fault = await context.sandbox().setFault({ kind: 'stall', operation: 'CreateInvoice', at: 'headers' });
    const exchange = await context.backend.create(context.checkout, await createBody(context));
    await fault.end();
    expect(isRetryable(exchange), 'HTTP 202 or 503 try_again, with Retry-After', exchange);
  },
};

const pendingPastDeadline: Check = {
  id: 'grace.pending',
  clause: 'GET: expired needs the deadline, a grace period and a last fetch',
  rule: 'does not become expired soon after the deadline while the invoice service reports the invoice as pending',
  fix: 'Wait at least a minute after the deadline: a bank may confirm a transfer late.',
  async run(context) {
    if (!context.includeSlow) throw new NotRun(`it takes ${withinGraceMs / 1000} s: give --slow`);
    await context.sandbox().setLifetime(context.timeouts.lifetimeMs);
    await createAnInvoice(context);
    await context.sandbox().setFault({ kind: 'unknown_status', value: 'PENDING' });
    await context.ports.sleep(context.timeouts.lifetimeMs + withinGraceMs);
    const seen = await readCheckout(context);
    await context.sandbox().restore();
    expect(seen.status === 'pending', '"pending"', summarize(seen));
  },
};

const unknownNeverEnds: Check = {
  id: 'grace.unknown_status',
  clause: 'GET: a status that is not in the configured lists is pending',
  rule: 'never expires an invoice by time while its status is unknown',
  fix: 'At its deadline, expire an invoice only when its status is a known word for pending; log any other word as an error.',
  async run(context) {
    await context.sandbox().setLifetime(context.timeouts.lifetimeMs);
    await createAnInvoice(context);
    await context.sandbox().setFault({ kind: 'unknown_status', value: 'HELD_BY_BANK' });
    const waitMs = context.includeSlow ? afterGraceMs : context.timeouts.settleMs;
    await context.ports.sleep(context.timeouts.lifetimeMs + waitMs);
    const seen = await readCheckout(context);
    await context.sandbox().restore();
    expect(seen.status === 'pending', `"pending" ${waitMs / 1000} s after the deadline`, summarize(seen));
  },
};

/** Each check has a checkout of its own. */
export const unspecified: readonly Group[] = [
  { title: 'The service refuses the QR code', checks: [qrRefused] },
  { title: 'The service sends nothing to pay with', checks: [unpayable] },
  { title: 'The service writes times in another way', checks: [shortOffset] },
  { title: 'The service writes times without a zone', checks: [noZone] },
  { title: 'The service sends empty values', checks: [emptyValues] },
  { title: 'The amount changes at the payment', checks: [amountPaid] },
  { title: 'The service repeats a create as a new invoice', checks: [duplicates] },
  { title: 'The service refuses batches', checks: [batches] },
  { title: 'The service does not answer a fetch', checks: [hangingFetch] },
  { title: 'The service does not answer a create', checks: [hangingWrite] },
  { title: 'The deadline passes', checks: [pendingPastDeadline] },
  { title: 'The deadline passes with an unknown status', checks: [unknownNeverEnds] },
].map((group) => ({ ...group, checkout: 'fresh', sandbox: true }));
