import { parseTimestamp } from '../../../service-api/scalars.ts';
import { check, freshGroups, refuses, sharedStep, waits, type Check, type CheckContext } from '../check.ts';
import { createSharedInvoice, createTestInvoice } from '../create-test-invoice.ts';
import { checkoutIn, expect, expectCheckout, expectState, invoiceIdIn, NotRun } from '../expect.ts';

/** Pays the invoice or lets it fail, and waits until the checkout shows it. */
const endInvoice = (action: 'pay' | 'fail') => async (context: CheckContext) => {
  const { invoiceId } = await createSharedInvoice(context);
  await context.sandbox.simulate(invoiceId, action);
  return context.waitForStatus(action === 'pay' ? 'paid' : 'failed');
};
const payInvoice = sharedStep('the paid checkout', endInvoice('pay'));
const failInvoice = sharedStep('the failed checkout', endInvoice('fail'));

const createShortLivedInvoice = sharedStep('the invoice with a short lifetime', async (context) => {
  await context.sandbox.setInvoiceLifetime(waits.lifetimeMs);
  return createSharedInvoice(context);
});

const waitForExpiry = sharedStep('the expired checkout', async (context) => {
  await createShortLivedInvoice(context);
  return context.waitForStatus('expired');
});

/** Throws a `Violation` unless a new invoice can be created after one that failed or expired. */
async function expectNewInvoice(context: CheckContext): Promise<void> {
  const { invoiceId, body } = await createSharedInvoice(context);
  const checkout = expectCheckout(await context.createWithRetries(body), 201);
  expectState(checkout, 'pending', { invoice: true });
  expect(invoiceIdIn(checkout) !== invoiceId, 'a new invoice', 'the one that failed or expired');
}

