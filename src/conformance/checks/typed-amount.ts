import { randomUUID } from 'node:crypto';
import { compareDecimals, isWithin } from '../../base/decimal.ts';
import type { AmountLimits, PaymentOption } from '../../protocol.ts';
import {
  sharedStep,
  checkoutIn,
  createUntilKnown,
  expectProblem,
  summarize,
  type Check,
  type Group,
  type CheckContext,
} from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import { problemOf } from '../backend-client.ts';
import { expectRefusal } from '../expect-refusal.ts';

const typedOpen = sharedStep('a checkout with a typed amount', async ({ backend, checkout }) => {
  const seen = checkoutIn(await backend.read(checkout), 200);
  if (seen.status !== 'open') throw new NotRun(`it needs a fresh checkout, and this one is ${summarize(seen)}`);
  expect(seen.amount === null, '`amount` is null', `the amount ${seen.amount ?? ''}`);
  return seen;
});

/** An amount that the payer may type, and a payment method that accepts it. */
const fitting = sharedStep(
  'an amount that fits',
  async (context): Promise<{ amount: string; method: PaymentOption }> => {
    const { options, amount_limits } = await typedOpen(context);
    const limits = amount_limits ?? {};
    for (const method of options.filter(({ available }) => available)) {
      const candidates = [limits.min_amount, method.limits.min_amount, '100.00', limits.max_amount];
      const amount = candidates.find(
        (one): one is string => one !== undefined && isWithin(one, limits) && isWithin(one, method.limits),
      );
      if (amount !== undefined && compareDecimals(amount, '0') > 0) return { amount, method };
    }
    throw new NotRun('no payment option fits the limits of the amount');
  },
);

/** An amount above another one. */
const above = (amount: string): string => `${amount.split('.')[0] ?? ''}9.00`;

/** An amount outside of limits: one above the maximum, else 0.01 where the minimum is higher; undefined when there is neither. */
function outside({ min_amount, max_amount }: AmountLimits): string | undefined {
  if (max_amount !== undefined) return above(max_amount);
  return min_amount !== undefined && compareDecimals(min_amount, '0.01') > 0 ? '0.01' : undefined;
}

const shape: Check = {
  id: 'typed.shape',
  clause: 'GET: amount null, the payer types it within amount_limits',
  rule: 'has a null amount, and lists the payment options',
  fix: 'Answer `amount` null and `amount_limits` {"min_amount","max_amount"} for an order whose amount the payer types.',
  async run(context) {
    const { options } = await typedOpen(context);
    expect(options.length > 0, 'options', 'an empty list');
  },
};

const filter: Check = {
  id: 'typed.filter',
  clause: 'GET: ?amount= filters the options by that amount',
  rule: 'filters the payment options by the amount in the URL',
  fix: 'Give ?amount= to FetchPaymentOptions and compare the limits as decimals.',
  async run(context) {
    const { options } = await typedOpen(context);
    const amounts = options.flatMap(({ limits }) => outside(limits) ?? []).slice(0, 3);
    if (amounts.length === 0) throw new NotRun('no payment option has limits');
    for (const amount of [...amounts, (await fitting(context)).amount]) {
      const seen = checkoutIn(await context.backend.read(context.checkout, {}, `?amount=${amount}`), 200);
      const wrong = seen.options.find(({ limits }) => !isWithin(amount, limits));
      expect(wrong === undefined, `options whose limits hold ${amount}`, `${wrong?.id ?? ''} among them`);
      expect(seen.amount === null, '`amount` is still null', String(seen.amount));
    }
    const { amount, method } = await fitting(context);
    const seen = checkoutIn(await context.backend.read(context.checkout, {}, `?amount=${amount}`), 200);
    expect(
      seen.options.some(({ id }) => id === method.id),
      `${method.id} for ${amount}`,
      'not among the options',
    );
  },
};

const malformed: Check = {
  id: 'typed.malformed',
  clause: 'GET: ?amount=',
  rule: 'does not fail when the amount in the URL is malformed',
  fix: 'Answer 400 invalid_request to an ?amount= that is not a decimal, or ignore it.',
  async run(context) {
    await typedOpen(context);
    for (const amount of ['', 'abc', '1e3', '1,00', '9'.repeat(300), '-5'])
      await expectAnsweredOrRefused(context, `?amount=${encodeURIComponent(amount)}`);
  },
};

