import { compareDecimals, isWithin } from '../../../base/decimal.ts';
import { parseTimestamp } from '../../../service-api/scalars.ts';
import type { Checkout } from '../../../checkout-api.ts';
import { problemOf } from '../backend-client.ts';
import { check, sharedStep, waits, type CheckContext, type CheckGroup } from '../check.ts';
import { requireOpen } from '../create-test-invoice.ts';
import { expect, expectCheckout, expectMediaType, expectMethodNotAllowed, NotRun } from '../expect.ts';

/** The first read of the run's first checkout. */
const readFirstCheckout = sharedStep('the first read', async (context) => {
  const exchange = await context.read();
  return { exchange, checkout: expectCheckout(exchange, 200) };
});

/** The checkout in the first read. Throws `NotRun` when that checkout is not open. */
export const readOpenCheckout = sharedStep('an open checkout', async (context): Promise<Checkout> => {
  const { checkout } = await readFirstCheckout(context);
  requireOpen(checkout);
  return checkout;
});

/** The open checkout and its amount. Throws `NotRun` when the payer types the amount. */
export async function readPricedCheckout(context: CheckContext) {
  const checkout = await readOpenCheckout(context);
  if (checkout.amount === null) throw new NotRun('the payer types the amount of this checkout');
  return { ...checkout, amount: checkout.amount };
}

