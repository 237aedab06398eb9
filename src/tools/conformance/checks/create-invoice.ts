import { randomUUID } from 'node:crypto';
import { parseTimestamp } from '../../../service-api/scalars.ts';
import type { Checkout } from '../../../checkout-api.ts';
import { expectCheckout, expectProblem, readCheckout, summarize, type Check, type CheckGroup } from '../check.ts';
import { expect, NotRun } from '../expect.ts';
import { createFirstInvoice } from '../create-test-invoice.ts';
import { repeatedWriteChecks, replacementChecks } from './idempotency.ts';

const createdInvoiceCheck: Check = {
  id: 'invoice.created',
  clause: 'POST: 201 + the checkout',
  rule: 'creates an invoice with the chosen method, and answers with the pending checkout',
  fix: 'Commit the invoice, then answer 201 and the checkout with `status` "pending" and the invoice.',
  async run(context) {
    const { checkout, body, response } = await createFirstInvoice(context);
    expect(response.status === 201 || context.backend.log.some(({ status }) => status === 202), 'HTTP 201', response);
    expect(checkout.status === 'pending', '`status` "pending"', summarize(checkout));
    const method = checkout.invoice?.payment_method_id ?? body.payment_method_id;
    expect(method === body.payment_method_id, `an invoice of ${body.payment_method_id}`, `one of ${method}`);
  },
};

const requisitesCheck: Check = {
  id: 'invoice.requisites',
  clause: 'The invoice: payment_url, nspk_url, sbp, card, bank_transfer',
  rule: 'gives the payer requisites or a payment link',
  fix: "Copy the service's payment_url, nspk_url and requisites unchanged; leave out those that the service did not send.",
  async run(context) {
    const { invoice } = (await createFirstInvoice(context)).checkout;
    const paymentDetails = [
      invoice?.payment_url,
      invoice?.nspk_url,
      invoice?.sbp,
      invoice?.card,
      invoice?.bank_transfer,
    ];
    expect(
      paymentDetails.some((detail) => detail !== undefined),
      'a link or requisites',
      'neither',
    );
  },
};

const laterReadCheck: Check = {
  id: 'invoice.read',
  clause: 'GET: invoice',
  rule: 'shows the same invoice in every later read',
  fix: 'Keep the requisites with the checkout: reads, reloads and other tabs show the same requisites.',
  async run(context) {
    const { checkout } = await createFirstInvoice(context);
    const laterCheckout = await readCheckout(context);
    const serializeInvoice = ({ invoice }: Checkout): string =>
      JSON.stringify([
        invoice?.id,
        invoice?.amount,
        invoice?.payment_url,
        invoice?.sbp,
        invoice?.card,
        invoice?.expires_at,
      ]);
    expect(laterCheckout.status === 'pending', '`status` "pending"', summarize(laterCheckout));
    expect(
      serializeInvoice(laterCheckout) === serializeInvoice(checkout),
      'the invoice that the write returned',
      'other values',
    );
  },
};

const changedETagCheck: Check = {
  id: 'etag.changed',
  clause: 'GET: If-None-Match',
  rule: 'changes the ETag when an invoice is created',
  fix: 'Put the status and the invoice into the digest of the ETag.',
  async run(context) {
    const { tag } = await createFirstInvoice(context);
    expectCheckout(await context.backend.read(context.capability, { 'if-none-match': tag }), 200);
  },
};

const unchangedETagCheck: Check = {
  id: 'etag.clock_pending',
  clause: 'GET: the ETag covers what the payer sees, not the clock fields',
  rule: 'keeps the ETag while only the time left changes',
  fix: 'Leave expires_in_ms out of the digest.',
  async run(context) {
    await createFirstInvoice(context);
    const tag = (await context.backend.read(context.capability)).headers.get('etag') ?? '';
    await context.ports.sleep(context.timeouts.tickMs);
    const exchange = await context.backend.read(context.capability, { 'if-none-match': tag });
    expect(exchange.status === 304, 'HTTP 304', exchange);
  },
};

const longPollEndsCheck: Check = {
  id: 'wait.early',
  clause: 'GET: Prefer: wait',
  rule: 'ends a held response as soon as the checkout changes',
  fix: 'Send the held responses of a checkout when the checkout changes; or ignore Prefer: wait.',
  async run(context) {
    const { longPoll, response } = await createFirstInvoice(context);
    if (longPoll.respondedAt <= response.sentAt) return; // the backend does not hold responses
    const delayMs = longPoll.respondedAt - response.respondedAt;
    expect(
      delayMs <= context.timeouts.slackMs,
      'the held response soon after the change',
      `${Math.round(delayMs)} ms later`,
    );
    expectCheckout(longPoll, 200);
  },
};

const countdownCheck: Check = {
  id: 'invoice.countdown',
  clause: 'The invoice: expires_at, expires_in_ms',
  rule: 'decreases expires_in_ms as time passes',
  fix: 'Compute expires_in_ms from expires_at and the time of each response.',
  async run(context) {
    const { checkout } = await createFirstInvoice(context);
    if (checkout.invoice?.expires_at === undefined) throw new NotRun('the invoice has no deadline');
    await context.ports.sleep(context.timeouts.tickMs);
    const laterCheckout = await readCheckout(context);
    const elapsedMs = (parseTimestamp(laterCheckout.server_time) ?? 0) - (parseTimestamp(checkout.server_time) ?? 0);
    const countdownDecreaseMs =
      (checkout.invoice.expires_in_ms ?? Number.NaN) - (laterCheckout.invoice?.expires_in_ms ?? Number.NaN);
    expect(
      Math.abs(countdownDecreaseMs - elapsedMs) <= 1000 && countdownDecreaseMs > 0,
      `expires_in_ms less by ${elapsedMs}`,
      `by ${countdownDecreaseMs}`,
    );
  },
};

const pendingOptionsCheck: Check = {
  id: 'invoice.options',
  clause: 'GET: ?options=1',
  rule: 'lists the payment options with ?options=1 while an invoice is pending',
  fix: 'Fill `options` when the query says options=1: the payer may go back to choose another method.',
  async run(context) {
    await createFirstInvoice(context);
    const checkout = expectCheckout(await context.backend.read(context.capability, {}, '?options=1'), 200);
    expect(checkout.options.length > 0, 'options', 'an empty list');
  },
};

const wrongSecretCheck: Check = {
  id: 'hook.wrong_secret',
  clause: 'POST hook: 404 for a secret that is not good',
  rule: 'answers 404 to a notification with a wrong secret',
  fix: 'Compare the secret in constant time and answer 404 not_found.',
  async run(context) {
    await createFirstInvoice(context);
    for (const secret of [randomUUID(), 'x', context.capability])
      expectProblem(await context.backend.notify(context.capability, secret, '{}'), [404], ['not_found']);
  },
};

export const createInvoiceChecks: CheckGroup = {
  title: 'Creating an invoice',
  checkoutKind: 'first',
  checks: [
    createdInvoiceCheck,
    longPollEndsCheck,
    requisitesCheck,
    laterReadCheck,
    changedETagCheck,
    unchangedETagCheck,
    countdownCheck,
    ...repeatedWriteChecks,
    pendingOptionsCheck,
    wrongSecretCheck,
    ...replacementChecks,
  ],
};
