import {
  expectCheckout,
  readCheckout,
  sharedStep,
  summarize,
  waitForStatus,
  type Check,
  type CheckGroup,
} from '../check.ts';
import { createTestInvoice, buildCreateBody, findOtherMethod } from '../create-test-invoice.ts';
import { expectRefusal } from '../expect-refusal.ts';
import { expect } from '../expect.ts';

/** Closes an open checkout as the merchant does. Returns the body of a write that was valid before. */
const closeOpenCheckout = sharedStep('the closed checkout', async (context) => {
  const body = await buildCreateBody(context);
  await context.closeCheckout(context.capability);
  return { body };
});

const closedStatusCheck: Check = {
  id: 'closed.seen',
  clause: 'States: open, closed: the merchant closed it',
  rule: 'is closed after the merchant closed it, without options and without an invoice',
  fix: 'Answer `status` "closed", `options` [] and `invoice` null; the ETag changes too.',
  async run(context) {
    await closeOpenCheckout(context);
    const checkout = await readCheckout(context);
    expect(checkout.status === 'closed' && checkout.invoice === null, '"closed", no invoice', summarize(checkout));
    expect(checkout.options.length === 0, 'no options', `${checkout.options.length} options`);
  },
};

const createAfterCloseCheck: Check = {
  id: 'closed.refused',
  clause: 'POST: 409 checkout_closed',
  rule: 'creates no invoice once it is closed',
  fix: 'Answer 409 checkout_closed to every new invoice, also with `replace`.',
  async run(context) {
    const { body } = await closeOpenCheckout(context);
    for (const request of [body, { ...body, replace: true }])
      await expectRefusal(context, request, 409, 'checkout_closed');
    expect((await readCheckout(context)).invoice === null, 'no invoice', 'an invoice');
  },
};

export const closedCheckoutChecks: CheckGroup = {
  title: 'Closed',
  checkoutKind: 'fresh',
  checks: [closedStatusCheck, createAfterCloseCheck],
};

/** Closes a checkout as the merchant does, while an invoice of it can be paid. */
const closePendingCheckout = sharedStep('the checkout that was closed with an invoice', async (context) => {
  const { options } = await readCheckout(context);
  const createdInvoice = await createTestInvoice(context);
  await context.closeCheckout(context.capability);
  return { ...createdInvoice, options };
});

const issuedInvoiceVisibleCheck: Check = {
  id: 'closed.visible',
  clause: 'States: until then an issued invoice stays payable and visible',
  rule: 'still shows an issued invoice that can be paid after the merchant closed the checkout',
  fix: 'Give a checkout the status closed only when none of its invoices can be paid any more.',
  async run(context) {
    const { invoiceId, key, body } = await closePendingCheckout(context);
    const checkout = await readCheckout(context);
    expect(
      checkout.status === 'pending' && checkout.invoice?.id === invoiceId,
      '"pending" with its invoice',
      summarize(checkout),
    );
    const repeatedCheckout = expectCheckout(await context.backend.create(context.capability, body, { key }), 200);
    expect(repeatedCheckout.invoice?.id === invoiceId, 'the same invoice to the same key', summarize(repeatedCheckout));
  },
};

const replaceAfterCloseCheck: Check = {
  id: 'closed.replaced',
  clause: 'POST: 409 checkout_closed',
  rule: 'replaces no invoice once the merchant closed the checkout',
  fix: 'Check that the checkout is not closed before replacing its invoice.',
  async run(context) {
    const { body, options, checkout } = await closePendingCheckout(context);
    const payment_method_id = findOtherMethod({ ...checkout, options }, body);
    await expectRefusal(context, { payment_method_id, replace: true }, 409, 'checkout_closed');
  },
};

const paidAfterCloseCheck: Check = {
  id: 'closed.paid',
  clause: 'States: any, paid: an invoice of it was paid, also after closed',
  rule: 'becomes paid when an invoice that was issued before the merchant closed the checkout is paid',
  fix: 'Continue to fetch the issued invoices of closed checkouts.',
  async run(context) {
    const { invoiceId } = await closePendingCheckout(context);
    await context.sandbox().simulate(invoiceId, 'pay');
    await waitForStatus(context, 'paid');
  },
};

export const closedWithInvoiceChecks: CheckGroup = {
  title: 'Closed with an invoice',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [issuedInvoiceVisibleCheck, replaceAfterCloseCheck, paidAfterCloseCheck],
};