export const getCheckoutChecks: CheckGroup = {
  title: 'The checkout as it stands',
  checkoutKind: 'first',
  checks: [
    check(
      'checkout.answers',
      'answers 200 and a checkout with every member that the schema requires',
      'Compare the response with the schema Checkout in docs/openapi/checkout.json: members in snake_case, amounts as strings, null where the API says null.',
      readFirstCheckout,
    ),
    check('checkout.media_type', 'answers application/json', 'Set Content-Type: application/json.', async (context) => {
      const { exchange } = await readFirstCheckout(context);
      expectMediaType(exchange, 'application/json');
    }),
    check(
      'checkout.id',
      'has a public id, and the capability in the address alone',
      'Put a name of the checkout that opens nothing into `id`, as `co_…`: pages show it and log it. The capability is in no member.',
      async (context) => {
        const { exchange, checkout } = await readFirstCheckout(context);
        expect(checkout.id !== '', 'an `id`', 'an empty text');
        expect(!exchange.text.includes(context.capability), 'the capability nowhere in the JSON', 'it is there');
      },
    ),
    check(
      'checkout.open',
      'is open and has no invoice before the payer creates one',
      'Answer `status` "open" and `invoice` null for a new checkout, and give the run a fresh one.',
      async (context) => {
        const checkout = await readOpenCheckout(context);
        expect(checkout.invoice === null, 'no invoice', 'an invoice in an open checkout');
        expect(!checkout.stale, 'a fresh state', '`stale` is true although the service answers');
      },
    ),
    check(
      'checkout.amount',
      'has the positive amount of the order, and limits only when the payer types the amount',
      'Set `amount` from the order and `amount_limits` to null; or `amount` to null and `amount_limits` to the limits.',
      async (context) => {
        const { checkout } = await readFirstCheckout(context);
        if (checkout.amount === null) return;
        expect(compareDecimals(checkout.amount, '0') > 0, 'an amount above 0', checkout.amount);
        expect(checkout.amount_limits === null, '`amount_limits` is null beside an amount', 'limits');
      },
    ),
    check(
      'checkout.currency',
      'has an ISO 4217 code as the currency, or null',
      'Use the three capital letters of ISO 4217, or null.',
      async (context) => {
        const { currency } = (await readFirstCheckout(context)).checkout;
        expect(currency === null || /^[A-Z]{3}$/.test(currency), 'such as "RUB", or null', String(currency));
      },
    ),
    check(
      'checkout.return_urls',
      'has absolute http(s) return URLs, or null',
      'Send absolute https URLs; the widget follows no other URLs.',
      async (context) => {
        const { checkout } = await readFirstCheckout(context);
        const urls = Object.values(checkout.return_urls).filter((url) => url !== null);
        const invalidUrl = urls.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
        expect(invalidUrl === undefined, 'absolute http(s) URLs', String(invalidUrl));
      },
    ),
    check(
      'checkout.options_filtered',
      'lists each payment option once, and only those whose limits include the amount',
      'Give the amount to FetchPaymentOptions, and compare the limits as decimals: they are inclusive.',
      async (context) => {
        const { options, amount } = await readOpenCheckout(context);
        if (options.length === 0) throw new NotRun('the checkout has no payment options');
        expect(new Set(options.map(({ id }) => id)).size === options.length, 'each option once', 'an `id` twice');
        const unfitting = options.find(({ limits }) => amount !== null && !isWithin(amount, limits));
        const shown = `${unfitting?.id ?? ''} ${JSON.stringify(unfitting?.limits)}`;
        expect(unfitting === undefined, `limits that hold ${amount ?? ''}`, shown);
      },
    ),
    check(
      'checkout.amount_query',
      'keeps the amount of the order when the URL has another amount',
      'Ignore ?amount= (or answer 400) when the order has an amount.',
      async (context) => {
        const { amount, options } = await readPricedCheckout(context);
        const exchange = await context.read({}, '?amount=1.00');
        if (exchange.status === 400 && problemOf(exchange)?.code === 'invalid_request') return;
        const withQuery = expectCheckout(exchange, 200);
        expect(withQuery.amount === amount, `the amount ${amount}`, String(withQuery.amount));
        const [ids, idsWithQuery] = [options, withQuery.options].map((list) => list.map(({ id }) => id).join(', '));
        expect(idsWithQuery === ids, `options for ${amount}`, `options ${idsWithQuery ?? ''}`);
      },
    ),
    check(
      'checkout.clock',
      'sends a server_time that advances as time passes',
      'Set `server_time` to the present time in UTC in each response; do not cache it.',
      async (context) => {
        const { ports } = context.run;
        const readTime = async (): Promise<number> =>
          parseTimestamp((await context.readCheckout()).server_time) ?? Number.NaN;
        const [before, startedAt] = [await readTime(), ports.now()];
        await ports.sleep(waits.tickMs);
        const [after, endedAt] = [await readTime(), ports.now()];
        const driftMs = after - before - (endedAt - startedAt);
        const expected = `server_time moves on by ${Math.round(endedAt - startedAt)} ms`;
        expect(Math.abs(driftMs) <= waits.slackMs / 2 && after > before, expected, `by ${after - before} ms`);
      },
    ),
    check(
      'checkout.methods',
      'refuses to change or delete a checkout',
      'Answer 405 with a problem document and `Allow: GET, HEAD, OPTIONS` to any other method.',
      async ({ run: { backend }, capability }) => {
        for (const method of ['PUT', 'DELETE', 'PATCH', 'POST'])
          expectMethodNotAllowed(await backend.sendOther(capability, '', { method }), 'GET');
      },
    ),
    check(
      'checkout.head',
      'answers HEAD with the status and headers of GET, and no body',
      'Route HEAD to the handler of GET, and leave the body out.',
      async (context) => {
        const { exchange } = await readFirstCheckout(context);
        const response = await context.run.backend.sendOther(context.capability, '', { method: 'HEAD' });
        expect(response.status === 200 && response.text === '', 'HTTP 200 with no body', response);
        for (const name of ['etag', 'content-type', 'cache-control']) {
          const [getValue = '', headValue = ''] = [exchange, response].map(({ headers }) =>
            (headers.get(name) ?? 'none').replace(/^W\//, ''),
          );
          expect(getValue === headValue, `${name}: ${getValue}`, headValue, response);
        }
      },
    ),
  ],
};
