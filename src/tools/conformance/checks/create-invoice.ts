import { randomUUID } from 'node:crypto';
import { parseTimestamp } from '../../../service-api/scalars.ts';
import type { Checkout } from '../../../checkout-api.ts';
import { check, sharedStep, waits, type Check, type CheckContext, type CheckGroup } from '../check.ts';
import { createFirstInvoice } from '../create-test-invoice.ts';
import {
  createBodyFor,
  expect,
  expectCheckout,
  expectInvoice,
  expectProblem,
  expectState,
  hasPaymentDetails,
  invoiceIdIn,
  NotRun,
} from '../expect.ts';

/** The values of an invoice that each read repeats. */
const invoiceText = ({ invoice }: Checkout): string =>
  JSON.stringify([
    invoice?.id,
    invoice?.amount,
    invoice?.payment_url,
    invoice?.sbp,
    invoice?.card,
    invoice?.expires_at,
  ]);

/** Throws a `Violation` unless two more writes with the key are answered with 200 and the invoice. */
async function expectSameInvoice(context: CheckContext, body: object, key: string, id: string): Promise<void> {
  for (let times = 0; times < 2; times += 1)
    expectInvoice(expectCheckout(await context.create(body, { key }), 200), id);
}

/** Checks of repeated and conflicting writes. The first invoice stays the current one. */
const repeatedWriteChecks: readonly Check[] = [
  check(
    'invoice.same_key',
    'answers 200 and the same invoice to the same key',
    'Store the key with the invoice in the transaction that commits the intent.',
    async (context) => {
      const { body, key, invoiceId } = await createFirstInvoice(context);
      await expectSameInvoice(context, body, key, invoiceId);
    },
  ),
  check(
    'invoice.key_other_body',
    'refuses a key that was used before with another body',
    'Keep a digest of the body beside the key, and answer 409 idempotency_mismatch when it differs.',
    async (context) => {
      const { body, key, invoiceId } = await createFirstInvoice(context);
      const otherBody = { payment_method_id: `${body.payment_method_id}_other` };
      for (const changedBody of [otherBody, { ...otherBody, replace: true }])
        await context.expectRefusal(changedBody, 409, 'idempotency_mismatch', { key });
      expectInvoice(await context.readCheckout(), invoiceId, 'the same invoice as before');
    },
  ),
  check(
    'invoice.same_method',
    'answers 200 and the same invoice to another key with the same method',
    'Before creating, find the current invoice of this method: a second tab must get the same invoice.',
    async (context) => {
      const { body, invoiceId } = await createFirstInvoice(context);
      expectInvoice(expectCheckout(await context.create(body), 200), invoiceId);
    },
  ),
  check(
    'invoice.pending',
    'refuses another method while the invoice may still be paid',
    'Answer 409 invoice_pending unless `replace` is true.',
    async (context) => {
      const { checkoutBefore, body: firstBody, invoiceId } = await createFirstInvoice(context);
      const body = createBodyFor(checkoutBefore, firstBody);
      for (const request of [body, { ...body, replace: false }])
        await context.expectRefusal(request, 409, 'invoice_pending');
      expectInvoice(await context.readCheckout(), invoiceId, 'the same invoice as before');
    },
  ),
];

const replaceInvoice = sharedStep('the replacing invoice', async (context) => {
  const { checkoutBefore, body: firstBody, invoiceId } = await createFirstInvoice(context);
  const body = { ...createBodyFor(checkoutBefore, firstBody), replace: true };
  const key = randomUUID();
  const checkout = await context.createInvoice(body, key);
  const id = invoiceIdIn(checkout);
  expect(id !== invoiceId, 'a new invoice', 'the old one');
  return { key, body, id, method: checkout.invoice?.payment_method_id ?? body.payment_method_id };
});

/** Checks of writes with `replace`, after which another invoice is the current one. */
const replacementChecks: readonly Check[] = [
  check(
    'invoice.replace',
    'offers a new invoice when the payer asks to replace the old one',
    'With `replace` true create the invoice, offer it, and continue to poll the old one.',
    async (context) => {
      const { body, id, method } = await replaceInvoice(context);
      expect(method === body.payment_method_id, `an invoice of ${body.payment_method_id}`, `one of ${method}`);
      expectInvoice(await context.readCheckout(), id, 'the new invoice in later reads');
    },
  ),
  check(
    'invoice.replace_again',
    'replaces the invoice only once when the same key is repeated',
    'Check the key before `replace`.',
    async (context) => {
      const { key, body, id } = await replaceInvoice(context);
      await expectSameInvoice(context, body, key, id);
    },
  ),
];

