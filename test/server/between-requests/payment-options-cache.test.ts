import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { card, sbp } from '../../support/fake-invoice-service.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { createInvoiceServiceClient, createMetrics, type CheckoutServerOptions } from '../../../src/server.ts';
import { serviceFetch } from '../../support/service-fetch.ts';

const refusal = { kind: 'fails', failure: 'refused', code: 'invalid_argument', httpStatus: 400 } as const;

async function openTwoMethods(options: Partial<CheckoutServerOptions> = {}): Promise<TestCheckoutServer> {
  const harness = await TestCheckoutServer.open({ amount: '300.00' }, options);
  harness.service.options = [card, { ...sbp, limits: { max_amount: '200.00' } }];
  return harness;
}

suite('a service that refuses the options of one amount', () => {
  test('is not taken for an outage: the payer sees the methods whose limits allow the amount', async () => {
    const metrics = createMetrics();
    const harness = await openTwoMethods({ metrics });
    harness.service.optionsFaults.push(refusal);
    const { status, checkout } = await harness.getCheckout();
    assert.equal(status, 200);
    assert.equal(checkout.stale, false);
    assert.deepEqual(
      checkout.options.map(({ id }) => id),
      ['pm_card'],
    );
    assert.deepEqual(harness.service.optionsRequests, ['300.00', undefined]);
    assert.match(await metrics.expose(), /^pay_invoice_options_unfiltered_total\{reason="refused"\} 1$/m);
  });

  test('is asked for that amount again only after 30 s, and each refusal is one line of the log', async () => {
    const harness = await openTwoMethods();
    harness.service.filterOptions = (options, amount) => {
      if (amount !== undefined) harness.service.optionsFaults.push(refusal);
      return options;
    };
    harness.service.optionsFaults.push(refusal);
    for (let second = 0; second < 29; second += 1) {
      await harness.getCheckout();
      await harness.advance(1_000);
    }
    assert.deepEqual(harness.service.optionsRequests, ['300.00', undefined]);
    harness.service.optionsFaults.push(refusal);
    await harness.advance(2_000);
    await harness.getCheckout();
    const refusals = harness.logEntries.filter(({ event }) => event === 'options_refused');
    assert.equal(refusals.length, 2);
    assert.equal(refusals[0]?.level, 'warn');
    assert.ok(!harness.loggedEvents().includes('options_failed'));
  });

  test('is asked once for 300, 300.0 and 300.00, because the amount is a number', async () => {
    const harness = await TestCheckoutServer.open({ amount: null, amountLimits: {} });
    for (const amount of ['300', '300.0', '300.00', '0300.000'])
      assert.equal((await harness.getCheckout({}, `?amount=${amount}`)).status, 200);
    assert.deepEqual(harness.service.optionsRequests, ['300', undefined]);
  });

  test('is told apart from a service that refuses the token, the access or the path', async () => {
    for (const [httpStatus, code] of [
      [401, 'unauthenticated'],
      [403, 'permission_denied'],
      [404, 'unimplemented'],
    ] as const) {
      const harness = await openTwoMethods();
      harness.service.optionsFaults.push({ kind: 'fails', failure: 'refused', code, httpStatus });
      assert.equal((await harness.getCheckout()).status, 503);
      assert.ok(harness.loggedEvents().includes('options_failed'));
    }
  });
});

// The real client, limiter and server on the clock of this machine: its time has fractions and moves between two reads.

const option = (id: string) => ({ id, type: 'CARD', name: id, available: true, limits: { min_amount: '1.00' } });

/** Opens a checkout for each amount, all at once. The service returns another method with an amount than without one. */
async function openCheckouts(amounts: readonly string[], perSecond?: number) {
  const requests: Readonly<Record<string, unknown>>[] = [];
  const fetch = serviceFetch((_, body) => {
    requests.push(body);
    return { options: [option('amount' in body ? 'pm_filtered' : 'pm_all')] };
  });
  const limits = perSecond === undefined ? {} : { requestsPerSecond: { FetchPaymentOptions: perSecond } };
  const service = createInvoiceServiceClient({ baseUrl: 'https://service.example', token: 'token', fetch, ...limits });
  const metrics = createMetrics();
  const shop = new TestCheckoutServer({ service, metrics, clock: systemClock });
  const ids = await Promise.all(
    amounts.map((amount, index) => shop.createCheckout({ orderId: `order-${index}`, amount })),
  );
  const reads = ids.map((id) => shop.parseResponse(shop.request(`/${shop.capabilityOf(id)}`)));
  const checkouts = (await Promise.all(reads)).map(({ checkout }) => checkout);
  assert.ok(
    checkouts.every(({ stale }) => !stale),
    'the service answers, whatever the limit holds back',
  );
  const methods = checkouts.flatMap((checkout) => checkout.options.map(({ id }) => id));
  await shop.server.stop();
  return { requests, methods, metrics: await metrics.expose() };
}

const distinctAmounts = Array.from({ length: 40 }, (_, index) => `${100 + index}.00`);

suite('the amount of a payer', () => {
  test('is in each FetchPaymentOptions of 40 payers, and each payer sees what the service says for his amount', async () => {
    const { requests, methods } = await openCheckouts(distinctAmounts, 100);
    assert.deepEqual(requests.map((body) => body['amount']).sort(), distinctAmounts);
    assert.deepEqual(methods, Array(40).fill('pm_filtered'));
  });

  test('is missing only beyond the limit of requests, where the list for all amounts is used and counted', async () => {
    const { requests, methods, metrics } = await openCheckouts(distinctAmounts);
    assert.equal(requests.filter((body) => 'amount' in body).length, 10);
    assert.equal(requests.length, 11);
    assert.deepEqual(methods.sort(), [...Array<string>(30).fill('pm_all'), ...Array<string>(10).fill('pm_filtered')]);
    assert.match(metrics, /^pay_invoice_options_unfiltered_total\{reason="rate_limit"\} 30$/m);
  });
});
