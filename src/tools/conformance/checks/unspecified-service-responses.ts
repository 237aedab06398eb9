// Responses of the invoice service that its specification leaves open. A backend must handle each of them.
import { randomUUID } from 'node:crypto';
import { maxIdentifierLength, maxLinkLength, maxNameLength } from '../../../base/text-limits.ts';
import { check, freshGroups, waits, type Check, type CheckContext } from '../check.ts';
import { createTestInvoice } from '../create-test-invoice.ts';
import {
  checkoutIn,
  expect,
  expectCheckout,
  expectProblem,
  expectRetryable,
  expectState,
  hasPaymentDetails,
  invoiceIdIn,
  NotRun,
  summarize,
} from '../expect.ts';
import type { Fault } from '../sandbox-client.ts';

/** Longer than any grace period after a deadline, in milliseconds. */
const afterGraceMs = 90_000;
/** Shorter than the grace period that a bank transfer needs after a deadline, in milliseconds. */
const withinGraceMs = 20_000;

const qrRefusals: readonly Omit<Fault, 'kind'>[] = [
  { status: 400 },
  { status: 503, shape: 'nested', code: 'internal' },
  { status: 500, shape: 'empty' },
];

/** The paths of the members that are empty strings, at any depth of a value. */
function emptyMembers(value: unknown, path = ''): readonly string[] {
  if (value === '') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => emptyMembers(member, `${path}/${name}`));
}

