import { compareDecimals, isWithin } from '../../base/decimal.ts';
import { parseTimestamp } from '../../contract/scalars.ts';
import { sharedStep, checkoutIn, expectNotAllowed, summarize, type Check, type Group } from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import { isJsonType, problemOf } from '../backend-client.ts';

/** The first read of the run's first checkout. */
const firstRead = sharedStep('the first read', async ({ backend, checkout }) => {
  const exchange = await backend.read(checkout);
  return { exchange, seen: checkoutIn(exchange, 200) };
});

/** The first read, of a checkout that is still open. Throws `NotRun` when it is not. */
export const opened = sharedStep('an open checkout', async (context) => {
  const { exchange, seen } = await firstRead(context);
  if (seen.status !== 'open') throw new NotRun(`it needs a fresh checkout, and this one is ${summarize(seen)}`);
  return { exchange, seen };
});

const clause = 'GET: the checkout as it stands';

const answers: Check = {
  id: 'checkout.answers',
  clause,
  rule: 'answers 200 and a checkout with every member that the schema requires',
  fix: 'Compare the answer with the schema Checkout in docs/openapi/checkout.json: members in snake_case, amounts as strings, null where the API says null.',
  async run(context) {
    await firstRead(context);
  },
};

const mediaType: Check = {
  id: 'checkout.media_type',
  clause,
  rule: 'answers application/json',
  fix: 'Set Content-Type: application/json.',
  async run(context) {
    const { exchange } = await firstRead(context);
    expect(isJsonType(exchange), 'Content-Type: application/json', exchange);
  },
};

const id: Check = {
  id: 'checkout.id',
  clause,
  rule: 'answers with the requested checkout',
  fix: 'Put the capability of the address into `id`.',
  async run(context) {
    const { seen } = await firstRead(context);
    expect(seen.id === context.checkout, '`id` is the capability in the address', 'another one');
  },
};

const amount: Check = {
  id: 'checkout.amount',
  clause: 'GET: amount, amount_limits',
  rule: 'has the positive amount of the order, and limits only when the payer types the amount',
  fix: 'Set `amount` from the order and `amount_limits` to null; or `amount` to null and `amount_limits` to the limits.',
  async run(context) {
    const { seen } = await firstRead(context);
    if (seen.amount === null) return;
    expect(compareDecimals(seen.amount, '0') > 0, 'an amount above 0', seen.amount);
    expect(seen.amount_limits === null, '`amount_limits` is null beside an amount', 'limits');
  },
};

const currency: Check = {
  id: 'checkout.currency',
  clause: 'GET: currency',
  rule: 'has an ISO 4217 code as the currency, or null',
  fix: 'Use the three capital letters of ISO 4217, or null.',
  async run(context) {
    const { seen } = await firstRead(context);
    expect(seen.currency === null || /^[A-Z]{3}$/.test(seen.currency), 'such as "RUB", or null', String(seen.currency));
  },
};

const returnUrls: Check = {
  id: 'checkout.return_urls',
  clause: 'GET: return_urls',
  rule: 'has absolute http(s) return URLs, or null',
  fix: 'Give whole https addresses; the widget follows no other.',
  async run(context) {
    const { seen } = await firstRead(context);
    const urls = Object.values(seen.return_urls).filter((url) => url !== null);
    const wrong = urls.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
    expect(wrong === undefined, 'absolute http(s) addresses', String(wrong));
  },
};

const noInvoice: Check = {
  id: 'checkout.open',
  clause: 'GET: status, invoice',
  rule: 'is open and has no invoice before the payer creates one',
  fix: 'Answer `status` "open" and `invoice` null for a new checkout, and give the run a fresh one.',
  async run(context) {
    const { seen } = await opened(context);
    expect(seen.invoice === null, 'no invoice', 'an invoice in an open checkout');
    expect(!seen.stale, 'a fresh state', '`stale` is true although the service answers');
  },
};

