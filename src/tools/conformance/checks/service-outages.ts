import { randomUUID } from 'node:crypto';
import { compareDecimals } from '../../../base/decimal.ts';
import { checkout as checkoutSchema } from '../../../checkout-api.ts';
import {
  isRetryable,
  sharedStep,
  expectCheckout,
  expectProblem,
  createInvoiceWithRetries,
  readCheckout,
  summarize,
  waitUntil,
  type Check,
  type CheckGroup,
  type CheckContext,
} from '../check.ts';
import { expect } from '../expect.ts';
import { buildCreateBody, createTestInvoice, findOtherMethod } from '../create-test-invoice.ts';
import { expectRefusal } from '../expect-refusal.ts';

const startOutage = sharedStep('the outage', async (context) => {
  await createTestInvoice(context);
  const otherCapability = await context.openAnotherCheckout();
  const body = await buildCreateBody(context, otherCapability);
  const fault = await context.sandbox().setFault({ operation: '*', kind: 'status', status: 503 });
  return { other: otherCapability, body, key: randomUUID(), fault };
});

/** Sends a write during the outage and returns its response. */
const writeDuringOutage = sharedStep('the write during the outage', async (context) => {
  const { other: otherCapability, body, key } = await startOutage(context);
  return context.backend.create(otherCapability, body, { key });
});

const outageWriteCheck: Check = {
  id: 'outage.write',
  clause: 'POST: 503 try_again, Retry-After',
  rule: 'answers a write with 503 try_again or 202, and Retry-After, while the invoice service is unavailable',
  fix: 'Answer 503 try_again with Retry-After when the service certainly did nothing, and 202 when that is not certain.',
  async run(context) {
    const exchange = await writeDuringOutage(context);
    expect(isRetryable(exchange), 'HTTP 503 try_again or 202, with Retry-After', exchange);
  },
};

const outageStaleCheck: Check = {
  id: 'outage.stale',
  clause: 'GET: stale, the service does not answer, this is the last known state',
  rule: 'shows the last known state as stale while the invoice service is unavailable',
  fix: 'Answer 200 from what is stored, and set `stale` when fetches have failed for some seconds.',
  async run(context) {
    await startOutage(context);
    const checkout = await waitUntil(context, '`stale` true', ({ stale }) => stale);
    expect(
      checkout.status === 'pending' && checkout.invoice !== null,
      '"pending" with its invoice',
      summarize(checkout),
    );
  },
};

const outageEndsCheck: Check = {
  id: 'outage.ends',
  clause: 'POST: nothing is lost',
  rule: 'accepts the same key again when the invoice service is available again',
  fix: 'Store the key of an unfinished write, and finish the write when a request with this key arrives.',
  async run(context) {
    const { other: otherCapability, body, key, fault } = await startOutage(context);
    await writeDuringOutage(context);
    await fault.end();
    await waitUntil(context, '`stale` false', ({ stale }) => !stale);
    const checkout = expectCheckout(await createInvoiceWithRetries(context, body, key, otherCapability), 201, 200);
    expect(checkout.invoice !== null, 'an invoice', summarize(checkout));
    const repeatedCheckout = expectCheckout(await context.backend.create(otherCapability, body, { key }), 200);
    expect(repeatedCheckout.invoice?.id === checkout.invoice.id, 'the same invoice', 'another invoice');
  },
};

export const serviceOutageChecks: CheckGroup = {
  title: 'The service is unavailable',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [outageWriteCheck, outageStaleCheck, outageEndsCheck],
};

const createWithLostResponse = sharedStep('the lost response', async (context) => {
  const checkoutBefore = await readCheckout(context);
  const [body, key] = [await buildCreateBody(context), randomUUID()];
  const fault = await context.sandbox().setFault({ operation: 'CreateInvoice', kind: 'lost' });
  const response = await context.backend.create(context.capability, body, { key });
  return { checkoutBefore, body, key, fault, response };
});

const lostResponseCheck: Check = {
  id: 'lost.unknown',
  clause: "POST: 202 + the checkout, the service's answer is not known yet",
  rule: 'answers 202 with Retry-After when it is not known whether the invoice was created',
  fix: 'After a reset or a timeout the invoice may exist. Answer 202 and the checkout, never an error.',
  async run(context) {
    const { response } = await createWithLostResponse(context);
    expectCheckout(response, 202);
    expect(response.headers.has('retry-after'), 'Retry-After', 'none');
  },
};

