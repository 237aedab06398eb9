import { randomUUID } from 'node:crypto';
import { smallestUnitOf } from '../../../base/smallest-unit.ts';
import { compareDecimals, isWithin } from '../../../base/decimal.ts';
import type { AmountLimits, PaymentOption } from '../../../checkout-api.ts';
import { problemOf } from '../backend-client.ts';
import { check, refuses, sharedStep, type CheckGroup } from '../check.ts';
import { requireOpen } from '../create-test-invoice.ts';
import { expect, expectProblem, NotRun } from '../expect.ts';

const readTypedCheckout = sharedStep('a checkout with a typed amount', async (context) => {
  const checkout = await context.readCheckout();
  requireOpen(checkout);
  expect(checkout.amount === null, '`amount` is null', `the amount ${checkout.amount ?? ''}`);
  return checkout;
});

/** An amount that the payer may type, and a payment method that accepts it. */
const findFittingAmount = sharedStep(
  'an amount that fits',
  async (context): Promise<{ amount: string; method: PaymentOption }> => {
    const { options, amount_limits } = await readTypedCheckout(context);
    const limits = amount_limits ?? {};
    for (const method of options.filter(({ available }) => available)) {
      const candidates = [limits.min_amount, method.limits.min_amount, '100.00', limits.max_amount];
      const amount = candidates.find(
        (candidate): candidate is string =>
          candidate !== undefined && isWithin(candidate, limits) && isWithin(candidate, method.limits),
      );
      if (amount !== undefined && compareDecimals(amount, '0') > 0) return { amount, method };
    }
    throw new NotRun('no payment option fits the limits of the amount');
  },
);

const createTypedInvoice = sharedStep('an invoice for the typed amount', async (context) => {
  const { amount, method } = await findFittingAmount(context);
  const [key, body] = [randomUUID(), { payment_method_id: method.id, amount }];
  return { key, body, checkout: await context.createInvoice(body, key) };
});

/** An amount that is greater than `amount`. */
const amountAbove = (amount: string): string => `${amount.split('.')[0] ?? ''}9.00`;

/**
 * An amount outside the limits: above the maximum, or the smallest of the currency when only a higher minimum is known. Undefined
 * without such a limit.
 */
function amountOutside({ min_amount, max_amount }: AmountLimits, currency: string | null): string | undefined {
  if (max_amount !== undefined) return amountAbove(max_amount);
  const smallest = smallestUnitOf(currency ?? '');
  return min_amount !== undefined && compareDecimals(min_amount, smallest) > 0 ? smallest : undefined;
}

