import { parseTimestamp } from '../../../service-api/scalars.ts';
import { freshGroups, sharedStep, waits, type Check, type CheckContext } from '../check.ts';
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
    {
      id: 'paid.seen',
      clause: 'GET: paid comes from a re-fetch of the invoice at the service',
      rule: 'becomes paid when the invoice service reports the payment',
      fix: 'Fetch pending invoices with FetchInvoices every few seconds; map the status PAID to "paid".',
      run: payInvoice,
    },
    {
      id: 'paid.time',
      clause: 'GET: paid_at, when the backend learnt of the payment',
      rule: 'has paid_at null before the payment, and the same paid_at in every read after it',
      fix: 'Store the time with the payment that was found, and send it as `paid_at`.',
      async run(context) {
        const before = (await createSharedInvoice(context)).checkout.paid_at;
        const paidAt = (await payInvoice(context)).paid_at;
        expect(before === null, '`paid_at` null before the payment', before ?? '');
        expect(paidAt !== null, '`paid_at` in the paid checkout', 'null');
        const later = (await context.readCheckout()).paid_at;
        expect(later === paidAt, `${paidAt} as before`, later ?? 'null');
      },
    },
    {
      id: 'paid.options',
      clause: 'GET: options, [] once paid',
      rule: 'lists no payment options once it is paid',
      fix: 'Answer `options` [] for a paid checkout, with ?options=1 too.',
      async run(context) {
        await payInvoice(context);
        for (const query of ['', '?options=1']) {
          const { options } = await context.readCheckout(query);
          expect(options.length === 0, 'no options', `${options.length} options`);
        }
      },
    },
    {
      id: 'paid.refused',
      clause: 'POST: 409 already_paid',
      rule: 'creates no invoice once it is paid',
      fix: 'Answer 409 already_paid, also with `replace`, before any other check.',
      async run(context) {
        await payInvoice(context);
        const { body } = await createSharedInvoice(context);
        for (const request of [body, { ...body, replace: true }])
          await context.expectRefusal(request, 409, 'already_paid');
      },
    },
    {
      id: 'paid.final',
      clause: 'GET: paid is final, nothing turns it back',
      rule: 'stays paid whatever the invoice service reports later',
      fix: 'Never overwrite "paid": store it with the outcome, and drop later and older responses.',
      async run(context) {
        await payInvoice(context);
        const { invoiceId } = await createSharedInvoice(context);
        for (const status of ['PENDING', 'FAILED', 'EXPIRED']) {
          await context.sandbox.setStatus(invoiceId, status);
          await context.sleep(waits.settleMs / 2);
          expectState(await context.readCheckout(), 'paid', { when: 'as before' });
        }
      },
    },
  ],
  Failed: [
    {
      id: 'failed.seen',
      clause: 'GET: failed comes from a re-fetch of the invoice at the service',
      rule: 'becomes failed when the invoice service reports the failure',
      fix: 'Map the status FAILED to "failed", and only when FetchInvoices returned it.',
      run: failInvoice,
    },
    {
      id: 'failed.again',
      clause: 'POST: 201 + the checkout',
      rule: 'creates a new invoice for the same method after a failure',
      fix: 'A failed invoice can no longer be paid: create a new one for the same method without `replace`.',
      async run(context) {
        await failInvoice(context);
        await expectNewInvoice(context);
      },
    },
  ],
  Expired: [
    {
      id: 'expired.seen',
      clause: 'GET: expired needs the deadline, a grace period and a last fetch',
      rule: 'becomes expired after the deadline of its invoice and a grace period',
      fix: 'After the deadline and a grace period fetch the invoice once more; then answer "expired".',
      run: waitForExpiry,
    },
    {
      id: 'expired.deadline',
      clause: 'GET: expired needs the deadline, a grace period and a last fetch',
      rule: 'is not expired before the deadline of its invoice',
      fix: 'Compare expires_at with the clock of the server in UTC.',
      async run(context) {
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
    },
    {
      id: 'expired.again',
      clause: 'POST: 201 + the checkout',
      rule: 'creates a new invoice for the same method after the expiry',
      fix: 'Stop offering an expired invoice: create a new one for the same method without `replace`.',
      async run(context) {
        await waitForExpiry(context);
        await context.sandbox.restore();
        await expectNewInvoice(context);
      },
    },
  ],
  'Expired, and then paid': {
    id: 'expired.paid',
    clause: 'States: any, paid: an invoice of it was paid, also late',
    rule: 'becomes paid when its expired invoice is paid',
    fix: 'Continue to fetch an expired invoice for two days, at growing intervals: a bank may hold a transfer for that time.',
    async run(context) {
      const { invoiceId } = await createShortLivedInvoice(context);
      await context.waitForStatus('expired');
      await context.sandbox.restore();
      await context.sandbox.setStatus(invoiceId, 'PAID');
      await context.waitForStatus('paid');
    },
  },
  Replaced: {
    id: 'replaced.paid',
    clause: 'GET: a paid invoice that the payer had left for another one still makes the checkout paid',
    rule: 'becomes paid when the invoice that was replaced is paid',
    fix: 'Continue to fetch replaced invoices until they end; a payment of any invoice makes the checkout paid.',
    async run(context) {
      const { invoiceId } = await createSharedInvoice(context);
      await createTestInvoice(context, true);
      await context.sandbox.simulate(invoiceId, 'pay');
      await context.waitForStatus('paid');
    },
  },
  'An unknown status': [
    {
      id: 'unknown_status.pending',
      clause: 'GET: a status that is not in the configured lists is pending',
      rule: 'treats an unknown status of an invoice as pending',
      fix: 'Map known words to paid, failed and expired, and every other value, numbers included, to "pending".',
      async run(context) {
        const { invoiceId } = await createSharedInvoice(context);
        for (const status of ['ON_HOLD', 'PAID_PARTIALLY', 7]) {
          await context.sandbox.setStatus(invoiceId, status);
          expectState(await context.readSettledCheckout(), 'pending', { when: `at the service's ${status}` });
        }
      },
    },
    {
      id: 'unknown_status.goes_on',
      clause: 'GET: a status that is not in the configured lists is pending',
      rule: 'continues to poll an invoice with an unknown status',
      fix: 'Continue to fetch an invoice whose status is unknown.',
      async run(context) {
        const { invoiceId } = await createSharedInvoice(context);
        await context.sandbox.setStatus(invoiceId, 'ON_HOLD');
        await context.sleep(waits.settleMs);
        await context.sandbox.setStatus(invoiceId, 'PAID');
        await context.waitForStatus('paid');
      },
    },
  ],
};

export const invoiceOutcomeChecks = freshGroups(groups, { sandbox: true });
