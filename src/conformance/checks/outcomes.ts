import { randomUUID } from 'node:crypto';
import { parseTimestamp } from '../../contract/scalars.ts';
import { checkout as checkoutSchema } from '../../protocol.ts';
import {
  sharedStep,
  checkoutIn,
  createUntilKnown,
  readCheckout,
  summarize,
  waitForStatus,
  type Check,
  type Group,
  type CheckContext,
} from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import { createAnInvoice } from '../create-test-invoice.ts';
import { expectRefusal } from '../expect-refusal.ts';

const started = sharedStep('the invoice', (context) => createAnInvoice(context));

const paid = sharedStep('the paid checkout', async (context) => {
  const { invoiceId } = await started(context);
  await context.sandbox().simulate(invoiceId, 'pay');
  return waitForStatus(context, 'paid');
});

const paidSeen: Check = {
  id: 'paid.seen',
  clause: 'GET: paid comes from a re-fetch of the invoice at the service',
  rule: 'becomes paid when the invoice service reports the payment',
  fix: 'Fetch pending invoices with FetchInvoices every few seconds; map the status PAID to "paid".',
  async run(context) {
    await paid(context);
  },
};

const paidOptions: Check = {
  id: 'paid.options',
  clause: 'GET: options, [] once paid',
  rule: 'lists no payment options once it is paid',
  fix: 'Answer `options` [] for a paid checkout, with ?options=1 too.',
  async run(context) {
    await paid(context);
    for (const query of ['', '?options=1']) {
      const { options } = checkoutIn(await context.backend.read(context.checkout, {}, query), 200);
      expect(options.length === 0, 'no options', `${options.length} of them`);
    }
  },
};

const paidTime: Check = {
  id: 'paid.time',
  clause: 'GET: paid_at, when the backend learnt of the payment',
  rule: 'has a paid_at once it is paid, the same in every later read, and null before',
  fix: 'Store the time with the payment that was found, and send it as `paid_at`.',
  async run(context) {
    const { seen: before } = await started(context);
    const after = await paid(context);
    expect(before.paid_at === null, '`paid_at` null before the payment', before.paid_at ?? '');
    expect(after.paid_at !== null, '`paid_at` in the paid checkout', 'null');
    const later = await readCheckout(context);
    expect(later.paid_at === after.paid_at, `${after.paid_at} as before`, later.paid_at ?? 'null');
  },
};

const paidRefused: Check = {
  id: 'paid.refused',
  clause: 'POST: 409 already_paid',
  rule: 'creates no invoice once it is paid',
  fix: 'Answer 409 already_paid, also with `replace`, before any other check.',
  async run(context) {
    await paid(context);
    const { body } = await started(context);
    for (const request of [body, { ...body, replace: true }])
      await expectRefusal(context, request, 409, 'already_paid');
  },
};

const paidFinal: Check = {
  id: 'paid.final',
  clause: 'GET: paid is final, nothing turns it back',
  rule: 'stays paid whatever the invoice service reports later',
  fix: 'Never overwrite "paid": store it with the outcome, and drop later and older answers.',
  async run(context) {
    await paid(context);
    const { invoiceId } = await started(context);
    for (const status of ['PENDING', 'FAILED', 'EXPIRED']) {
      await context.sandbox().setStatus(invoiceId, status);
      await context.ports.sleep(context.timeouts.settleMs / 2);
      const seen = await readCheckout(context);
      expect(seen.status === 'paid', '"paid" as before', summarize(seen));
    }
  },
};

export const paying: Group = {
  title: 'Paid',
  checkout: 'fresh',
  sandbox: true,
  checks: [paidSeen, paidTime, paidOptions, paidRefused, paidFinal],
};

const failed = sharedStep('the failed checkout', async (context) => {
  const { invoiceId } = await started(context);
  await context.sandbox().simulate(invoiceId, 'fail');
  return waitForStatus(context, 'failed');
});

const failedSeen: Check = {
  id: 'failed.seen',
  clause: 'GET: failed comes from a re-fetch of the invoice at the service',
  rule: 'becomes failed when the invoice service reports the failure',
  fix: 'Map the status FAILED to "failed", by a fetch and by nothing else.',
  async run(context) {
    await failed(context);
  },
};

/** Throws a `Violation` unless a new invoice can be created after one that failed or expired. */
async function expectNewInvoice(context: CheckContext): Promise<void> {
  const { invoiceId, body } = await started(context);
  const seen = checkoutIn(await createUntilKnown(context, body, randomUUID()), 201);
  expect(seen.status === 'pending' && seen.invoice !== null, '"pending" with an invoice', summarize(seen));
  expect(seen.invoice.id !== invoiceId, 'a new invoice', 'the one that failed or expired');
}

const failedAgain: Check = {
  id: 'failed.again',
  clause: 'POST: 201 + the checkout',
  rule: 'lets the payer try again after a failure',
  fix: 'A failed invoice can no longer be paid: create a new one for the same method without `replace`.',
  async run(context) {
    await failed(context);
    await expectNewInvoice(context);
  },
};