const lostResponsePendingCheck: Check = {
  id: 'lost.pending',
  clause: 'GET: pending with null, the answer of the service to a create is not known yet',
  rule: 'is pending without an invoice while it is not known whether the invoice was created',
  fix: 'Answer `status` "pending" and `invoice` null until the response is known.',
  async run(context) {
    await createWithLostResponse(context);
    const checkout = await readCheckout(context);
    expect(checkout.status === 'pending' && checkout.invoice === null, '"pending", no invoice', summarize(checkout));
  },
};

const lostResponseOtherMethodCheck: Check = {
  id: 'lost.other_method',
  clause: 'POST: 409 invoice_pending, another invoice may still be paid',
  rule: 'creates no invoice for another method while it is not known whether the first invoice was created',
  fix: 'Refuse another method while a create is in doubt, with the same error as while an invoice is pending.',
  async run(context) {
    const { checkoutBefore, body } = await createWithLostResponse(context);
    await expectRefusal(context, { payment_method_id: findOtherMethod(checkoutBefore, body) }, 409, 'invoice_pending');
  },
};

const lostInvoiceFoundCheck: Check = {
  id: 'lost.found',
  clause: 'POST: 202, the element repeats the request with the same key',
  rule: 'shows one invoice in every response after the write was repeated with the same key, or refuses that key',
  fix: 'Repeat CreateInvoice with the same external_id, and offer one invoice, however many the service has created.',
  async run(context) {
    const { body, key, fault } = await createWithLostResponse(context);
    await fault.end();
    let exchange = await createInvoiceWithRetries(context, body, key);
    // A service that refuses the repeated external_id does not return its invoice. Then only a new key leads to an invoice.
    if (exchange.status === 422) {
      expectProblem(exchange, [422], ['method_unavailable']);
      exchange = await createInvoiceWithRetries(context, body, randomUUID());
    }
    const checkout = expectCheckout(exchange, 201, 200);
    expect(checkout.invoice !== null, 'an invoice', summarize(checkout));
    const laterCheckout = await readCheckout(context);
    expect(laterCheckout.invoice?.id === checkout.invoice.id, 'this invoice in later reads', 'another invoice');
    expectOneInvoiceShown(context);
  },
};

/** Throws a `Violation` unless all responses of the run showed the same invoice, however many the service created. */
function expectOneInvoiceShown({ backend, capability }: CheckContext): void {
  const shownIds = backend.log
    .filter((exchange) => exchange.capability === capability)
    .flatMap(({ json }) => checkoutSchema.safeParse(json).data?.invoice?.id ?? []);
  expect(new Set(shownIds).size === 1, 'one invoice in all responses', `${new Set(shownIds).size} different invoices`);
}

export const lostResponseChecks: CheckGroup = {
  title: 'The response of the service is lost',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [lostResponseCheck, lostResponsePendingCheck, lostResponseOtherMethodCheck, lostInvoiceFoundCheck],
};

const wrongAmountCheck: Check = {
  id: 'amount.wrong',
  clause: 'The price comes from the order',
  rule: 'never shows an invoice whose amount is not that of the order',
  fix: 'Compare the amount that CreateInvoice returns with the requested amount, as decimals, and do not offer an invoice for another amount.',
  async run(context) {
    const checkoutBefore = await readCheckout(context);
    const fault = await context.sandbox().setFault({ operation: 'CreateInvoice', kind: 'wrong_amount' });
    const exchange = await context.backend.create(context.capability, await buildCreateBody(context));
    await fault.end();
    const shownInvoices = [checkoutSchema.safeParse(exchange.json).data, await readCheckout(context)].flatMap(
      (checkout) => checkout?.invoice ?? [],
    );
    const wrongInvoice = shownInvoices.find(
      ({ amount }) => checkoutBefore.amount !== null && compareDecimals(amount, checkoutBefore.amount) !== 0,
    );
    expect(
      wrongInvoice === undefined,
      `no invoice except for ${checkoutBefore.amount ?? ''}`,
      `one for ${wrongInvoice?.amount ?? ''}`,
    );
  },
};

export const wrongAmountChecks: CheckGroup = {
  title: 'The service returns another amount',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [wrongAmountCheck],
};