/** Each check by the title of its group: each has its own fresh checkout, and the sandbox is restored after it. */
const checks: Readonly<Record<string, Check>> = {
  'The service refuses the QR code': check(
    'qr.refused',
    'gives requisites without a QR code when the service refuses the QR code with any kind of error',
    'After a create with qr.generate failed, repeat it with the same external_id and without qr.',
    async (context) => {
      for (const refusal of qrRefusals) {
        const other = await context.openAnother();
        const fault = await context.setFault({ kind: 'qr_refused', ...refusal });
        const checkout = await other.createInvoice();
        await fault.end();
        expect(hasPaymentDetails(checkout), `requisites after ${JSON.stringify(refusal)}`, summarize(checkout));
      }
    },
  ),
  'The service sends nothing to pay with': check(
    'unpayable.not_offered',
    'does not offer an invoice without requisites and without a payment link',
    'When the service sends no requisites and no safe link, answer 422 method_unavailable and log an error.',
    async (context) => {
      await context.setFault({ kind: 'missing_fields', operation: 'CreateInvoice' });
      const exchange = await context.create(await context.createBody());
      const shown = [checkoutIn(exchange), await context.readCheckout()];
      const isOffered = shown.some(
        (checkout) => checkout?.status === 'pending' && checkout.invoice !== null && !hasPaymentDetails(checkout),
      );
      expect(!isOffered, 'no invoice without requisites and links', exchange);
    },
  ),
  'The service writes time offsets without a colon': check(
    'times.short_offset',
    'reads the offset +0300 as three hours east of UTC',
    'Accept offsets without a colon, and convert the deadline to UTC.',
    async (context) => {
      const expectedMs = (await (await context.openAnother()).createInvoice()).invoice?.expires_in_ms;
      if (expectedMs === undefined) throw new NotRun('the invoices of this backend have no deadline');
      await context.setFault({ kind: 'time_format', format: '+0300' });
      const remainingMs = (await context.createInvoice()).invoice?.expires_in_ms;
      const hasExpectedTime = remainingMs !== undefined && Math.abs(remainingMs - expectedMs) < 60_000;
      expect(hasExpectedTime, `about ${expectedMs} ms left`, `expires_in_ms ${remainingMs ?? 'missing'}`);
    },
  ),
  'The service writes times without a zone': check(
    'times.no_zone',
    'leaves out the time left when the deadline has no time zone',
    'Parse RFC 3339 strictly. Without an offset the time is not known: leave out expires_at and expires_in_ms.',
    async (context) => {
      await context.setFault({ kind: 'time_format', format: 'no_zone' });
      const checkout = await context.createInvoice();
      invoiceIdIn(checkout);
      const laterCheckout = await context.readSettledCheckout();
      const remainingMs = checkout.invoice?.expires_in_ms ?? laterCheckout.invoice?.expires_in_ms;
      expect(remainingMs === undefined, 'no `expires_in_ms`', String(remainingMs));
      expectState(laterCheckout, 'pending');
    },
  ),
  'The service sends empty values': check(
    'values.empty',
    'leaves out members that the service sends as an empty string',
    'Treat "" in the responses of the service as a member that is missing.',
    async (context) => {
      await context.setFault({ kind: 'empty_values' });
      const checkouts = [await context.createInvoice(), await context.readSettledCheckout()];
      const emptyPaths = checkouts.flatMap(({ invoice, options }) => emptyMembers({ invoice, options }));
      expect(emptyPaths.length === 0, 'no member that is ""', emptyPaths.join(', '));
    },
  ),
  'The service sends long texts': check(
    'values.long',
    'answers as usual while the service sends texts of any length, and detects the payment afterwards',
    'Give each text of the service a longest length, and treat a longer one as missing; give its responses one too.',
    async (context) => {
      const fields = ['holder_name', 'name', 'account', 'payment_url', 'expires_at', 'user_id'];
      const longest = [maxIdentifierLength, maxNameLength, maxLinkLength];
      const contexts: CheckContext[] = [];
      for (const length of [...longest, ...longest.map((one) => one + 1), 1_000_000]) {
        const other = await context.openAnother();
        const [body, key] = [await other.createBody(), randomUUID()];
        const longValues: Fault = { kind: 'long_values', length, fields };
        const whileCreated = await context.setFault(longValues);
        const exchange = await other.create(body, { key });
        // A service that refuses the repeated external_id after a response that was too long does not return its invoice.
        if (exchange.status === 422) expectProblem(exchange, [422], ['method_unavailable']);
        else if (exchange.status !== 201) expectRetryable(exchange);
        await whileCreated.end();
        const invoiceId = invoiceIdIn(await other.repeatCreate(body, key));
        const whilePaid = await context.setFault(longValues);
        await context.sandbox.simulate(invoiceId, 'pay');
        await context.sleep(waits.pollMs);
        await whilePaid.end();
        contexts.push(other);
      }
      for (const one of contexts) await one.waitForStatus('paid');
    },
  ),
  'The service changes the amount of a paid invoice': check(
    'amount.paid',
    'does not become paid when a paid invoice has another amount than the order',
    'Compare the amount of each fetched invoice with the order; report a payment of another amount to the shop.',
    async (context) => {
      const { invoiceId } = await createTestInvoice(context);
      await context.setFault({ kind: 'wrong_amount', operation: 'FetchInvoices', once_paid: true });
      await context.sandbox.simulate(invoiceId, 'pay');
      await context.sleep(waits.settleMs);
      expectState(await context.readSettledCheckout(), 'pending', { when: 'while the shop checks the amount' });
    },
  ),
  'The service creates a new invoice for a repeated request': check(
    'duplicates.one',
    'offers one invoice when the service creates a new invoice for each repeated request',
    'Offer the invoice of the first response that arrives, and show the same invoice in every later read.',
    async (context) => {
      const lostFault = await context.setFault({ operation: 'CreateInvoice', kind: 'lost' });
      await context.setFault({ kind: 'duplicate_create' });
      const [body, key] = [await context.createBody(), randomUUID()];
      await context.create(body, { key });
      await lostFault.end();
      const checkout = await context.createInvoice(body, key);
      const repeated = expectCheckout(await context.create(body, { key }), 200);
      const checkouts = [checkout, repeated, await context.readSettledCheckout()];
      const ids = new Set(checkouts.map(({ invoice }) => invoice?.id));
      expect(ids.size === 1, 'one invoice', `${ids.size} invoices`);
      await context.sandbox.simulate(invoiceIdIn(checkout), 'pay');
      await context.waitForStatus('paid');
    },
  ),
  'The service refuses batches': check(
    'batches.refused',
    'detects payments when the invoice service refuses requests for more than one invoice',
    'When FetchInvoices refuses a list of invoices, split the list and fetch its parts.',
    async (context) => {
      const contexts = [context, await context.openAnother()];
      const invoiceIds: string[] = [];
      for (const one of contexts) invoiceIds.push((await createTestInvoice(one)).invoiceId);
      await context.setFault({ kind: 'batch_refused' });
      for (const id of invoiceIds) await context.sandbox.simulate(id, 'pay');
      for (const one of contexts) await one.waitForStatus('paid');
    },
  ),
  'The service does not answer a fetch': check(
    'hanging.stale',
    'shows the last known state as stale while the invoice service accepts requests but does not answer',
    'Give each call to the service a timeout, and set `stale` when fetches have failed for some seconds.',
    async (context) => {
      await createTestInvoice(context);
      const fault = await context.setFault({ kind: 'stall', operation: 'FetchInvoices', at: 'headers' });
      expectState(await context.waitForStale(true), 'pending', { invoice: true });
      await fault.end();
      await context.waitForStale(false);
    },
  ),
  'The service does not answer a create': check(
    'hanging.write',
    'answers a write when the invoice service does not answer CreateInvoice',
    'Bound the time of a create, and answer 202 with Retry-After when the service has not answered.',
    async (context) => {
      await context.setFault({ kind: 'stall', operation: 'CreateInvoice', at: 'headers' });
      expectRetryable(await context.create(await context.createBody()));
    },
  ),
  'The deadline passes': check(
    'grace.pending',
    'does not become expired soon after the deadline while the invoice service reports the invoice as pending',
    'Wait at least a minute after the deadline: a bank may confirm a transfer late.',
    async (context) => {
      const { includeSlow } = context.run;
      if (!includeSlow) throw new NotRun(`it takes ${withinGraceMs / 1000} s: give --slow`);
      await context.sandbox.setInvoiceLifetime(waits.lifetimeMs);
      await createTestInvoice(context);
      await context.setFault({ kind: 'unknown_status', value: 'PENDING' });
      await context.sleep(waits.lifetimeMs + withinGraceMs);
      expectState(await context.readCheckout(), 'pending');
    },
  ),
  'The deadline passes with an unknown status': check(
    'grace.unknown_status',
    'never expires an invoice by time while its status is unknown',
    'Expire an invoice by time only when its status is a known word for pending; log any other word as an error.',
    async (context) => {
      const { includeSlow } = context.run;
      await context.sandbox.setInvoiceLifetime(waits.lifetimeMs);
      await createTestInvoice(context);
      await context.setFault({ kind: 'unknown_status', value: 'HELD_BY_BANK' });
      const waitMs = includeSlow ? afterGraceMs : waits.settleMs;
      await context.sleep(waits.lifetimeMs + waitMs);
      expectState(await context.readCheckout(), 'pending', { when: `${waitMs / 1000} s after the deadline` });
    },
  ),
};

export const unspecifiedResponseChecks = freshGroups(checks, { sandbox: true });
