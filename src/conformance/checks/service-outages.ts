import { randomUUID } from 'node:crypto';
import { compareDecimals } from '../../base/decimal.ts';
import { checkout as checkoutSchema } from '../../protocol.ts';
import {
  isRetryable,
  sharedStep,
  checkoutIn,
  createUntilKnown,
  readCheckout,
  summarize,
  waitUntil,
  type Check,
  type Group,
  type CheckContext,
} from '../check.ts';
import { expect } from '../violation.ts';
import { createBody, createAnInvoice, otherMethod } from '../create-test-invoice.ts';
import { expectRefusal } from '../expect-refusal.ts';

const outage = sharedStep('the outage', async (context) => {
  await createAnInvoice(context);
  const other = await context.openAnother();
  const body = await createBody(context, other);
  const fault = await context.sandbox().setFault({ operation: '*', kind: 'status', status: 503 });
  return { other, body, key: randomUUID(), fault };
});

/** The answer to a write during the outage. */
const refusedWrite = sharedStep('the write during the outage', async (context) => {
  const { other, body, key } = await outage(context);
  return context.backend.create(other, body, { key });
});

const outageWrite: Check = {
  id: 'outage.write',
  clause: 'POST: 503 try_again, Retry-After',
  rule: 'answers a write with 503 try_again or 202, and Retry-After, while the invoice service is unavailable',
  fix: 'Answer 503 try_again with Retry-After when the service certainly did nothing, and 202 when that is not certain.',
  async run(context) {
    const exchange = await refusedWrite(context);
    expect(isRetryable(exchange), 'HTTP 503 try_again or 202, with Retry-After', exchange);
  },
};

const outageStale: Check = {
  id: 'outage.stale',
  clause: 'GET: stale, the service does not answer, this is the last known state',
  rule: 'shows the last known state as stale while the invoice service is unavailable',
  fix: 'Answer 200 from what is stored, and set `stale` when fetches have failed for some seconds.',
  async run(context) {
    await outage(context);
    const seen = await waitUntil(context, '`stale` true', ({ stale }) => stale);
    expect(seen.status === 'pending' && seen.invoice !== null, '"pending" with its invoice', summarize(seen));
  },
};

const outageEnds: Check = {
  id: 'outage.ends',
  clause: 'POST: nothing is lost',
  rule: 'accepts the same key again when the invoice service is available again',
  fix: 'Keep the key of an unfinished write, and finish it when it comes again.',
  async run(context) {
    const { other, body, key, fault } = await outage(context);
    await refusedWrite(context);
    await fault.end();
    await waitUntil(context, '`stale` false', ({ stale }) => !stale);
    const seen = checkoutIn(await createUntilKnown(context, body, key, other), 201, 200);
    expect(seen.invoice !== null, 'an invoice', summarize(seen));
    const again = checkoutIn(await context.backend.create(other, body, { key }), 200);
    expect(again.invoice?.id === seen.invoice.id, 'the same invoice again', 'another one');
  },
};

export const serviceOutage: Group = {
  title: 'The service is unavailable',
  checkout: 'fresh',
  sandbox: true,
  checks: [outageWrite, outageStale, outageEnds],
};

const lost = sharedStep('the lost answer', async (context) => {
  const before = await readCheckout(context);
  const [body, key] = [await createBody(context), randomUUID()];
  const fault = await context.sandbox().setFault({ operation: 'CreateInvoice', kind: 'lost' });
  const answer = await context.backend.create(context.checkout, body, { key });
  return { before, body, key, fault, answer };
});

const lostUnknown: Check = {
  id: 'lost.unknown',
  clause: "POST: 202 + the checkout, the service's answer is not known yet",
  rule: 'answers 202 with Retry-After when it is not known whether the invoice was created',
  fix: 'A reset or a timeout is no failure: the invoice may exist. Answer 202 and the checkout, never an error.',
  async run(context) {
    const { answer } = await lost(context);
    checkoutIn(answer, 202);
    expect(answer.headers.has('retry-after'), 'Retry-After', 'none');
  },
};

const lostPending: Check = {
  id: 'lost.pending',
  clause: 'GET: pending with null, the answer of the service to a create is not known yet',
  rule: 'is pending without an invoice while it is not known whether one was created',
  fix: 'Answer `status` "pending" and `invoice` null until the answer is known.',
  async run(context) {
    await lost(context);
    const seen = await readCheckout(context);
    expect(seen.status === 'pending' && seen.invoice === null, '"pending", no invoice', summarize(seen));
  },
};

const lostOther: Check = {
  id: 'lost.other_method',
  clause: 'POST: 409 invoice_pending, another invoice may still be paid',
  rule: 'creates no other invoice while it is not known whether one was created',
  fix: 'Refuse another method while a create is in doubt, as while an invoice is pending.',
  async run(context) {
    const { before, body } = await lost(context);
    await expectRefusal(context, { payment_method_id: otherMethod(before, body) }, 409, 'invoice_pending');
  },
};

const lostFound: Check = {
  id: 'lost.found',
  clause: 'POST: 202, the element repeats the request with the same key',
  rule: 'shows one invoice after the write is repeated with the same key',
  fix: 'Repeat CreateInvoice with the same external_id, and offer one invoice of those that the service may have made.',
  async run(context) {
    const { body, key, fault } = await lost(context);
    await fault.end();
    const seen = checkoutIn(await createUntilKnown(context, body, key), 201, 200);
    expect(seen.invoice !== null, 'an invoice', summarize(seen));
    const later = await readCheckout(context);
    expect(later.invoice?.id === seen.invoice.id, 'this invoice in later reads', 'another one');
    expectOneOffered(context);
  },
};

/** Throws a `Violation` unless all answers showed the same invoice, however many the service has created. */
function expectOneOffered({ backend, checkout }: CheckContext): void {
  const seen = backend.log
    .filter((exchange) => exchange.checkout === checkout)
    .flatMap(({ json }) => checkoutSchema.safeParse(json).data?.invoice?.id ?? []);
  expect(new Set(seen).size === 1, 'one invoice in all answers', `${new Set(seen).size} different ones`);
}

export const lostAnswer: Group = {
  title: 'The answer of the service is lost',
  checkout: 'fresh',
  sandbox: true,
  checks: [lostUnknown, lostPending, lostOther, lostFound],
};

const wrongAmount: Check = {
  id: 'amount.wrong',
  clause: 'The price comes from the order',
  rule: 'never shows an invoice whose amount is not that of the order',
  fix: 'Compare the amount that CreateInvoice returns with the requested amount, as decimals, and do not offer an invoice for another amount.',
  async run(context) {
    const before = await readCheckout(context);
    const fault = await context.sandbox().setFault({ operation: 'CreateInvoice', kind: 'wrong_amount' });
    const exchange = await context.backend.create(context.checkout, await createBody(context));
    await fault.end();
    const shown = [checkoutSchema.safeParse(exchange.json).data, await readCheckout(context)].flatMap(
      (seen) => seen?.invoice ?? [],
    );
    const wrong = shown.find(({ amount }) => before.amount !== null && compareDecimals(amount, before.amount) !== 0);
    expect(wrong === undefined, `no invoice except for ${before.amount ?? ''}`, `one for ${wrong?.amount ?? ''}`);
  },
};

export const wrongAmounts: Group = {
  title: 'The service returns another amount',
  checkout: 'fresh',
  sandbox: true,
  checks: [wrongAmount],
};
