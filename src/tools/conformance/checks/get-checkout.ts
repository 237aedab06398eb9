import { compareDecimals, isWithin } from '../../../base/decimal.ts';
import { parseTimestamp } from '../../../service-api/scalars.ts';
import {
  sharedStep,
  expectCheckout,
  expectMethodNotAllowed,
  summarize,
  type Check,
  type CheckGroup,
} from '../check.ts';
import { expect, NotRun } from '../expect.ts';
import { isJsonType, problemOf } from '../backend-client.ts';

/** The first read of the run's first checkout. */
const readFirstCheckout = sharedStep('the first read', async ({ backend, capability }) => {
  const exchange = await backend.read(capability);
  return { exchange, checkout: expectCheckout(exchange, 200) };
});

/** The first read of the run's first checkout. Throws `NotRun` when that checkout is not open. */
export const readOpenCheckout = sharedStep('an open checkout', async (context) => {
  const { exchange, checkout } = await readFirstCheckout(context);
  if (checkout.status !== 'open') throw new NotRun(`it needs a fresh checkout, and this one is ${summarize(checkout)}`);
  return { exchange, checkout };
});

const clause = 'GET: the checkout as it stands';

const checkoutSchemaCheck: Check = {
  id: 'checkout.answers',
  clause,
  rule: 'answers 200 and a checkout with every member that the schema requires',
  fix: 'Compare the response with the schema Checkout in docs/openapi/checkout.json: members in snake_case, amounts as strings, null where the API says null.',
  async run(context) {
    await readFirstCheckout(context);
  },
};

const mediaTypeCheck: Check = {
  id: 'checkout.media_type',
  clause,
  rule: 'answers application/json',
  fix: 'Set Content-Type: application/json.',
  async run(context) {
    const { exchange } = await readFirstCheckout(context);
    expect(isJsonType(exchange), 'Content-Type: application/json', exchange);
  },
};

const checkoutIdCheck: Check = {
  id: 'checkout.id',
  clause,
  rule: 'answers with the requested checkout',
  fix: 'Put the capability from the URL into `id`.',
  async run(context) {
    const { checkout } = await readFirstCheckout(context);
    expect(checkout.id === context.capability, '`id` is the capability in the URL', 'another `id`');
  },
};

const amountCheck: Check = {
  id: 'checkout.amount',
  clause: 'GET: amount, amount_limits',
  rule: 'has the positive amount of the order, and limits only when the payer types the amount',
  fix: 'Set `amount` from the order and `amount_limits` to null; or `amount` to null and `amount_limits` to the limits.',
  async run(context) {
    const { checkout } = await readFirstCheckout(context);
    if (checkout.amount === null) return;
    expect(compareDecimals(checkout.amount, '0') > 0, 'an amount above 0', checkout.amount);
    expect(checkout.amount_limits === null, '`amount_limits` is null beside an amount', 'limits');
  },
};

const currencyCheck: Check = {
  id: 'checkout.currency',
  clause: 'GET: currency',
  rule: 'has an ISO 4217 code as the currency, or null',
  fix: 'Use the three capital letters of ISO 4217, or null.',
  async run(context) {
    const { checkout } = await readFirstCheckout(context);
    expect(
      checkout.currency === null || /^[A-Z]{3}$/.test(checkout.currency),
      'such as "RUB", or null',
      String(checkout.currency),
    );
  },
};

const returnUrlsCheck: Check = {
  id: 'checkout.return_urls',
  clause: 'GET: return_urls',
  rule: 'has absolute http(s) return URLs, or null',
  fix: 'Send absolute https URLs; the widget follows no other URLs.',
  async run(context) {
    const { checkout } = await readFirstCheckout(context);
    const urls = Object.values(checkout.return_urls).filter((url) => url !== null);
    const invalidUrl = urls.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
    expect(invalidUrl === undefined, 'absolute http(s) URLs', String(invalidUrl));
  },
};

const openCheckoutCheck: Check = {
  id: 'checkout.open',
  clause: 'GET: status, invoice',
  rule: 'is open and has no invoice before the payer creates one',
  fix: 'Answer `status` "open" and `invoice` null for a new checkout, and give the run a fresh one.',
  async run(context) {
    const { checkout } = await readOpenCheckout(context);
    expect(checkout.invoice === null, 'no invoice', 'an invoice in an open checkout');
    expect(!checkout.stale, 'a fresh state', '`stale` is true although the service answers');
  },
};