export const createInvoiceChecks: CheckGroup = {
  title: 'Creating an invoice',
  checkoutKind: 'first',
  checks: [
    check(
      'invoice.created',
      'creates an invoice with the chosen method, and answers with the pending checkout',
      'Commit the invoice, then answer 201 and the checkout with `status` "pending" and the invoice.',
      async (context) => {
        const { checkout, body, response } = await createFirstInvoice(context);
        const wasInDoubt = context.run.backend.log.some(({ status }) => status === 202);
        expect(response.status === 201 || wasInDoubt, 'HTTP 201', response);
        expectState(checkout, 'pending');
        const method = checkout.invoice?.payment_method_id ?? body.payment_method_id;
        expect(method === body.payment_method_id, `an invoice of ${body.payment_method_id}`, `one of ${method}`);
      },
    ),
    check(
      'wait.early',
      'ends a held response as soon as the checkout changes',
      'Send the held responses of a checkout when the checkout changes; or ignore Prefer: wait.',
      async (context) => {
        const { longPoll, response } = await createFirstInvoice(context);
        if (longPoll.respondedAt <= response.sentAt) return; // the backend does not hold responses
        const delayMs = longPoll.respondedAt - response.respondedAt;
        const isSoon = delayMs <= waits.slackMs;
        expect(isSoon, 'the held response soon after the change', `${Math.round(delayMs)} ms later`);
        expectCheckout(longPoll, 200);
      },
    ),
    check(
      'invoice.requisites',
      'gives the payer requisites or a payment link',
      "Copy the service's payment_url, nspk_url and requisites unchanged; leave out those that the service did not send.",
      async (context) => {
        const { checkout } = await createFirstInvoice(context);
        expect(hasPaymentDetails(checkout), 'a link or requisites', 'neither');
      },
    ),
    check(
      'invoice.read',
      'shows the same invoice in every later read',
      'Keep the requisites with the checkout: reads, reloads and other tabs show the same requisites.',
      async (context) => {
        const { checkout } = await createFirstInvoice(context);
        const laterCheckout = await context.readCheckout();
        expectState(laterCheckout, 'pending');
        const isSame = invoiceText(laterCheckout) === invoiceText(checkout);
        expect(isSame, 'the invoice that the write returned', 'other values');
      },
    ),
    check(
      'etag.changed',
      'changes the ETag when an invoice is created',
      'Put the status and the invoice into the digest of the ETag.',
      async (context) => {
        const { tag } = await createFirstInvoice(context);
        expectCheckout(await context.read({ 'if-none-match': tag }), 200);
      },
    ),
    check(
      'etag.clock_pending',
      'keeps the ETag while only the time left changes',
      'Leave expires_in_ms out of the digest.',
      async (context) => {
        await createFirstInvoice(context);
        const tag = (await context.read()).headers.get('etag') ?? '';
        await context.sleep(waits.tickMs);
        const exchange = await context.read({ 'if-none-match': tag });
        expect(exchange.status === 304, 'HTTP 304', exchange);
      },
    ),
    check(
      'invoice.countdown',
      'decreases expires_in_ms as time passes',
      'Compute expires_in_ms from expires_at and the time of each response.',
      async (context) => {
        const { checkout } = await createFirstInvoice(context);
        if (checkout.invoice?.expires_at === undefined) throw new NotRun('the invoice has no deadline');
        await context.sleep(waits.tickMs);
        const laterCheckout = await context.readCheckout();
        const [elapsedMs, decreaseMs] = [
          (parseTimestamp(laterCheckout.server_time) ?? 0) - (parseTimestamp(checkout.server_time) ?? 0),
          (checkout.invoice.expires_in_ms ?? Number.NaN) - (laterCheckout.invoice?.expires_in_ms ?? Number.NaN),
        ];
        const agrees = Math.abs(decreaseMs - elapsedMs) <= 1000 && decreaseMs > 0;
        expect(agrees, `expires_in_ms less by ${elapsedMs}`, `by ${decreaseMs}`);
      },
    ),
    ...repeatedWriteChecks,
    check(
      'invoice.options',
      'lists the payment options with ?options=1 while an invoice is pending',
      'Fill `options` when the query says options=1: the payer may go back to choose another method.',
      async (context) => {
        await createFirstInvoice(context);
        const { options } = await context.readCheckout('?options=1');
        expect(options.length > 0, 'options', 'an empty list');
      },
    ),
    check(
      'hook.wrong_secret',
      'answers 404 to a notification with a wrong secret',
      'Compare the secret in constant time and answer 404 not_found.',
      async (context) => {
        await createFirstInvoice(context);
        for (const secret of [randomUUID(), 'x', context.capability])
          expectProblem(await context.notify(secret, '{}'), [404], ['not_found']);
      },
    ),
    ...replacementChecks,
  ],
};