export const typedAmountChecks: CheckGroup = {
  title: 'An amount that the payer types',
  checkoutKind: 'typed',
  checks: [
    check(
      'typed.shape',
      'has a null amount, and lists the payment options',
      'Answer `amount` null and `amount_limits` {"min_amount","max_amount"} for an order whose amount the payer types.',
      async (context) => {
        const { options } = await readTypedCheckout(context);
        expect(options.length > 0, 'options', 'an empty list');
      },
    ),
    check(
      'typed.filter',
      'offers the payment options that the amount in the URL allows, and lists the others as not available',
      'Give ?amount= to FetchPaymentOptions, compare the limits as decimals, and add what is missing with `available` false.',
      async (context) => {
        const { options, currency } = await readTypedCheckout(context);
        const { amount: fittingAmount, method } = await findFittingAmount(context);
        const outside = options.flatMap(({ limits }) => amountOutside(limits, currency) ?? []).slice(0, 3);
        if (outside.length === 0) throw new NotRun('no payment option has limits');
        for (const amount of [...outside, fittingAmount]) {
          const checkout = await context.readCheckout(`?amount=${amount}`);
          const available = checkout.options.filter((option) => option.available);
          const unfitting = available.find(({ limits }) => !isWithin(amount, limits))?.id;
          expect(unfitting === undefined, `available options whose limits hold ${amount}`, `the option ${unfitting}`);
          const missing = options.find(({ id }) => checkout.options.every((option) => option.id !== id))?.id;
          expect(missing === undefined, `every option with ${amount}, available or not`, `no option ${missing}`);
          expect(checkout.amount === null, '`amount` is still null', String(checkout.amount));
          const isOffered = amount !== fittingAmount || available.some(({ id }) => id === method.id);
          expect(isOffered, `${method.id} for ${amount}`, 'not among the available options');
        }
      },
    ),
    check(
      'typed.malformed',
      'does not fail when the amount in the URL is malformed',
      'Answer 400 invalid_request to an ?amount= that is not a decimal, or ignore it.',
      async (context) => {
        await readTypedCheckout(context);
        for (const amount of ['', 'abc', '1e3', '1,00', '9'.repeat(300), '-5']) {
          const query = `?amount=${encodeURIComponent(amount)}`;
          const exchange = await context.read({}, query);
          const isRefused = exchange.status === 400 && problemOf(exchange)?.code === 'invalid_request';
          expect(isRefused || exchange.status === 200, `HTTP 400 invalid_request or 200 to ${query}`, exchange);
        }
      },
    ),
    check(
      'typed.required',
      'answers 422 amount_required to a write without an amount',
      'Answer 422 amount_required when neither the order nor the body has an amount.',
      refuses(422, 'amount_required', async (context) => {
        const { method } = await findFittingAmount(context);
        return [[{ payment_method_id: method.id }]];
      }),
    ),
    check(
      'typed.limits',
      'refuses an amount outside the limits, and includes the limits in the response',
      'Compare decimals exactly with amount_limits and with the limits of the method; answer 422 amount_out_of_limits with both limits.',
      async (context) => {
        const { amount_limits, currency } = await readTypedCheckout(context);
        const { method } = await findFittingAmount(context);
        const amounts = [amount_limits ?? {}, method.limits].flatMap((range) => amountOutside(range, currency) ?? []);
        if (amounts.length === 0) throw new NotRun('the amount has no limits');
        for (const amount of amounts) {
          const exchange = await context.create({ payment_method_id: method.id, amount });
          expectProblem(exchange, [422], ['amount_out_of_limits']);
          const problem = problemOf(exchange);
          const hasLimits = problem?.min_amount !== undefined || problem?.max_amount !== undefined;
          expect(hasLimits, 'min_amount or max_amount in the problem', 'neither');
        }
      },
    ),
    check(
      'typed.positive',
      'refuses an amount that is zero or negative',
      'Answer 422 amount_out_of_limits (or 400 invalid_request) to amounts that are not above 0.',
      async (context) => {
        const { method } = await findFittingAmount(context);
        for (const amount of ['0', '0.00', '-1.00']) {
          const exchange = await context.create({ payment_method_id: method.id, amount });
          expectProblem(exchange, [422, 400], ['amount_out_of_limits', 'invalid_request']);
        }
      },
    ),
    check(
      'typed.created',
      'creates an invoice for exactly the typed amount',
      'Send the amount to CreateInvoice as the string in the request; never convert it to a float.',
      async (context) => {
        const { checkout, body } = await createTypedInvoice(context);
        const amount = checkout.invoice?.amount;
        const isExact = amount !== undefined && compareDecimals(amount, body.amount) === 0;
        const got = amount === undefined ? 'no invoice' : `an invoice for ${amount}`;
        expect(isExact, `an invoice for ${body.amount}`, got);
      },
    ),
    check(
      'typed.mismatch',
      'refuses a key that was used before with another amount',
      'Let the digest beside the key cover the amount.',
      refuses(409, 'idempotency_mismatch', async (context) => {
        const { key, body } = await createTypedInvoice(context);
        return [[{ ...body, amount: amountAbove(body.amount) }, { key }]];
      }),
    ),
  ],
};