export const failing: Group = {
  title: 'Failed',
  checkout: 'fresh',
  sandbox: true,
  checks: [failedSeen, failedAgain],
};

const shortLived = sharedStep('the invoice with little time', async (context) => {
  await context.sandbox().setLifetime(context.timeouts.lifetimeMs);
  return started(context);
});

const expired = sharedStep('the expired checkout', async (context) => {
  await shortLived(context);
  return waitForStatus(context, 'expired');
});

const expiredSeen: Check = {
  id: 'expired.seen',
  clause: 'GET: expired needs the deadline, a grace period and a last fetch',
  rule: 'becomes expired after the deadline and a grace period',
  fix: 'After the deadline and a grace period fetch the invoice once more; then answer "expired".',
  async run(context) {
    await expired(context);
  },
};

const expiredLate: Check = {
  id: 'expired.deadline',
  clause: 'GET: expired needs the deadline, a grace period and a last fetch',
  rule: 'is not expired before its deadline',
  fix: 'Compare expires_at with the clock of the server in UTC.',
  async run(context) {
    await expired(context);
    const { seen } = await shortLived(context);
    const deadline = parseTimestamp(seen.invoice?.expires_at ?? '');
    if (deadline === undefined) throw new NotRun('the invoice has no deadline');
    const early = context.backend.log
      .filter(({ checkout }) => checkout === context.checkout)
      .flatMap(({ json }) => checkoutSchema.safeParse(json).data ?? [])
      .find(({ status, server_time }) => status === 'expired' && (parseTimestamp(server_time) ?? deadline) < deadline);
    expect(
      early === undefined,
      `"expired" not before ${seen.invoice?.expires_at ?? ''}`,
      `at ${early?.server_time ?? ''}`,
    );
  },
};

const expiredAgain: Check = {
  id: 'expired.again',
  clause: 'POST: 201 + the checkout',
  rule: 'lets the payer create a new invoice after the expiry',
  fix: 'Do not offer an expired invoice any more: create a new one for the same method without `replace`.',
  async run(context) {
    await expired(context);
    await context.sandbox().restore();
    await expectNewInvoice(context);
  },
};

export const expiring: Group = {
  title: 'Expired',
  checkout: 'fresh',
  sandbox: true,
  checks: [expiredSeen, expiredLate, expiredAgain],
};

const expiredPaid: Check = {
  id: 'expired.paid',
  clause: 'States: any, paid: an invoice of it was paid, also late',
  rule: 'becomes paid when an invoice is paid after it has expired',
  fix: 'Continue to fetch an expired invoice for two days, less and less often: a bank may hold a transfer for so long.',
  async run(context) {
    const { invoiceId } = await shortLived(context);
    await waitForStatus(context, 'expired');
    await context.sandbox().restore();
    await context.sandbox().setStatus(invoiceId, 'PAID');
    await waitForStatus(context, 'paid');
  },
};

export const paidLate: Group = {
  title: 'Expired, and then paid',
  checkout: 'fresh',
  sandbox: true,
  checks: [expiredPaid],
};

const replacedPaid: Check = {
  id: 'replaced.paid',
  clause: 'GET: a paid invoice that the payer had left for another one still makes the checkout paid',
  rule: 'becomes paid when the invoice that was replaced is paid',
  fix: 'Continue to fetch replaced invoices until they end; whichever is paid makes the checkout paid.',
  async run(context) {
    const { invoiceId } = await started(context);
    await createAnInvoice(context, context.checkout, true);
    await context.sandbox().simulate(invoiceId, 'pay');
    await waitForStatus(context, 'paid');
  },
};

export const replacing: Group = { title: 'Replaced', checkout: 'fresh', sandbox: true, checks: [replacedPaid] };

const unknownPending: Check = {
  id: 'unknown_status.pending',
  clause: 'GET: a status that is not in the configured lists is pending',
  rule: 'treats an unknown status of an invoice as pending',
  fix: 'Map known words to paid, failed and expired, and everything else to "pending", numbers too.',
  async run(context) {
    const { invoiceId } = await started(context);
    for (const status of ['ON_HOLD', 'PAID_PARTIALLY', 7]) {
      await context.sandbox().setStatus(invoiceId, status);
      await context.ports.sleep(context.timeouts.settleMs);
      const seen = await readCheckout(context);
      expect(seen.status === 'pending', `"pending" at the service's ${status}`, summarize(seen));
    }
  },
};

const unknownPaid: Check = {
  id: 'unknown_status.goes_on',
  clause: 'GET: a status that is not in the configured lists is pending',
  rule: 'continues to poll an invoice with an unknown status',
  fix: 'Continue to fetch an invoice whose status is unknown.',
  async run(context) {
    const { invoiceId } = await started(context);
    await context.sandbox().setStatus(invoiceId, 'ON_HOLD');
    await context.ports.sleep(context.timeouts.settleMs);
    await context.sandbox().setStatus(invoiceId, 'PAID');
    await waitForStatus(context, 'paid');
  },
};

export const unknownStatus: Group = {
  title: 'An unknown status',
  checkout: 'fresh',
  sandbox: true,
  checks: [unknownPending, unknownPaid],
};