const optionsFiltered: Check = {
  id: 'checkout.options_filtered',
  clause: 'GET: options, already filtered by the amount',
  rule: 'lists each payment option once, and only those whose limits include the amount',
  fix: 'Give the amount to FetchPaymentOptions, and compare the limits as decimals: they are inclusive.',
  async run(context) {
    const { seen } = await opened(context);
    const { options, amount: price } = seen;
    if (options.length === 0) throw new NotRun('the checkout has no payment options');
    expect(new Set(options.map((one) => one.id)).size === options.length, 'each option once', 'an `id` twice');
    const wrong = price === null ? undefined : options.find(({ limits }) => !isWithin(price, limits));
    expect(
      wrong === undefined,
      `limits that hold ${price ?? ''}`,
      `${wrong?.id ?? ''} ${JSON.stringify(wrong?.limits)}`,
    );
  },
};

const amountQuery: Check = {
  id: 'checkout.amount_query',
  clause: 'GET: ?amount= only where the payer types it',
  rule: 'keeps the amount of the order when the URL names another',
  fix: 'Ignore ?amount= (or answer 400) when the order has an amount.',
  async run(context) {
    const { seen } = await opened(context);
    if (seen.amount === null) throw new NotRun('the payer types the amount of this checkout');
    const exchange = await context.backend.read(context.checkout, {}, '?amount=1.00');
    if (exchange.status === 400 && problemOf(exchange)?.code === 'invalid_request') return;
    const asked = checkoutIn(exchange, 200);
    expect(asked.amount === seen.amount, `the amount ${seen.amount}`, String(asked.amount));
    const ids = (list: readonly { readonly id: string }[]): string => list.map((one) => one.id).join(', ');
    expect(ids(asked.options) === ids(seen.options), `options for ${seen.amount}`, `options ${ids(asked.options)}`);
  },
};

const clock: Check = {
  id: 'checkout.clock',
  clause: 'GET: server_time',
  rule: 'sends a server_time that advances as time passes',
  fix: 'Set `server_time` to the present time in UTC in each answer; do not cache it.',
  async run(context) {
    const { backend, checkout, ports, timeouts } = context;
    const timeOf = async (): Promise<number> =>
      parseTimestamp(checkoutIn(await backend.read(checkout), 200).server_time) ?? Number.NaN;
    const [before, startedAt] = [await timeOf(), ports.now()];
    await ports.sleep(timeouts.tickMs);
    const [after, endedAt] = [await timeOf(), ports.now()];
    const off = after - before - (endedAt - startedAt);
    const expected = `server_time moves on by ${Math.round(endedAt - startedAt)} ms`;
    expect(Math.abs(off) <= timeouts.slackMs / 2 && after > before, expected, `by ${after - before} ms`);
  },
};

const methods: Check = {
  id: 'checkout.methods',
  clause: 'Rules of HTTP: another method on a known path, 405 with Allow',
  rule: 'refuses to change or delete a checkout',
  fix: 'Answer 405 with a problem document and `Allow: GET, HEAD, OPTIONS` to any other method.',
  async run({ backend, checkout }) {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'POST'])
      expectNotAllowed(await backend.sendOther(checkout, '', { method }), 'GET');
  },
};

const head: Check = {
  id: 'checkout.head',
  clause: 'Rules of HTTP: HEAD, as GET without a body',
  rule: 'answers HEAD as GET, without a body',
  fix: 'Route HEAD to the handler of GET, and leave the body out.',
  async run(context) {
    const { backend, checkout } = context;
    const { exchange } = await firstRead(context);
    const asked = await backend.sendOther(checkout, '', { method: 'HEAD' });
    expect(asked.status === 200 && asked.text === '', 'HTTP 200 with no body', asked);
    for (const name of ['etag', 'content-type', 'cache-control']) {
      const [wanted, got] = [exchange, asked].map(({ headers }) => (headers.get(name) ?? 'none').replace(/^W\//, ''));
      expect(wanted === got, `${name}: ${wanted ?? ''}`, got ?? '', asked);
    }
  },
};

export const getCheckout: Group = {
  title: 'The checkout as it stands',
  checkout: 'first',
  checks: [
    answers,
    mediaType,
    id,
    noInvoice,
    amount,
    currency,
    returnUrls,
    optionsFiltered,
    amountQuery,
    clock,
    methods,
    head,
  ],
};
