import { randomUUID } from 'node:crypto';
import { parseTimestamp } from '../../../service-api/scalars.ts';
import { checkout as checkoutSchema } from '../../../checkout-api.ts';
import {
  sharedStep,
  expectCheckout,
  createInvoiceWithRetries,
  readCheckout,
  summarize,
  waitForStatus,
  type Check,
  type CheckGroup,
  type CheckContext,
} from '../check.ts';
import { expect, NotRun } from '../expect.ts';
import { createTestInvoice } from '../create-test-invoice.ts';
import { expectRefusal } from '../expect-refusal.ts';

const createPendingInvoice = sharedStep('the invoice', (context) => createTestInvoice(context));

const payInvoice = sharedStep('the paid checkout', async (context) => {
  const { invoiceId } = await createPendingInvoice(context);
  await context.sandbox().simulate(invoiceId, 'pay');
  return waitForStatus(context, 'paid');
});

const paidStatusCheck: Check = {
  id: 'paid.seen',
  clause: 'GET: paid comes from a re-fetch of the invoice at the service',
  rule: 'becomes paid when the invoice service reports the payment',
  fix: 'Fetch pending invoices with FetchInvoices every few seconds; map the status PAID to "paid".',
  async run(context) {
    await payInvoice(context);
  },
};

const paidOptionsCheck: Check = {
  id: 'paid.options',
  clause: 'GET: options, [] once paid',
  rule: 'lists no payment options once it is paid',
  fix: 'Answer `options` [] for a paid checkout, with ?options=1 too.',
  async run(context) {
    await payInvoice(context);
    for (const query of ['', '?options=1']) {
      const { options } = expectCheckout(await context.backend.read(context.capability, {}, query), 200);
      expect(options.length === 0, 'no options', `${options.length} options`);
    }
  },
};

const paidAtCheck: Check = {
  id: 'paid.time',
  clause: 'GET: paid_at, when the backend learnt of the payment',
  rule: 'has paid_at null before the payment, and the same paid_at in every read after it',
  fix: 'Store the time with the payment that was found, and send it as `paid_at`.',
  async run(context) {
    const { checkout: checkoutBefore } = await createPendingInvoice(context);
    const paidCheckout = await payInvoice(context);
    expect(checkoutBefore.paid_at === null, '`paid_at` null before the payment', checkoutBefore.paid_at ?? '');
    expect(paidCheckout.paid_at !== null, '`paid_at` in the paid checkout', 'null');
    const laterCheckout = await readCheckout(context);
    expect(
      laterCheckout.paid_at === paidCheckout.paid_at,
      `${paidCheckout.paid_at} as before`,
      laterCheckout.paid_at ?? 'null',
    );
  },
};

const alreadyPaidCheck: Check = {
  id: 'paid.refused',
  clause: 'POST: 409 already_paid',
  rule: 'creates no invoice once it is paid',
  fix: 'Answer 409 already_paid, also with `replace`, before any other check.',
  async run(context) {
    await payInvoice(context);
    const { body } = await createPendingInvoice(context);
    for (const request of [body, { ...body, replace: true }])
      await expectRefusal(context, request, 409, 'already_paid');
  },
};

const paidIsFinalCheck: Check = {
  id: 'paid.final',
  clause: 'GET: paid is final, nothing turns it back',
  rule: 'stays paid whatever the invoice service reports later',
  fix: 'Never overwrite "paid": store it with the outcome, and drop later and older responses.',
  async run(context) {
    await payInvoice(context);
    const { invoiceId } = await createPendingInvoice(context);
    for (const status of ['PENDING', 'FAILED', 'EXPIRED']) {
      await context.sandbox().setStatus(invoiceId, status);
      await context.ports.sleep(context.timeouts.settleMs / 2);
      const checkout = await readCheckout(context);
      expect(checkout.status === 'paid', '"paid" as before', summarize(checkout));
    }
  },
};

export const paidChecks: CheckGroup = {
  title: 'Paid',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [paidStatusCheck, paidAtCheck, paidOptionsCheck, alreadyPaidCheck, paidIsFinalCheck],
};

const failInvoice = sharedStep('the failed checkout', async (context) => {
  const { invoiceId } = await createPendingInvoice(context);
  await context.sandbox().simulate(invoiceId, 'fail');
  return waitForStatus(context, 'failed');
});

const failedStatusCheck: Check = {
  id: 'failed.seen',
  clause: 'GET: failed comes from a re-fetch of the invoice at the service',
  rule: 'becomes failed when the invoice service reports the failure',
  fix: 'Map the status FAILED to "failed", and only when FetchInvoices returned it.',
  async run(context) {
    await failInvoice(context);
  },
};

/** Throws a `Violation` unless a new invoice can be created after one that failed or expired. */
async function expectNewInvoice(context: CheckContext): Promise<void> {
  const { invoiceId, body } = await createPendingInvoice(context);
  const checkout = expectCheckout(await createInvoiceWithRetries(context, body, randomUUID()), 201);
  expect(checkout.status === 'pending' && checkout.invoice !== null, '"pending" with an invoice', summarize(checkout));
  expect(checkout.invoice.id !== invoiceId, 'a new invoice', 'the one that failed or expired');
}

const createAfterFailureCheck: Check = {
  id: 'failed.again',
  clause: 'POST: 201 + the checkout',
  rule: 'creates a new invoice for the same method after a failure',
  fix: 'A failed invoice can no longer be paid: create a new one for the same method without `replace`.',
  async run(context) {
    await failInvoice(context);
    await expectNewInvoice(context);
  },
};