/** Throws a `Violation` unless a read with the query is answered with the checkout or refused as invalid. */
async function expectAnsweredOrRefused(context: CheckContext, query: string): Promise<void> {
  const exchange = await context.backend.read(context.checkout, {}, query);
  const isRefused = exchange.status === 400 && problemOf(exchange)?.code === 'invalid_request';
  expect(isRefused || exchange.status === 200, `HTTP 400 invalid_request or 200 to ${query}`, exchange);
}

const required: Check = {
  id: 'typed.required',
  clause: 'POST: 422 amount_required',
  rule: 'answers 422 amount_required to a write without an amount',
  fix: 'Answer 422 amount_required when neither the order nor the body has an amount.',
  async run(context) {
    const { method } = await fitting(context);
    await expectRefusal(context, { payment_method_id: method.id }, 422, 'amount_required');
  },
};

const limited: Check = {
  id: 'typed.limits',
  clause: 'POST: 422 amount_out_of_limits, with min_amount/max_amount where known',
  rule: 'refuses an amount outside the limits, and includes the limits in the answer',
  fix: 'Compare decimals exactly with amount_limits and with the limits of the method; answer 422 amount_out_of_limits with both limits.',
  async run(context) {
    const { amount_limits } = await typedOpen(context);
    const { method } = await fitting(context);
    const limits = [amount_limits ?? {}, method.limits].filter((one) => outside(one) !== undefined);
    if (limits.length === 0) throw new NotRun('the amount has no limits');
    for (const amount of limits.flatMap((one) => outside(one) ?? [])) {
      const exchange = await context.backend.create(context.checkout, { payment_method_id: method.id, amount });
      expectProblem(exchange, [422], ['amount_out_of_limits']);
      const problem = problemOf(exchange);
      const isNamed = problem?.min_amount !== undefined || problem?.max_amount !== undefined;
      expect(isNamed, 'min_amount or max_amount in the problem', 'neither');
    }
  },
};

const positive: Check = {
  id: 'typed.positive',
  clause: 'POST: amount',
  rule: 'refuses an amount that is zero or negative',
  fix: 'Answer 422 amount_out_of_limits (or 400 invalid_request) to amounts that are not above 0.',
  async run(context) {
    const { method } = await fitting(context);
    for (const amount of ['0', '0.00', '-1.00']) {
      const exchange = await context.backend.create(context.checkout, { payment_method_id: method.id, amount });
      expectProblem(exchange, [422, 400], ['amount_out_of_limits', 'invalid_request']);
    }
  },
};

const typedInvoice = sharedStep('an invoice for the typed amount', async (context) => {
  const { amount, method } = await fitting(context);
  const key = randomUUID();
  const body = { payment_method_id: method.id, amount };
  const seen = checkoutIn(await createUntilKnown(context, body, key), 201, 200);
  return { key, body, seen };
});

const createsTyped: Check = {
  id: 'typed.created',
  clause: 'POST: amount',
  rule: 'creates an invoice for exactly the typed amount',
  fix: 'Send the amount to CreateInvoice as the string in the request; never convert it to a float.',
  async run(context) {
    const { seen, body } = await typedInvoice(context);
    const made = seen.invoice?.amount;
    expect(
      made !== undefined && compareDecimals(made, body.amount) === 0,
      `an invoice for ${body.amount}`,
      made === undefined ? 'none' : `one for ${made}`,
    );
  },
};

const mismatch: Check = {
  id: 'typed.mismatch',
  clause: 'POST: 409 idempotency_mismatch',
  rule: 'refuses a key that was used before with another amount',
  fix: 'Let the digest beside the key cover the amount.',
  async run(context) {
    const { key, body } = await typedInvoice(context);
    const changed = { ...body, amount: above(body.amount) };
    await expectRefusal(context, changed, 409, 'idempotency_mismatch', { key });
  },
};

export const typedAmount: Group = {
  title: 'An amount that the payer types',
  checkout: 'typed',
  checks: [shape, filter, malformed, required, limited, positive, createsTyped, mismatch],
};
