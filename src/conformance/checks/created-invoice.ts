import { randomUUID } from 'node:crypto';
import { parseTimestamp } from '../../contract/scalars.ts';
import type { Checkout } from '../../protocol.ts';
import { checkoutIn, expectProblem, readCheckout, summarize, type Check, type Group } from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import { firstInvoice } from '../create-test-invoice.ts';
import { repeating, replacing } from './idempotency.ts';

const creates: Check = {
  id: 'invoice.created',
  clause: 'POST: 201 + the checkout',
  rule: 'creates an invoice with the chosen method, and answers with the pending checkout',
  fix: 'Commit the invoice, then answer 201 and the checkout with `status` "pending" and the invoice.',
  async run(context) {
    const { seen, body, answer } = await firstInvoice(context);
    expect(answer.status === 201 || context.backend.log.some(({ status }) => status === 202), 'HTTP 201', answer);
    expect(seen.status === 'pending', '`status` "pending"', summarize(seen));
    const method = seen.invoice?.payment_method_id ?? body.payment_method_id;
    expect(method === body.payment_method_id, `an invoice of ${body.payment_method_id}`, `one of ${method}`);
  },
};

const requisites: Check = {
  id: 'invoice.requisites',
  clause: 'The invoice: payment_url, nspk_url, sbp, card, bank_transfer',
  rule: 'gives the payer requisites or a payment link',
  fix: "Carry the service's payment_url, nspk_url and requisites over as they are; leave out what it did not give.",
  async run(context) {
    const { invoice } = (await firstInvoice(context)).seen;
    const ways = [invoice?.payment_url, invoice?.nspk_url, invoice?.sbp, invoice?.card, invoice?.bank_transfer];
    expect(
      ways.some((way) => way !== undefined),
      'a link or requisites',
      'neither',
    );
  },
};

const readBack: Check = {
  id: 'invoice.read',
  clause: 'GET: invoice',
  rule: 'shows the same invoice in every later read',
  fix: 'Keep the requisites with the checkout: reads, reloads and other tabs get the same ones.',
  async run(context) {
    const { seen } = await firstInvoice(context);
    const later = await readCheckout(context);
    const fixed = ({ invoice }: Checkout): string =>
      JSON.stringify([
        invoice?.id,
        invoice?.amount,
        invoice?.payment_url,
        invoice?.sbp,
        invoice?.card,
        invoice?.expires_at,
      ]);
    expect(later.status === 'pending', '`status` "pending"', summarize(later));
    expect(fixed(later) === fixed(seen), 'the invoice as the write answered it', 'other values');
  },
};

const tagChanged: Check = {
  id: 'etag.changed',
  clause: 'GET: If-None-Match',
  rule: 'changes the ETag when an invoice is created',
  fix: 'Put the status and the invoice into the digest of the ETag.',
  async run(context) {
    const { tag } = await firstInvoice(context);
    checkoutIn(await context.backend.read(context.checkout, { 'if-none-match': tag }), 200);
  },
};

const pendingTag: Check = {
  id: 'etag.clock_pending',
  clause: 'GET: the ETag covers what the payer sees, not the clock fields',
  rule: 'keeps the ETag while only the time left changes',
  fix: 'Leave expires_in_ms out of the digest.',
  async run(context) {
    await firstInvoice(context);
    const tag = (await context.backend.read(context.checkout)).headers.get('etag') ?? '';
    await context.ports.sleep(context.timeouts.tickMs);
    const exchange = await context.backend.read(context.checkout, { 'if-none-match': tag });
    expect(exchange.status === 304, 'HTTP 304', exchange);
  },
};

const early: Check = {
  id: 'wait.early',
  clause: 'GET: Prefer: wait',
  rule: 'ends a held answer as soon as something changes',
  fix: 'Wake the waiting answers of a checkout when it changes; or ignore Prefer: wait.',
  async run(context) {
    const { held, answer } = await firstInvoice(context);
    if (held.answeredAt <= answer.sentAt) return; // it does not hold answers
    const late = held.answeredAt - answer.answeredAt;
    expect(late <= context.timeouts.slackMs, 'the held answer soon after the change', `${Math.round(late)} ms later`);
    checkoutIn(held, 200);
  },
};

const countdown: Check = {
  id: 'invoice.countdown',
  clause: 'The invoice: expires_at, expires_in_ms',
  rule: 'decreases expires_in_ms as time passes',
  fix: 'Compute expires_in_ms from expires_at and the time of each answer.',
  async run(context) {
    const { seen } = await firstInvoice(context);
    if (seen.invoice?.expires_at === undefined) throw new NotRun('the invoice has no deadline');
    await context.ports.sleep(context.timeouts.tickMs);
    const later = await readCheckout(context);
    const passed = (parseTimestamp(later.server_time) ?? 0) - (parseTimestamp(seen.server_time) ?? 0);
    const counted = (seen.invoice.expires_in_ms ?? Number.NaN) - (later.invoice?.expires_in_ms ?? Number.NaN);
    expect(Math.abs(counted - passed) <= 1000 && counted > 0, `expires_in_ms less by ${passed}`, `by ${counted}`);
  },
};

const options: Check = {
  id: 'invoice.options',
  clause: 'GET: ?options=1',
  rule: 'lists the payment options with ?options=1 while an invoice is pending',
  fix: 'Fill `options` when the query says options=1: the payer goes back to the methods.',
  async run(context) {
    await firstInvoice(context);
    const seen = checkoutIn(await context.backend.read(context.checkout, {}, '?options=1'), 200);
    expect(seen.options.length > 0, 'options', 'an empty list');
  },
};

const wrongSecret: Check = {
  id: 'hook.wrong_secret',
  clause: 'POST hook: 404 for a secret that is not good',
  rule: 'answers 404 to a notification with a wrong secret',
  fix: 'Compare the secret in constant time and answer 404 not_found.',
  async run(context) {
    await firstInvoice(context);
    for (const secret of [randomUUID(), 'x', context.checkout])
      expectProblem(await context.backend.notify(context.checkout, secret, '{}'), [404], ['not_found']);
  },
};

export const createdInvoice: Group = {
  title: 'Creating an invoice',
  checkout: 'first',
  checks: [
    creates,
    early,
    requisites,
    readBack,
    tagChanged,
    pendingTag,
    countdown,
    ...repeating,
    options,
    wrongSecret,
    ...replacing,
  ],
};
