import { checkoutIn, readCheckout, sharedStep, summarize, waitForStatus, type Check, type Group } from '../check.ts';
import { createAnInvoice, createBody, otherMethod } from '../create-test-invoice.ts';
import { expectRefusal } from '../expect-refusal.ts';
import { expect } from '../violation.ts';

/** Closes an open checkout as the merchant does. The body is that of a write which was valid before. */
const closedOpen = sharedStep('the closed checkout', async (context) => {
  const body = await createBody(context);
  await context.close(context.checkout);
  return { body };
});

const closedSeen: Check = {
  id: 'closed.seen',
  clause: 'States: open, closed: the merchant closed it',
  rule: 'is closed after the merchant closed it, without options and without an invoice',
  fix: 'Answer `status` "closed", `options` [] and `invoice` null; the ETag changes too.',
  async run(context) {
    await closedOpen(context);
    const seen = await readCheckout(context);
    expect(seen.status === 'closed' && seen.invoice === null, '"closed", no invoice', summarize(seen));
    expect(seen.options.length === 0, 'no options', `${seen.options.length} of them`);
  },
};

const closedRefused: Check = {
  id: 'closed.refused',
  clause: 'POST: 409 checkout_closed',
  rule: 'creates no invoice once it is closed',
  fix: 'Answer 409 checkout_closed to every new invoice, also with `replace`.',
  async run(context) {
    const { body } = await closedOpen(context);
    for (const request of [body, { ...body, replace: true }])
      await expectRefusal(context, request, 409, 'checkout_closed');
    expect((await readCheckout(context)).invoice === null, 'no invoice', 'one');
  },
};

export const closed: Group = { title: 'Closed', checkout: 'fresh', checks: [closedSeen, closedRefused] };

/** Closes a checkout as the merchant does, while an invoice of it can be paid. */
const closedPending = sharedStep('the checkout that was closed with an invoice', async (context) => {
  const { options } = await readCheckout(context);
  const created = await createAnInvoice(context);
  await context.close(context.checkout);
  return { ...created, options };
});

const closedVisible: Check = {
  id: 'closed.visible',
  clause: 'States: until then an issued invoice stays payable and visible',
  rule: 'shows an issued invoice as before while it can be paid, although the merchant closed the checkout',
  fix: 'Close a checkout only once none of its invoices can still be paid.',
  async run(context) {
    const { invoiceId, key, body } = await closedPending(context);
    const seen = await readCheckout(context);
    expect(seen.status === 'pending' && seen.invoice?.id === invoiceId, '"pending" with its invoice', summarize(seen));
    const again = checkoutIn(await context.backend.create(context.checkout, body, { key }), 200);
    expect(again.invoice?.id === invoiceId, 'the same invoice to the same key', summarize(again));
  },
};

const closedReplaced: Check = {
  id: 'closed.replaced',
  clause: 'POST: 409 checkout_closed',
  rule: 'replaces no invoice once the merchant closed the checkout',
  fix: 'Check that the checkout is not closed before replacing its invoice.',
  async run(context) {
    const { body, options, seen } = await closedPending(context);
    const payment_method_id = otherMethod({ ...seen, options }, body);
    await expectRefusal(context, { payment_method_id, replace: true }, 409, 'checkout_closed');
  },
};

const closedPaid: Check = {
  id: 'closed.paid',
  clause: 'States: any, paid: an invoice of it was paid, also after closed',
  rule: 'becomes paid when an invoice is paid that was issued before the merchant closed the checkout',
  fix: 'Go on fetching the issued invoices of closed checkouts.',
  async run(context) {
    const { invoiceId } = await closedPending(context);
    await context.sandbox().simulate(invoiceId, 'pay');
    await waitForStatus(context, 'paid');
  },
};

export const closedWithInvoice: Group = {
  title: 'Closed with an invoice',
  checkout: 'fresh',
  sandbox: true,
  checks: [closedVisible, closedReplaced, closedPaid],
};
