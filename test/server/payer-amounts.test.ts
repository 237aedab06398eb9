import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { createInvoiceServiceClient, createMetrics } from '../../src/server.ts';
import { serviceFetch } from '../support/service-fetch.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

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