const groups: Readonly<Record<string, Check | readonly Check[]>> = {
  Paid: [
    check(
      'paid.seen',
      'becomes paid when the invoice service reports the payment',
      'Fetch pending invoices with FetchInvoices every few seconds; map the status PAID to "paid".',
      payInvoice,
    ),
    check(
      'paid.time',
      'has paid_at null before the payment, and the same paid_at in every read after it',
      'Store the time with the payment that was found, and send it as `paid_at`.',
      async (context) => {
        const before = (await createSharedInvoice(context)).checkout.paid_at;
        const paidAt = (await payInvoice(context)).paid_at;
        expect(before === null, '`paid_at` null before the payment', before ?? '');
        expect(paidAt !== null, '`paid_at` in the paid checkout', 'null');
        const later = (await context.readCheckout()).paid_at;
        expect(later === paidAt, `${paidAt} as before`, later ?? 'null');
      },
    ),
    check(
      'paid.options',
      'lists no payment options once it is paid',
      'Answer `options` [] for a paid checkout, with ?options=1 too.',
      async (context) => {
        await payInvoice(context);
        for (const query of ['', '?options=1']) {
          const { options } = await context.readCheckout(query);
          expect(options.length === 0, 'no options', `${options.length} options`);
        }
      },
    ),
    check(
      'paid.refused',
      'creates no invoice once it is paid',
      'Answer 409 already_paid, also with `replace`, before any other check.',
      refuses(409, 'already_paid', async (context) => {
        await payInvoice(context);
        const { body } = await createSharedInvoice(context);
        return [[body], [{ ...body, replace: true }]];
      }),
    ),
    check(
      'paid.final',
      'stays paid whatever the invoice service reports later',
      'Never overwrite "paid": store it with the outcome, and drop later and older responses.',
      async (context) => {
        await payInvoice(context);
        const { invoiceId } = await createSharedInvoice(context);
        for (const status of ['PENDING', 'FAILED', 'EXPIRED']) {
          await context.sandbox.setStatus(invoiceId, status);
          await context.sleep(waits.settleMs / 2);
          expectState(await context.readCheckout(), 'paid', { when: 'as before' });
        }
      },
    ),
  ],
  Failed: [
    check(
      'failed.seen',
      'becomes failed when the invoice service reports the failure',
      'Map the status FAILED to "failed", and only when FetchInvoices returned it.',
      failInvoice,
    ),
    check(
      'failed.again',
      'creates a new invoice for the same method after a failure',
      'A failed invoice can no longer be paid: create a new one for the same method without `replace`.',
      async (context) => {
        await failInvoice(context);
        await expectNewInvoice(context);
      },
    ),
  ],
  Expired: [
    check(
      'expired.seen',
      'becomes expired after the deadline of its invoice and a grace period',
      'After the deadline and a grace period fetch the invoice once more; then answer "expired".',
      waitForExpiry,
    ),
    check(
      'expired.deadline',
      'is not expired before the deadline of its invoice',
      'Compare expires_at with the clock of the server in UTC.',
      async (context) => {
        await waitForExpiry(context);
        const { expires_at: expiresAt = '' } = (await createShortLivedInvoice(context)).checkout.invoice ?? {};
        const deadline = parseTimestamp(expiresAt);
        if (deadline === undefined) throw new NotRun('the invoice has no deadline');
        const early = context.run.backend.log
          .filter(({ capability }) => capability === context.capability)
          .flatMap((exchange) => checkoutIn(exchange) ?? [])
          .find(({ status, server_time: at }) => status === 'expired' && (parseTimestamp(at) ?? deadline) < deadline);
        expect(early === undefined, `"expired" not before ${expiresAt}`, `at ${early?.server_time ?? ''}`);
      },
    ),
    check(
      'expired.again',
      'creates a new invoice for the same method after the expiry',
      'Stop offering an expired invoice: create a new one for the same method without `replace`.',
      async (context) => {
        await waitForExpiry(context);
        await context.sandbox.restore();
        await expectNewInvoice(context);
      },
    ),
  ],
  'Expired, and then paid': check(
    'expired.paid',
    'becomes paid when its expired invoice is paid',
    'Continue to fetch an expired invoice for two days, at growing intervals: a bank may hold a transfer for that time.',
    async (context) => {
      const { invoiceId } = await createShortLivedInvoice(context);
      await context.waitForStatus('expired');
      await context.sandbox.restore();
      await context.sandbox.setStatus(invoiceId, 'PAID');
      await context.waitForStatus('paid');
    },
  ),
  Replaced: check(
    'replaced.paid',
    'becomes paid when the invoice that was replaced is paid',
    'Continue to fetch replaced invoices until they end; a payment of any invoice makes the checkout paid.',
    async (context) => {
      const { invoiceId } = await createSharedInvoice(context);
      await createTestInvoice(context, true);
      await context.sandbox.simulate(invoiceId, 'pay');
      await context.waitForStatus('paid');
    },
  ),
  'An unknown status': [
    check(
      'unknown_status.pending',
      'treats an unknown status of an invoice as pending',
      'Map known words to paid, failed and expired, and every other value, numbers included, to "pending".',
      async (context) => {
        const { invoiceId } = await createSharedInvoice(context);
        for (const status of ['ON_HOLD', 'PAID_PARTIALLY', 7]) {
          await context.sandbox.setStatus(invoiceId, status);
          expectState(await context.readSettledCheckout(), 'pending', { when: `at the service's ${status}` });
        }
      },
    ),
    check(
      'unknown_status.goes_on',
      'continues to poll an invoice with an unknown status',
      'Continue to fetch an invoice whose status is unknown.',
      async (context) => {
        const { invoiceId } = await createSharedInvoice(context);
        await context.sandbox.setStatus(invoiceId, 'ON_HOLD');
        await context.sleep(waits.settleMs);
        await context.sandbox.setStatus(invoiceId, 'PAID');
        await context.waitForStatus('paid');
      },
    ),
  ],
};

export const invoiceOutcomeChecks = freshGroups(groups, { sandbox: true });