export const failedChecks: CheckGroup = {
  title: 'Failed',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [failedStatusCheck, createAfterFailureCheck],
};

const createShortLivedInvoice = sharedStep('the invoice with a short lifetime', async (context) => {
  await context.sandbox().setInvoiceLifetime(context.timeouts.lifetimeMs);
  return createPendingInvoice(context);
});

const waitForExpiry = sharedStep('the expired checkout', async (context) => {
  await createShortLivedInvoice(context);
  return waitForStatus(context, 'expired');
});

const expiredStatusCheck: Check = {
  id: 'expired.seen',
  clause: 'GET: expired needs the deadline, a grace period and a last fetch',
  rule: 'becomes expired after the deadline of its invoice and a grace period',
  fix: 'After the deadline and a grace period fetch the invoice once more; then answer "expired".',
  async run(context) {
    await waitForExpiry(context);
  },
};

const expiryNotEarlyCheck: Check = {
  id: 'expired.deadline',
  clause: 'GET: expired needs the deadline, a grace period and a last fetch',
  rule: 'is not expired before the deadline of its invoice',
  fix: 'Compare expires_at with the clock of the server in UTC.',
  async run(context) {
    await waitForExpiry(context);
    const { checkout } = await createShortLivedInvoice(context);
    const deadline = parseTimestamp(checkout.invoice?.expires_at ?? '');
    if (deadline === undefined) throw new NotRun('the invoice has no deadline');
    const earlyExpiry = context.backend.log
      .filter(({ capability }) => capability === context.capability)
      .flatMap(({ json }) => checkoutSchema.safeParse(json).data ?? [])
      .find(({ status, server_time }) => status === 'expired' && (parseTimestamp(server_time) ?? deadline) < deadline);
    expect(
      earlyExpiry === undefined,
      `"expired" not before ${checkout.invoice?.expires_at ?? ''}`,
      `at ${earlyExpiry?.server_time ?? ''}`,
    );
  },
};

const createAfterExpiryCheck: Check = {
  id: 'expired.again',
  clause: 'POST: 201 + the checkout',
  rule: 'creates a new invoice for the same method after the expiry',
  fix: 'Stop offering an expired invoice: create a new one for the same method without `replace`.',
  async run(context) {
    await waitForExpiry(context);
    await context.sandbox().restore();
    await expectNewInvoice(context);
  },
};

export const expiredChecks: CheckGroup = {
  title: 'Expired',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [expiredStatusCheck, expiryNotEarlyCheck, createAfterExpiryCheck],
};

const paidAfterExpiryCheck: Check = {
  id: 'expired.paid',
  clause: 'States: any, paid: an invoice of it was paid, also late',
  rule: 'becomes paid when its expired invoice is paid',
  fix: 'Continue to fetch an expired invoice for two days, at growing intervals: a bank may hold a transfer for that time.',
  async run(context) {
    const { invoiceId } = await createShortLivedInvoice(context);
    await waitForStatus(context, 'expired');
    await context.sandbox().restore();
    await context.sandbox().setStatus(invoiceId, 'PAID');
    await waitForStatus(context, 'paid');
  },
};

export const paidAfterExpiryChecks: CheckGroup = {
  title: 'Expired, and then paid',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [paidAfterExpiryCheck],
};

const replacedInvoicePaidCheck: Check = {
  id: 'replaced.paid',
  clause: 'GET: a paid invoice that the payer had left for another one still makes the checkout paid',
  rule: 'becomes paid when the invoice that was replaced is paid',
  fix: 'Continue to fetch replaced invoices until they end; a payment of any invoice makes the checkout paid.',
  async run(context) {
    const { invoiceId } = await createPendingInvoice(context);
    await createTestInvoice(context, context.capability, true);
    await context.sandbox().simulate(invoiceId, 'pay');
    await waitForStatus(context, 'paid');
  },
};

export const replacedInvoiceChecks: CheckGroup = {
  title: 'Replaced',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [replacedInvoicePaidCheck],
};

const unknownStatusPendingCheck: Check = {
  id: 'unknown_status.pending',
  clause: 'GET: a status that is not in the configured lists is pending',
  rule: 'treats an unknown status of an invoice as pending',
  fix: 'Map known words to paid, failed and expired, and every other value, numbers included, to "pending".',
  async run(context) {
    const { invoiceId } = await createPendingInvoice(context);
    for (const status of ['ON_HOLD', 'PAID_PARTIALLY', 7]) {
      await context.sandbox().setStatus(invoiceId, status);
      await context.ports.sleep(context.timeouts.settleMs);
      const checkout = await readCheckout(context);
      expect(checkout.status === 'pending', `"pending" at the service's ${status}`, summarize(checkout));
    }
  },
};

const unknownStatusPolledCheck: Check = {
  id: 'unknown_status.goes_on',
  clause: 'GET: a status that is not in the configured lists is pending',
  rule: 'continues to poll an invoice with an unknown status',
  fix: 'Continue to fetch an invoice whose status is unknown.',
  async run(context) {
    const { invoiceId } = await createPendingInvoice(context);
    await context.sandbox().setStatus(invoiceId, 'ON_HOLD');
    await context.ports.sleep(context.timeouts.settleMs);
    await context.sandbox().setStatus(invoiceId, 'PAID');
    await waitForStatus(context, 'paid');
  },
};

export const unknownStatusChecks: CheckGroup = {
  title: 'An unknown status',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [unknownStatusPendingCheck, unknownStatusPolledCheck],
};
