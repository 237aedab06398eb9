import { check, refuses, sharedStep, type CheckGroup } from '../check.ts';
import { createTestInvoice } from '../create-test-invoice.ts';
import { createBodyFor, expect, expectCheckout, expectInvoice, expectState } from '../expect.ts';

/** Closes an open checkout as the merchant does. Returns the body of a write that was valid before. */
const closeOpenCheckout = sharedStep('the closed checkout', async (context) => {
  const body = await context.createBody();
  await context.close();
  return { body };
});

/** Closes a checkout as the merchant does, while an invoice of it can be paid. */
const closePendingCheckout = sharedStep('the checkout that was closed with an invoice', async (context) => {
  const { options } = await context.readCheckout();
  const createdInvoice = await createTestInvoice(context);
  await context.close();
  return { ...createdInvoice, options };
});

export const closedCheckoutChecks: readonly CheckGroup[] = [
  {
    title: 'Closed',
    checkoutKind: 'fresh',
    checks: [
      check(
        'closed.seen',
        'is closed after the merchant closed it, without options and without an invoice',
        'Answer `status` "closed", `options` [] and `invoice` null; the ETag changes too.',
        async (context) => {
          await closeOpenCheckout(context);
          const checkout = await context.readCheckout();
          expectState(checkout, 'closed', { invoice: false });
          expect(checkout.options.length === 0, 'no options', `${checkout.options.length} options`);
        },
      ),
      check(
        'closed.refused',
        'creates no invoice once it is closed',
        'Answer 409 checkout_closed to every new invoice, also with `replace`.',
        async (context) => {
          const { body } = await closeOpenCheckout(context);
          for (const request of [body, { ...body, replace: true }])
            await context.expectRefusal(request, 409, 'checkout_closed');
          expectState(await context.readCheckout(), 'closed', { invoice: false });
        },
      ),
    ],
  },
  {
    title: 'Closed with an invoice',
    checkoutKind: 'fresh',
    sandbox: true,
    checks: [
      check(
        'closed.visible',
        'still shows an issued invoice that can be paid after the merchant closed the checkout',
        'Give a checkout the status closed only when none of its invoices can be paid any more.',
        async (context) => {
          const { invoiceId, key, body } = await closePendingCheckout(context);
          const checkout = await context.readCheckout();
          expectState(checkout, 'pending', { invoice: true });
          expectInvoice(checkout, invoiceId, 'its invoice');
          const repeated = expectCheckout(await context.create(body, { key }), 200);
          expectInvoice(repeated, invoiceId, 'the same invoice to the same key');
        },
      ),
      check(
        'closed.replaced',
        'replaces no invoice once the merchant closed the checkout',
        'Check that the checkout is not closed before replacing its invoice.',
        refuses(409, 'checkout_closed', async (context) => {
          const { body, options, checkout } = await closePendingCheckout(context);
          return [[{ ...createBodyFor({ ...checkout, options }, body), replace: true }]];
        }),
      ),
      check(
        'closed.paid',
        'becomes paid when an invoice that was issued before the merchant closed the checkout is paid',
        'Continue to fetch the issued invoices of closed checkouts.',
        async (context) => {
          const { invoiceId } = await closePendingCheckout(context);
          await context.sandbox.simulate(invoiceId, 'pay');
          await context.waitForStatus('paid');
        },
      ),
    ],
  },
];