const filteredOptionsCheck: Check = {
  id: 'checkout.options_filtered',
  clause: 'GET: options, already filtered by the amount',
  rule: 'lists each payment option once, and only those whose limits include the amount',
  fix: 'Give the amount to FetchPaymentOptions, and compare the limits as decimals: they are inclusive.',
  async run(context) {
    const { checkout } = await readOpenCheckout(context);
    const { options, amount: price } = checkout;
    if (options.length === 0) throw new NotRun('the checkout has no payment options');
    expect(new Set(options.map((one) => one.id)).size === options.length, 'each option once', 'an `id` twice');
    const unfittingOption = price === null ? undefined : options.find(({ limits }) => !isWithin(price, limits));
    expect(
      unfittingOption === undefined,
      `limits that hold ${price ?? ''}`,
      `${unfittingOption?.id ?? ''} ${JSON.stringify(unfittingOption?.limits)}`,
    );
  },
};

const amountQueryCheck: Check = {
  id: 'checkout.amount_query',
  clause: 'GET: ?amount= only where the payer types it',
  rule: 'keeps the amount of the order when the URL has another amount',
  fix: 'Ignore ?amount= (or answer 400) when the order has an amount.',
  async run(context) {
    const { checkout } = await readOpenCheckout(context);
    if (checkout.amount === null) throw new NotRun('the payer types the amount of this checkout');
    const exchange = await context.backend.read(context.capability, {}, '?amount=1.00');
    if (exchange.status === 400 && problemOf(exchange)?.code === 'invalid_request') return;
    const checkoutWithQuery = expectCheckout(exchange, 200);
    expect(
      checkoutWithQuery.amount === checkout.amount,
      `the amount ${checkout.amount}`,
      String(checkoutWithQuery.amount),
    );
    const listIds = (options: readonly { readonly id: string }[]): string => options.map(({ id }) => id).join(', ');
    expect(
      listIds(checkoutWithQuery.options) === listIds(checkout.options),
      `options for ${checkout.amount}`,
      `options ${listIds(checkoutWithQuery.options)}`,
    );
  },
};

const serverTimeCheck: Check = {
  id: 'checkout.clock',
  clause: 'GET: server_time',
  rule: 'sends a server_time that advances as time passes',
  fix: 'Set `server_time` to the present time in UTC in each response; do not cache it.',
  async run(context) {
    const { backend, capability, ports, timeouts } = context;
    const timeOf = async (): Promise<number> =>
      parseTimestamp(expectCheckout(await backend.read(capability), 200).server_time) ?? Number.NaN;
    const [before, startedAt] = [await timeOf(), ports.now()];
    await ports.sleep(timeouts.tickMs);
    const [after, endedAt] = [await timeOf(), ports.now()];
    const driftMs = after - before - (endedAt - startedAt);
    const expected = `server_time moves on by ${Math.round(endedAt - startedAt)} ms`;
    expect(Math.abs(driftMs) <= timeouts.slackMs / 2 && after > before, expected, `by ${after - before} ms`);
  },
};

const refusedMethodsCheck: Check = {
  id: 'checkout.methods',
  clause: 'Rules of HTTP: another method on a known path, 405 with Allow',
  rule: 'refuses to change or delete a checkout',
  fix: 'Answer 405 with a problem document and `Allow: GET, HEAD, OPTIONS` to any other method.',
  async run({ backend, capability }) {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'POST'])
      expectMethodNotAllowed(await backend.sendOther(capability, '', { method }), 'GET');
  },
};

const headCheck: Check = {
  id: 'checkout.head',
  clause: 'Rules of HTTP: HEAD, as GET without a body',
  rule: 'answers HEAD with the status and headers of GET, and no body',
  fix: 'Route HEAD to the handler of GET, and leave the body out.',
  async run(context) {
    const { backend, capability } = context;
    const { exchange } = await readFirstCheckout(context);
    const response = await backend.sendOther(capability, '', { method: 'HEAD' });
    expect(response.status === 200 && response.text === '', 'HTTP 200 with no body', response);
    for (const name of ['etag', 'content-type', 'cache-control']) {
      const [getValue, headValue] = [exchange, response].map(({ headers }) =>
        (headers.get(name) ?? 'none').replace(/^W\//, ''),
      );
      expect(getValue === headValue, `${name}: ${getValue ?? ''}`, headValue ?? '', response);
    }
  },
};

export const getCheckoutChecks: CheckGroup = {
  title: 'The checkout as it stands',
  checkoutKind: 'first',
  checks: [
    checkoutSchemaCheck,
    mediaTypeCheck,
    checkoutIdCheck,
    openCheckoutCheck,
    amountCheck,
    currencyCheck,
    returnUrlsCheck,
    filteredOptionsCheck,
    amountQueryCheck,
    serverTimeCheck,
    refusedMethodsCheck,
    headCheck,
  ],
};
