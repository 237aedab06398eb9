import { sharedStep, type CheckGroup } from '../check.ts';
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
      {
        id: 'closed.seen',
        clause: 'States: open, closed: the merchant closed it',
        rule: 'is closed after the merchant closed it, without options and without an invoice',
        fix: 'Answer `status` "closed", `options` [] and `invoice` null; the ETag changes too.',
        async run(context) {
          await closeOpenCheckout(context);
          const checkout = await context.readCheckout();
          expectState(checkout, 'closed', { invoice: false });
          expect(checkout.options.length === 0, 'no options', `${checkout.options.length} options`);
        },
      },
      {
        id: 'closed.refused',
        clause: 'POST: 409 checkout_closed',
        rule: 'creates no invoice once it is closed',
        fix: 'Answer 409 checkout_closed to every new invoice, also with `replace`.',
        async run(context) {
          const { body } = await closeOpenCheckout(context);
          for (const request of [body, { ...body, replace: true }])
            await context.expectRefusal(request, 409, 'checkout_closed');
          expectState(await context.readCheckout(), 'closed', { invoice: false });
        },
      },
    ],
  },
  {
    title: 'Closed with an invoice',
    checkoutKind: 'fresh',
    sandbox: true,
    checks: [
      {
        id: 'closed.visible',
        clause: 'States: until then an issued invoice stays payable and visible',
        rule: 'still shows an issued invoice that can be paid after the merchant closed the checkout',
        fix: 'Give a checkout the status closed only when none of its invoices can be paid any more.',
        async run(context) {
          const { invoiceId, key, body } = await closePendingCheckout(context);
          const checkout = await context.readCheckout();
          expectState(checkout, 'pending', { invoice: true });
          expectInvoice(checkout, invoiceId, 'its invoice');
          const repeated = expectCheckout(await context.create(body, { key }), 200);
          expectInvoice(repeated, invoiceId, 'the same invoice to the same key');
        },
      },
      {
        id: 'closed.replaced',
        clause: 'POST: 409 checkout_closed',
        rule: 'replaces no invoice once the merchant closed the checkout',
        fix: 'Check that the checkout is not closed before replacing its invoice.',
        async run(context) {
          const { body, options, checkout } = await closePendingCheckout(context);
          const otherBody = createBodyFor({ ...checkout, options }, body);
          await context.expectRefusal({ ...otherBody, replace: true }, 409, 'checkout_closed');
        },
      },
      {
        id: 'closed.paid',
        clause: 'States: any, paid: an invoice of it was paid, also after closed',
        rule: 'becomes paid when an invoice that was issued before the merchant closed the checkout is paid',
        fix: 'Continue to fetch the issued invoices of closed checkouts.',
        async run(context) {
          const { invoiceId } = await closePendingCheckout(context);
          await context.sandbox.simulate(invoiceId, 'pay');
          await context.waitForStatus('paid');
        },
      },
    ],
  },
];
